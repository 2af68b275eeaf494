"""What the tour says above the key bar, as rows, and what a click on them does."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_tui.charts.glyphs import POINTER
from attn_tui.old.tui.widgets.canvas import Target
from attn_tui.report.headline import wrapped
from attn_tui.report.rows import Row, cells
from attn_tui.tour.step import Guess, Progress, Step, score, verdict

_GAP = "   "


@dataclass(frozen=True)
class Panel:
    """What is said, and where a click does something.

    Attributes:
        rows: In their order.
        targets: A row, its columns from the first to behind the last, and what a click does there.
    """

    rows: tuple[Row, ...] = ()
    targets: tuple[tuple[int, range, Target], ...] = ()

    def target_at(self, x: int, y: int) -> Target | None:
        """Return what a click on a cell does, if anything."""
        found = (target for row, columns, target in self.targets if row == y and x in columns)
        return next(found, None)


def panel(progress: Progress, away: bool, width: int, low: bool = False) -> Panel:
    """Return what is said now.

    Args:
        progress: How far somebody is.
        away: Whether something else is asked than the step is about.
        width: Cells.
        low: Whether every line counts.
    """
    place = f"Tour {progress.at + 1} of {len(progress.tour.steps)}"
    if low:
        place = f"{progress.at + 1}/{len(progress.tour.steps)}"
    if away:
        return _told(place, "", "esc goes back to it.", "back", width)
    step = progress.step
    if progress.phase == "guess" and step.guess:
        return _asked(place, step.guess, progress.cursor, width)
    told = progress.brief_verdict if low else progress.verdict
    if progress.phase == "done":
        goal = "what you have seen" if progress.is_last else "the next step"
        learnt = f"{told} {step.learnt}".strip() if low else step.learnt
        return _told(place, learnt, f"{POINTER} enter: {goal}", "next", width)
    if low:
        return _told(place, "", f"{told} {step.task}".strip(), "", width)
    return _told(place, told or step.says, step.task, "", width)


def _said(place: str, text: str, role: str, width: int) -> list[Row]:
    """Return a text behind what it belongs to."""
    head = f"{place} · "
    first, *rest = wrapped(head + text, width - 2)
    lines: list[Row] = [((f" {head}", "muted"), (first.removeprefix(head), role))]
    return [*lines, *(((f" {line}", role),) for line in rest)]


def _told(place: str, said: str, last: str, verb: str, width: int) -> Panel:
    """Return what is said, and in a line of its own what there is to do, which a click does."""
    rows = _said(place, said, "text", width) if said else []
    own = [((f" {line}", "strong"),) for line in wrapped(last, width - 2)]
    rows += own if said else _said(place, last, "strong", width)
    if not verb:
        return Panel(tuple(rows))
    lines = range(len(rows) - len(own), len(rows)) if said else range(len(rows))
    target = Target(f"app.tour('{verb}')", "Go on" if verb == "next" else "Go back to the tour")
    return Panel(tuple(rows), tuple((line, range(width), target) for line in lines))


def _asked(place: str, guess: Guess, cursor: int, width: int) -> Panel:
    """Return a question and its answers, side by side where they have room."""
    rows = _said(place, guess.question, "strong", width)
    texts = [f"{POINTER if at == cursor else ' '} {text} " for at, text in enumerate(guess.answers)]
    beside = sum(map(cells, texts)) + cells(_GAP) * (len(texts) - 1) + 1 <= width
    lines: list[list[tuple[str, str]]] = [[]]
    targets = []
    for at, text in enumerate(texts):
        if at and not beside:
            lines.append([])
        line = lines[-1]
        line.append((_GAP if line else " ", "text"))
        left = sum(cells(part) for part, _ in line)
        columns = range(left, left + cells(text))
        target = Target(f"app.tour('pick', {at})", "Guess so")
        targets.append((len(rows) + len(lines) - 1, columns, target))
        line.append((text, "focus" if at == cursor else "text"))
    return Panel((*rows, *map(tuple, lines)), tuple(targets))


def summary(progress: Progress) -> str:
    """Return what there was to see at every step, and how the guesses were."""
    right, made = score(progress)
    first = f"{right} of {made} guesses were right." if made else ""
    steps = zip(progress.tour.steps, progress.picks, strict=True)
    lines = (_summed(at, step, pick) for at, (step, pick) in enumerate(steps, 1))
    return "\n\n".join(filter(None, (first, *lines)))


def _summed(at: int, step: Step, pick: int | None) -> str:
    lines: Sequence[str] = (step.guess.question, verdict(step, pick)) if step.guess else ()
    return " ".join(filter(None, (f"{at}.", *lines, step.learnt)))
