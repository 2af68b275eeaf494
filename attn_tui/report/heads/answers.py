"""What Heads shows as text, JSON and CSV: every statistic, the one that is looked at first."""

from collections.abc import Callable, Iterator

from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.answer import Answer
from attn_tui.engine.settings import Settings
from attn_tui.report.heads import compare, csv, json, text
from attn_tui.report.heads.shown import Shown

Render = Callable[..., Iterator[str]]


def _rendered(answer: Answer, alone: Render, compared: Render) -> Iterator[str]:
    settings = answer.experiment.setup.get(Settings)
    names = tuple(dict.fromkeys((settings.statistic, *STATISTICS)))
    shown = Shown(names, tau=settings.tau)
    if answer.other is None or answer.comparison is None:
        return alone(answer.survey, shown)
    return compared(answer.comparison, (answer.other.partials, answer.table.partials), shown)


def render_text(answer: Answer) -> Iterator[str]:
    """Yield a report of a capture, or of two that are compared."""
    return _rendered(answer, text.render, compare.render_text)


def render_json(answer: Answer) -> Iterator[str]:
    """Yield JSON."""
    return _rendered(answer, json.render, compare.render_json)


def render_csv(answer: Answer) -> Iterator[str]:
    """Yield CSV."""
    return _rendered(answer, csv.render, compare.render_csv)
