"""What Heads shows as text, JSON and CSV: every statistic, the one that is looked at first."""

from collections.abc import Callable, Iterator

from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.answer import Answer
from attn_tui.engine.settings import Settings
from attn_tui.report.heads import csv, json, text


def _render(render: Callable[..., Iterator[str]], answer: Answer) -> Iterator[str]:
    settings = answer.experiment.setup.get(Settings)
    names = tuple(dict.fromkeys((settings.statistic, *STATISTICS)))
    return render(answer.survey, names, tau=settings.tau)


def render_text(answer: Answer) -> Iterator[str]:
    """Yield a report."""
    return _render(text.render, answer)


def render_json(answer: Answer) -> Iterator[str]:
    """Yield JSON."""
    return _render(json.render, answer)


def render_csv(answer: Answer) -> Iterator[str]:
    """Yield CSV."""
    return _render(csv.render, answer)
