"""A sweep as strict JSON of full precision; ``docs/json.md`` explains each field."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.sweep.answer import Answer, Boundary
from attn_tui.compute.sweep.crossing import crossings
from attn_tui.compute.sweep.crossover import Crossover
from attn_tui.compute.sweep.curves import Curve
from attn_tui.compute.sweep.points import Point, Ratio
from attn_tui.compute.sweep.settings import STATISTICS, Statistic
from attn_tui.compute.sweep.summary import Summary
from attn_tui.files.codec import SCHEMA, experiment_to_plain
from attn_tui.files.plain import json_text, plain_number
from attn_tui.report.sweep.headline import headline
from attn_tui.report.sweep.names import formula, others


def render(answer: Answer, statistics: Sequence[Statistic] = ()) -> Iterator[str]:
    """Yield the text of a sweep, piece by piece.

    Args:
        answer: What to write.
        statistics: Which to write; all unless given.
    """
    chosen = tuple(statistics) or STATISTICS
    yield from json_text(
        {
            "schema": SCHEMA,
            "experiment": experiment_to_plain(answer.experiment),
            "headline": headline(answer, answer.settings.statistic).as_plain(),
            "generator": answer.generator,
            "progress": answer.progress,
            "rules": [{"rule": rule, "formula": formula(rule)} for rule in answer.rules],
            "points": [_point(answer, point, chosen) for point in answer.points],
            "curves": [_curve(curve, answer) for curve in answer.curves],
            "condensation": [
                {"rule": each.rule, "n": each.n, "d_k": each.d_k, "where": each.where}
                for each in answer.condensation
            ],
            "boundary": [
                _boundary(rule, name, each)
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
            "crossovers": [_crossover(found) for found in answer.crossovers],
        }
    )


def render_crossovers(experiment: Experiment, crossovers: Sequence[Crossover]) -> Iterator[str]:
    """Yield the text of crossovers alone."""
    yield from json_text(
        {
            "schema": SCHEMA,
            "experiment": experiment_to_plain(experiment),
            "points": [],
            "crossovers": [_crossover(found) for found in crossovers],
        }
    )


def _point(answer: Answer, point: Point, chosen: Sequence[Statistic]) -> dict[str, Any]:
    return {
        "n": point.n,
        "d_k": point.d_k,
        "rule": point.rule,
        "multiplier": point.multiplier,
        "draws": point.draws,
        **{name: _statistic(answer, point, name) for name in chosen},
    }


def _statistic(answer: Answer, point: Point, name: Statistic) -> dict[str, Any]:
    summary, exact = point.statistics[name], point.exact(name)
    return {
        "mean": {
            **_number(summary.mean, summary.mean_standard_error, exact.mean),
            "log": plain_number(summary.log_mean),
        },
        "median": {
            **_number(summary.median, summary.median_standard_error, exact.median),
            **_ends(summary),
        },
        "tenth": plain_number(summary.low),
        "ninetieth": plain_number(summary.high),
        "quarter": plain_number(summary.quarter),
        "three_quarters": plain_number(summary.three_quarters),
        "ratio": _ratio(answer.points.ratio(point.n, point.d_k, point.rule, name)),
    }


def _ratio(found: Ratio | None) -> dict[str, Any] | None:
    """Return the unscaled over this, as natural logarithms; None where it is not known."""
    if found is None:
        return None
    return {
        "log_mean": plain_number(found.log_mean),
        "log_mean_error": plain_number(found.log_mean_error),
        "log_median": plain_number(found.log_median),
        "log_median_error": plain_number(found.log_median_error),
    }


def _boundary(rule: str, statistic: Statistic, found: Boundary) -> dict[str, Any]:
    return {
        "n": found.n,
        "readout": statistic,
        "rule": rule,
        "d_k": found.d_k,
        "low": found.low,
        "high": found.high,
    }


def _ends(summary: Summary) -> dict[str, float | str]:
    return {
        "low": plain_number(summary.median_low),
        "high": plain_number(summary.median_high),
        "log": plain_number(summary.log_median),
    }


def _number(value: float, error: float, exact: float | None) -> dict[str, float | str | None]:
    return {
        "value": plain_number(value),
        "standard_error": plain_number(error),
        "exact": None if exact is None else plain_number(exact),
    }


def _curve(curve: Curve, answer: Answer) -> dict[str, Any]:
    return {
        "statistic": answer.settings.statistic,
        "rule": curve.rule,
        "kind": curve.kind,
        "of": curve.of,
        "formula": curve.formula,
        "condition": curve.condition,
        "places": [
            {"n": n, "d_k": d_k, "value": None if value is None else plain_number(value)}
            for (n, d_k), value in zip(curve.places, curve.values, strict=True)
        ],
    }


def _crossover(found: Crossover) -> dict[str, Any]:
    return {
        "n": found.n,
        "readout": found.readout,
        "rule": found.rule,
        "d_k": found.d_k,
        "low": found.low,
        "high": found.high,
        "low_open": found.low_open,
        "high_open": found.high_open,
        "side": found.side,
        "divides_from": found.divides_from,
        "draws": found.draws,
        "finished": found.finished,
        "seed": found.seed,
        "generator": found.generator,
    }
