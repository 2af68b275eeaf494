"""The picture of Heads below its report."""

from collections.abc import Iterator

from attn_tui.console.plotting import Plot
from attn_tui.engine.survey import Survey
from attn_tui.heads.charts import head_map, title_of


def plots(survey: Survey, statistic: str) -> Iterator[Plot]:
    """Yield the map of a statistic over layers and heads, for each sequence."""
    heads = survey.plan.heads
    for batch in dict.fromkeys(head.batch for head in heads):
        first = next(head for head in heads if head.batch == batch)
        of = f", sequence {batch}" if survey.plan.n_batches > 1 else ""
        title = f"{title_of(statistic)}, layers down and heads across{of}"
        yield Plot(title, head_map(survey, statistic, first))
