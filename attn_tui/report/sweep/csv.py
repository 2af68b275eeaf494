"""A sweep as CSV of full precision: one line for each place, rule and statistic."""

from collections.abc import Iterator, Sequence

from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossover import Crossover
from attn_tui.compute.sweep.points import Ratio
from attn_tui.compute.sweep.settings import STATISTICS, Statistic
from attn_tui.report.csv_text import csv_text

COLUMNS = (
    *("n", "d_k", "rule", "multiplier", "draws", "statistic"),
    *("mean", "mean_standard_error", "mean_exact"),
    *("median", "median_standard_error", "median_low", "median_high", "median_exact"),
    *("log_median", "tenth", "ninetieth"),
    *("log_ratio_of_means", "log_ratio_of_means_error"),
    *("log_ratio_of_medians", "log_ratio_of_medians_error", "log_mean"),
)
"""The names of the columns, which stand in the first line."""

CROSSOVER_COLUMNS = (
    *("n", "readout", "rule", "d_k", "low", "high", "side", "divides_from", "draws", "seed"),
    *("finished", "low_open", "high_open"),
)
"""Those of crossovers."""


def render(answer: Answer, statistics: Sequence[Statistic] = ()) -> Iterator[str]:
    """Yield the text of a sweep's points, piece by piece.

    Args:
        answer: What to write.
        statistics: Which to write; all unless given.
    """
    yield csv_text([COLUMNS])
    for point in answer.points:
        rows = []
        for name in tuple(statistics) or STATISTICS:
            one, exact = point.statistics[name], point.exact(name)
            numbers = (
                *(one.mean, one.mean_standard_error, exact.mean),
                *(one.median, one.median_standard_error, one.median_low, one.median_high),
                *(exact.median, one.log_median, one.low, one.high),
                *_ratios(answer.points.ratio(point.n, point.d_k, point.rule, name)),
                one.log_mean,
            )
            place = (point.n, point.d_k, point.rule, point.multiplier, point.draws)
            rows.append((*place, name, *numbers))
        yield csv_text(rows)


def _ratios(found: Ratio | None) -> tuple[float | None, ...]:
    """Return what the last columns say: the unscaled over this, with its standard error."""
    if found is None:
        return (None,) * 4
    means, medians = (found.log_mean, found.log_mean_error), (found.log_median,)
    return (*means, *medians, found.log_median_error)


def render_crossovers(crossovers: Sequence[Crossover]) -> Iterator[str]:
    """Yield the text of crossovers; where there is none its three numbers are empty."""
    yield csv_text([CROSSOVER_COLUMNS])
    yield csv_text([getattr(found, name) for name in CROSSOVER_COLUMNS] for found in crossovers)
