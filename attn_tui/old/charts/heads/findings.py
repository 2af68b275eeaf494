"""What the doctor says: of one head what was found and expected, and of each head a line."""

from collections.abc import Sequence
from itertools import takewhile

from attn_tui.charts.glyphs import POINTER
from attn_tui.doctor.report import Finding
from attn_tui.report.doctor.text import LABEL, evidence
from attn_tui.report.heads.values import head_text
from attn_tui.report.rows import Row, filled, fitted

_GAP = 2
_ROLES = {"differs": "error", "cannot tell": "strong"}
_LISTED = 4
"""Lines that a list of heads has at least, of which one is for its titles."""

_LOW, _HIGH = 12, 24
"""Fewer lines have room for numbers only; and so many for what they are called elsewhere."""

_M, _INTERVAL, _CAP, _SINK, _MASK, _RESIDUAL, _ROUNDING = range(3, 10)
_LEAST = (_INTERVAL, _ROUNDING, _RESIDUAL, _SINK, _CAP, _MASK, _M)
_DROPPED = (
    (), (_ROUNDING,), (_ROUNDING, _RESIDUAL), *(_LEAST[:count] for count in range(1, 8))
)  # fmt: skip
"""Columns that are left out where there is less and less room."""

_FEWEST, _WIDEST = 36, 100
"""Columns of what is said of one head, at least and at most."""


def finding_rows(
    findings: Sequence[Finding],
    titles: Sequence[str],
    lines: Sequence[Sequence[str]],
    place: int,
    width: int,
    height: int,
    batches: int = 1,
) -> Sequence[Row]:
    """Draw what was found of one head, and below it a list of heads about it.

    Args:
        findings: What is said of each head, at least one.
        titles: The names of the columns.
        lines: A text for each column, of each head; the third is its verdict.
        place: The line with the cursor.
        width: Cells of every row returned.
        height: Number of rows returned.
        batches: How many sequences there are.
    """
    least = _LISTED if height >= _LOW else _LISTED - 1
    listed = min(len(lines) + 1, least) if len(lines) > 1 else 0
    said = _said(findings[place], width, height, batches)[: max(height - listed, 1)]
    rows = [*said, *[fitted((), width)] * (height - listed > len(said))]
    if listed:
        rows += _list(titles, lines, place, width, height - len(rows))
    return filled(rows, width, height)


def _said(finding: Finding, width: int, height: int, batches: int) -> list[Row]:
    """Return what was found of a head, beside what was expected."""
    verdict, expected = finding.judgement.verdict, finding.expected
    lines = "".join(evidence(finding, min(max(width - 2, _FEWEST), _WIDEST))).splitlines()
    titled = lines[0].split()[:1] == ["found"]
    rows: list[Row] = []
    if height < _LOW and titled:
        short = f"L{finding.id.layer} H{finding.id.head}"
        lines[0] = f"{short:{LABEL}}{lines[0][LABEL:]}"
    else:
        place = head_text(finding.id, batches).capitalize()
        rows.append(((f" {place}: ", "strong"), (verdict, _ROLES.get(verdict, "strong"))))
    if height < _HIGH:
        lines = [*takewhile(lambda line: not line.startswith("elsewhere"), lines)]
    for at, text in enumerate(lines):
        role = "error" if "≠" in text else "label" if titled and not at else "text"
        rows.append(((f" {text[:LABEL]}", "label"), (text[LABEL:], role)))
    source = expected.source if expected else "nothing; name a config.json in the settings"
    rows.append(((f" {'expected by':{LABEL}}", "label"), (source, "text")))
    return [fitted(row, width) for row in rows]


def _list(
    titles: Sequence[str], lines: Sequence[Sequence[str]], place: int, width: int, height: int
) -> list[Row]:
    widths = [max(map(len, column)) for column in zip(titles, *lines, strict=True)]
    columns = _fitting(titles, widths, width - 1)
    rows = [fitted(((" ", "label"), *_cells(titles, widths, columns, "label")), width)]
    room = height - 1
    top = min(max(place - room // 2, 0), max(len(lines) - room, 0))
    for at in range(top, min(top + max(room, 0), len(lines))):
        here, own = at == place, _ROLES.get(lines[at][2], "text")
        cells = _cells(lines[at], widths, columns, "focus" if here else own)
        rows.append(fitted(((POINTER if here else " ", "cursor"), *cells), width))
    return rows


def _fitting(titles: Sequence[str], widths: Sequence[int], width: int) -> list[int]:
    """Return the columns there is room for: what is least needed is left out first."""
    every = range(len(titles))
    for dropped in _DROPPED:
        kept = [at for at in every if at not in dropped]
        if sum(widths[at] + _GAP for at in kept) <= width:
            break
    return kept


def _cells(
    texts: Sequence[str], widths: Sequence[int], columns: Sequence[int], role: str
) -> list[tuple[str, str]]:
    left = {2, _M, _INTERVAL, _CAP, _SINK, _MASK, _ROUNDING}
    return [
        ((f"{texts[at]:<{widths[at]}}" if at in left else f"{texts[at]:>{widths[at]}}"), role)
        if index == len(columns) - 1
        else (
            (f"{texts[at]:<{widths[at]}}" if at in left else f"{texts[at]:>{widths[at]}}")
            + " " * _GAP,
            role,
        )
        for index, at in enumerate(columns)
    ]
