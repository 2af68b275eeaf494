"""A sweep as strict JSON of full precision; ``docs/json.md`` explains each field."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from operator import length_hint
from typing import Any

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.number import Number
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossing import crossings
from attn_tui.compute.sweep.crossover import Crossover
from attn_tui.compute.sweep.curves import Curve
from attn_tui.compute.sweep.points import Point
from attn_tui.compute.sweep.settings import STATISTICS, Statistic
from attn_tui.files.codec import experiment_to_plain, report_text
from attn_tui.files.plain import named
from attn_tui.report.export import Pieces
from attn_tui.old.report.sweep.headline import headline
from attn_tui.sweep.names import formula, others

_POINT = ("n", "d_k", "rule", "multiplier", "draws")
_CROSSOVER = (
    *("n", "readout", "rule", "d_k", "low", "high", "low_open", "high_open", "side"),
    *("divides_from", "draws", "finished", "seed", "generator"),
)


def render(answer: Answer, statistics: Sequence[Statistic] = ()) -> Pieces:
    """Return the text of a sweep, piece by piece.

    Args:
        answer: What to write.
        statistics: Which to write; all unless given.
    """
    chosen = tuple(statistics) or STATISTICS
    left = iter(answer.points)
    text = report_text(
        {
            "experiment": experiment_to_plain(answer.experiment),
            "headline": headline(answer, answer.settings.statistic),
            "generator": answer.generator,
            "progress": answer.progress,
            "rules": [{"rule": rule, "formula": formula(rule)} for rule in answer.rules],
            # What is exact is computed as it is written.
            "points": (_point(answer, point, chosen) for point in left),
            "curves": [_curve(curve, answer) for curve in answer.curves],
            "condensation": answer.condensation,
            "boundary": [
                {"n": each.n, "readout": name, "rule": rule, **asdict(each)}
                for name in (chosen if answer.settings.view == "map" else ())
                for rule in others(answer.rules)
                for each in answer.boundary(rule, name)
            ],
            "crossings": [
                {"d_k": answer.points.d_ks[0], "readout": name, "rule": rule, **asdict(each)}
                for name in (chosen if len(answer.points.d_ks) == 1 else ())
                for rule in others(answer.rules)
                for each in crossings(answer.points, rule, name)
            ],
            "crossovers": [named(found, _CROSSOVER) for found in answer.crossovers],
        }
    )
    return Pieces(text, lambda: 1.0 - length_hint(left) / max(len(answer.points), 1))


def render_crossovers(experiment: Experiment, crossovers: Sequence[Crossover]) -> Iterator[str]:
    """Yield the text of crossovers alone."""
    yield from report_text(
        {
            "experiment": experiment_to_plain(experiment),
            "points": [],
            "crossovers": [named(found, _CROSSOVER) for found in crossovers],
        }
    )


def _point(answer: Answer, point: Point, chosen: Sequence[Statistic]) -> dict[str, Any]:
    return named(point, _POINT) | {name: _statistic(answer, point, name) for name in chosen}


def _statistic(answer: Answer, point: Point, name: Statistic) -> dict[str, Any]:
    summary, exact = point.statistics[name], point.exact(name)
    return {
        "mean": {
            **asdict(Number(summary.mean, summary.mean_standard_error, exact.mean)),
            "log": summary.log_mean,
        },
        "median": {
            **asdict(Number(summary.median, summary.median_standard_error, exact.median)),
            "low": summary.median_low,
            "high": summary.median_high,
            "log": summary.log_median,
        },
        "tenth": summary.low,
        "ninetieth": summary.high,
        **named(summary, ("quarter", "three_quarters")),
        "ratio": answer.points.ratio(point.n, point.d_k, point.rule, name),
    }


def _curve(curve: Curve, answer: Answer) -> dict[str, Any]:
    return {
        "statistic": answer.settings.statistic,
        **named(curve, ("rule", "kind", "of", "formula", "condition")),
        "places": [
            {"n": n, "d_k": d_k, "value": value}
            for (n, d_k), value in zip(curve.places, curve.values, strict=True)
        ],
    }
