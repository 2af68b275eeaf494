"""The pictures of Sweep below its report."""

from collections.abc import Iterator

from attn_tui.compute.scale import NONE
from attn_tui.compute.sweep.answer import Answer
from attn_tui.console.plotting import Plot
from attn_tui.sweep.charts import Grid, medians
from attn_tui.sweep.headline import noun
from attn_tui.sweep.names import doing


def plots(answer: Answer) -> Iterator[Plot]:
    """Yield the map of what each rule does, or the medians over what is swept."""
    settings = answer.settings
    place = settings.n, answer.experiment.setup.d_k
    what = noun(settings.statistic)
    if settings.view == "map":
        for rule in answer.rules:
            if rule != NONE:
                drawing = Grid(answer, rule).heat_map(answer, answer.points.nearest(place))
                yield Plot(f"What {doing(rule)} does to the {what}", drawing)
        return
    n, d_k = answer.points.nearest(place)
    over_n = settings.over == "n"
    title = f"over n, d_k {d_k:,}" if over_n else f"over d_k, {n:,} keys"
    yield Plot(f"{what.capitalize()} {title}", medians(answer, place, over_n))
