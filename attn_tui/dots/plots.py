"""The pictures of Dot products below its report."""

from collections.abc import Iterator

from attn_tui.compute.dots.answer import Answer
from attn_tui.console.plotting import Plot
from attn_tui.dots.charts import Bells, names_of, spread_figure


def plots(answer: Answer) -> Iterator[Plot]:
    """Yield the bells, and the standard deviation over d_k."""
    names = names_of(answer.experiment.setup.scale)
    title = f"How {names[0]} and {names[1]} are distributed at d_k {answer.law.d_k:,}"
    yield Plot(f"{title} (axis linear to ±1, logarithmic beyond)", Bells(answer, names))
    yield Plot("σ over d_k, both axes logarithmic", spread_figure(answer, answer.law.d_k, names))
