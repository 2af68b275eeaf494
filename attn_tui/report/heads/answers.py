"""What Heads shows as text, JSON and CSV: every statistic, the one that is looked at first."""

from collections.abc import Callable, Iterator

from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.answer import Answer
from attn_tui.engine.settings import Settings
from attn_tui.report.heads import compare, csv, json, text

Render = Callable[..., Iterator[str]]


def _rendered(answer: Answer, alone: Render, compared: Render) -> Iterator[str]:
    settings = answer.experiment.setup.get(Settings)
    names = tuple(dict.fromkeys((settings.statistic, *STATISTICS)))
    if answer.other is None or answer.comparison is None:
        return alone(answer.survey, names, tau=settings.tau)
    known = answer.other.partials, answer.table.partials
    return compared(answer.comparison, known, names, settings.tau)


def render_text(answer: Answer) -> Iterator[str]:
    """Yield a report of a capture, or of two that are compared."""
    return _rendered(answer, text.render, compare.render_text)


def render_json(answer: Answer) -> Iterator[str]:
    """Yield JSON."""
    return _rendered(answer, json.render, compare.render_json)


def render_csv(answer: Answer) -> Iterator[str]:
    """Yield CSV."""
    return _rendered(answer, csv.render, compare.render_csv)
