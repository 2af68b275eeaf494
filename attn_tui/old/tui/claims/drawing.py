"""What each pane of the screen of Claims shows, as rows."""

from collections.abc import Sequence

from attn_tui.charts.glyphs import POINTER
from attn_tui.claims.claim import VERDICTS, Claim
from attn_tui.claims.ledger import ledger
from attn_tui.old.charts.claims.picture import picture
from attn_tui.old.tui.bars import NARROW
from attn_tui.old.tui.claims.scene import Scene
from attn_tui.old.tui.claims.view import ALL, TABS
from attn_tui.old.tui.looking import tab_items, titles_of
from attn_tui.old.tui.scene import ROOMY
from attn_tui.old.tui.widgets.bar import Item
from attn_tui.report.claims.sheet import sheet
from attn_tui.report.claims.text import counted
from attn_tui.report.rows import Row, cells, fitted, length, message

_ID = 6

SHORT = {
    "holds": "holds", "conditional": "cond.", "false": "false", "wording": "words",
    "undecided": "open",
}  # fmt: skip
SIGNS = {"holds": "✓", "conditional": "±", "false": "✗", "wording": "¶", "undecided": "?"}
"""What stands for a verdict where there is little room, and where there is hardly any."""


def title_row(scene: Scene, focused: bool) -> Row:
    """Return how many claims are listed of how many, which, and how far trying them is."""
    view, count = scene.view, len(ledger())
    chosen = [each for each in (view.source, view.verdict, view.topic) if each != ALL]
    which = f" of {count}, {', '.join(chosen)}" if chosen else ""
    title = f" {len(scene.listed)}{which or ' claims'} "
    tried, done = "", len(scene.findings)
    if scene.trying:
        tried = f" {done} of {count} tried, space stops "
    elif done < count:
        tried = f" {done} of {count} tried, space goes on "
    else:
        listed = (scene.findings[each.id] for each in scene.listed)
        tried = f" {counted(listed)} "
    rows = [(title, tried), (title, "")]
    if scene.narrow and scene.present == "list" and not chosen:
        meant = " ".join(f"{sign} {SHORT[name]}" for name, sign in [*SIGNS.items()][:4])
        rows = [(each, f" {meant} ") for each in (title, f" {len(scene.listed)} ")] + rows
    for row, end in rows:
        start: Row = (("─", "axis"), (row, "focus" if focused else "label"))
        gap = scene.width - length(start) - cells(end) - 1
        if gap > 0:
            break
    return (*start, ("─" * gap, "axis"), (end, "muted"), ("─", "axis")) if gap > 0 else start


def list_rows(scene: Scene, top: int, width: int, height: int) -> Sequence[Row]:
    """Return a row for each claim that is listed, from one on."""
    if not scene.listed:
        return message("No claim is like that: tab and del list all again", width, height)
    return [_row(scene, each, width) for each in scene.listed[top : top + height]]


def _start(scene: Scene, claim: Claim, role: str, width: int) -> Row:
    """Return what stands before a claim: its id and its verdict, in as many cells for each."""
    found = scene.finding if claim.id == scene.settings.claim else scene.findings.get(claim.id)
    verdict: str = found.verdict if found else "…"
    if width < ROOMY:
        verdict = f"{SIGNS.get(verdict, verdict)} " if width < NARROW else SHORT.get(verdict, "…")
    room = max(map(len, VERDICTS)) + 1 if width >= ROOMY else 6 if width >= NARROW else 2
    pointer = POINTER if role == "focus" else " "
    strong = role if role == "focus" else "strong"
    return (pointer, "cursor"), (f"{claim.id:<{_ID}}", role), (f"{verdict:<{room}}", strong)


def _row(scene: Scene, claim: Claim, width: int) -> Row:
    role = "focus" if claim.id == scene.settings.claim else "text"
    row = fitted((*_start(scene, claim, role, width), (claim.says, role)), width)
    *rest, (last, _) = row
    return (*rest, (last, role if last.isspace() else row[-1][1]))


def is_cut(scene: Scene, claim: Claim, width: int) -> bool:
    """Return whether a claim has no room in its line of the list."""
    return length(_start(scene, claim, "text", width)) + cells(claim.says) > width


def top_row(scene: Scene, top: int, height: int) -> int:
    """Return from which claim on they are in sight, so that the one that is asked is."""
    ids = [each.id for each in scene.listed]
    top = max(min(top, len(ids) - height), 0)
    if scene.settings.claim in ids:
        at = ids.index(scene.settings.claim)
        top = min(max(top, at - height + 1), at)
    return top


def tabs(scene: Scene, focused: bool) -> list[Item]:
    """Return the tabs, that of the list too on a narrow screen."""
    narrow = scene.narrow
    titles = titles_of(TABS, narrow)
    return tab_items(titles, scene.present, focused, [], scene.width, "" if narrow else " ")


def chart_rows(scene: Scene, width: int, height: int) -> Sequence[Row]:
    """Return what is right with the numbers that decide, or the picture."""
    finding = scene.finding
    if finding is None:
        waiting = " It is tried …" if scene.job.running else " It was not tried: space tries it"
        return message(waiting, width, height)
    if scene.view.chart == "picture":
        rows = picture(finding, max(width - 2, 10), height)
        return [((" ", "text"), *row) for row in rows]
    claim, alone = finding.claim, scene.narrow
    rows = sheet(
        finding, max(width - 2, 10), alone or is_cut(scene, claim, scene.width),
        "" if alone else scene.headline.full,
    )  # fmt: skip
    top = min(scene.view.top, max(len(rows) - height, 0))
    return [((" ", "text"), *row) for row in rows[top : top + height]]
