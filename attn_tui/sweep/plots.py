"""The pictures of Sweep below its report."""

from collections.abc import Iterator

from attn_tui.compute.sweep.answer import Answer
from attn_tui.console.plotting import Plot
from attn_tui.sweep.charts import Grid, medians
from attn_tui.sweep.headline import noun
from attn_tui.sweep.names import doing


def plots(answer: Answer) -> Iterator[Plot]:
    """Yield the map of what the rule does, or the medians over what is swept."""
    settings = answer.settings
    what = noun(settings.statistic)
    if settings.view == "map":
        yield Plot(f"What {doing(answer.rule)} does to the {what}", Grid(answer).heat_map(answer))
        return
    n, d_k = answer.nearest
    over_n = settings.over == "n"
    title = f"over n, d_k {d_k:,}" if over_n else f"over d_k, {n:,} keys"
    yield Plot(f"{what.capitalize()} {title}", medians(answer, over_n))
