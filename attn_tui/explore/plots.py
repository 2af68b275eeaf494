"""The pictures of Explore below its report."""

from collections.abc import Iterator

from attn_tui.compute.explore.answer import Answer
from attn_tui.compute.text import visible
from attn_tui.console.plotting import Plot
from attn_tui.explore.answer import answer as shown
from attn_tui.explore.curves import gradient_figure, weights_figure


def plots(answer: Answer) -> Iterator[Plot]:
    """Yield weights and gradient of the first vector over d_k."""
    *_, vector = shown(answer.experiment, 0)
    name = visible(answer.vectors[0].vector.name)
    title = f" of {name}" if len(answer.vectors) > 1 else ""
    yield Plot(f"Weights over d_k{title}", weights_figure(vector))
    yield Plot(f"Gradient over d_k{title}: ‖∂p/∂s‖", gradient_figure(vector))
