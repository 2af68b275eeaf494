"""The report of Sweep: statistics of drawn vectors at every place, and where medians cross."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from attn_tui.compute.log_scale import D_K
from attn_tui.compute.numbers import factor, general, percent, progress, quantity
from attn_tui.compute.sample import Number
from attn_tui.compute.scale import NONE, Scale
from attn_tui.compute.setup import UNIT_SPREAD
from attn_tui.compute.sweep.answer import Answer
from attn_tui.compute.sweep.crossover import Crossing, crossings, divides_from
from attn_tui.compute.sweep.points import Place, Point, Summary
from attn_tui.compute.sweep.readouts import READOUTS
from attn_tui.compute.sweep.settings import STATISTICS, SweepStatistic, draws_at
from attn_tui.files.codec import experiment_to_plain
from attn_tui.files.plain import named
from attn_tui.report.head import Labelled, about_model, not_applied
from attn_tui.report.origin import entries_law, lead_law, scores_law
from attn_tui.report.report import (
    Column,
    Fact,
    Facts,
    Report,
    ReportPart,
    Section,
    Table,
    data,
    listed,
    records,
)
from attn_tui.sweep.change import LogFactor
from attn_tui.sweep.headline import headline
from attn_tui.sweep.names import (
    crossing_text,
    name_of,
    others,
    quarters,
)

POINT = ("n", "d_k", "rule", "multiplier", "draws")
CONDENSATION = ("rule", "n", "d_k", "where")
CSV_CROSSOVER = (
    "n", "readout", "rule", "d_k", "low", "high", "side", "divides_from", "draws", "seed",
    "low_open", "high_open",
)  # fmt: skip

OF_SUMMARY = (
    "mean", "mean_standard_error", "median", "median_standard_error", "median_low", "median_high",
    "log_median", "log_mean",
)  # fmt: skip
"""The numbers of a summary that CSV has by the same names."""

CSV_POINT = (
    *POINT, "statistic", "mean", "mean_standard_error", "mean_exact", "median",
    "median_standard_error", "median_low", "median_high", "median_exact", "log_median", "tenth",
    "ninetieth", "log_ratio_of_means", "log_ratio_of_means_error", "log_ratio_of_medians",
    "log_ratio_of_medians_error", "log_mean", "equal_others",
)  # fmt: skip

FAR_BELOW = 100.0
"""If a median is smaller than the mean by this factor, a few draws carry the mean."""

ERRORS = "error: of the mean; from, to: the median's 95 % interval"
"""The legend of the columns of a table that need one."""

EQUAL = "if equal: {formula}, what key 0 has of equal others"
"""What the legend of the weight of key 0 adds."""

NUMBER, FACTOR = 8, 10
"""Widths in columns: of a statistic's number, and of a factor."""


def report(answer: Answer, statistics: Sequence[SweepStatistic] = ()) -> Report:
    """Return the report on the draws so far.

    Args:
        answer: The draws.
        statistics: The statistics to report. By default the text has that of the settings, and
            JSON and CSV have all.
    """
    chosen = tuple(statistics) or (answer.settings.statistic,)
    every = tuple(statistics) or STATISTICS
    parts: list[ReportPart] = [
        data(_data(answer, every)),
        Facts([Fact(label, (text,)) for label, text in _asked(answer)]),
        *(_section(answer, statistic) for statistic in chosen),
        *_carried_by_few(answer, chosen),
        *crossover_parts(answer),
        _numbers(answer, every),
    ]
    return Report("", parts, headline=headline(answer), csv="points")


def crossover_report(answer: Answer) -> Report:
    """Return a report on the crossovers of an answer alone."""
    rows = [*_crossovers(answer)]
    stopped = [] if rows else ["Stopped before a crossover was found."]
    entry = {"experiment": experiment_to_plain(answer.experiment), "points": [], "crossovers": rows}
    table = records(rows, CSV_CROSSOVER, dict, "crossovers")
    return Report("", [data(entry), *stopped, *crossover_parts(answer), table], csv="crossovers")


def _crossovers(answer: Answer) -> Iterator[dict[str, Any]]:
    """Yield the crossings along d_k as JSON has them: open intervals end with the range."""
    for (n, readout, scale), crossing in answer.crossovers.items():
        least, has_place = divides_from(scale, n), crossing.at is not None
        low_open, high_open = (has_place and end is None for end in (crossing.low, crossing.high))
        yield {
            "n": n,
            "readout": readout,
            "rule": scale.text,
            "d_k": crossing.at,
            "low": float(least or 0) if low_open else crossing.low,
            "high": float(D_K.maximum) if high_open else crossing.high,
            "low_open": low_open,
            "high_open": high_open,
            "side": "crosses" if has_place else crossing.direction,
            "divides_from": least,
            "draws": draws_at(answer.settings, n),
            "seed": answer.settings.seed,
            "generator": answer.generator,
        }


def crossover_parts(answer: Answer) -> Iterator[ReportPart]:
    """Yield an explanation and a table of the crossings along d_k, if there are any."""
    crossovers, settings = answer.crossovers, answer.settings
    if not crossovers:
        return
    counts = sorted({draws_at(settings, n) for n, _, _ in crossovers})
    draws = " or ".join(f"{count:,}" for count in counts)
    yield (
        "Crossovers d*: below this d_k, from 2 or where the rule begins to divide (m < 1), the "
        "median over draws is larger without the rule, above it is smaller. In brackets its 95 % "
        "interval, with ≤ or ≥ alone where it may go beyond what is looked at, by bootstrap over "
        f"{draws} coupled draws, seed {settings.seed} "
        f"({answer.generator}); the mean may do otherwise."
    )
    texts = [
        crossing_text(crossing, divides_from(scale, n) or 2)
        for (n, _, scale), crossing in crossovers.items()
    ]
    columns = [
        Column("n", listed(n for n, _, _ in crossovers)),
        Column(
            "readout", texts=listed(READOUTS[name].symbol for _, name, _ in crossovers), left=True
        ),
        Column("rule removed", texts=listed(scale.text for _, _, scale in crossovers), left=True),
        Column("d* [95 % interval]", texts=listed(texts), left=True),
    ]
    yield Table(columns, np.arange(len(crossovers)))


def _asked(answer: Answer) -> Iterator[Labelled]:
    """Yield the lines that state the question, each with its label."""
    settings, setup = answer.settings, answer.experiment.setup
    most = settings.map_points if settings.swept == "map" else settings.points
    ns = _from_to(settings.n_range, len(answer.points.ns), most)
    d_ks = _from_to(settings.d_k_range, len(answer.points.d_ks), most)
    law = "s = d_k·g/√(g² + χ²), |s| ≤ d_k, of q and k divided by their root mean square"
    plain = f"given q, scores are independent {scores_law(setup.sigmas)}"
    if setup.sigmas != UNIT_SPREAD:
        plain += f", where {entries_law(setup.sigmas).removesuffix(',')}"
    law, plain = law + lead_law(setup), plain + lead_law(setup)
    if setup.scale.bare in answer.rules:
        yield from about_model(setup)
    yield "sweep", f"drawn vectors: {law if setup.scale.qk_norm else plain}"
    normalised = [rule for rule in answer.rules if rule.normalises]
    if normalised and not setup.scale.qk_norm:
        yield "", f"{', '.join(rule.text for rule in normalised)}: {law}; ∂L/∂q is not known"
    yield "n", f"{settings.n:,}" if settings.swept == "d_k" else ns
    yield "d_k", f"{setup.d_k:,}" if settings.swept == "n" else d_ks
    yield "rules", "; ".join(f"{rule.text}: m = {rule.formula}" for rule in answer.rules)
    sink = setup.scale.sink
    if sink is not None and answer.settings.statistic == "lead_weight":
        yield "", f"sink b = {general(sink)}, which counts in the weight of key 0 alone"
    if text := not_applied(unapplied_scale(answer), but_qk_norm=True):
        yield "", text
    is_complete = answer.progress == 1.0
    yield "drawn" if is_complete else "asked", _drawn(answer)
    if not is_complete:
        fewest = min((point.draws for point in answer.points), default=0)
        yield (
            "stopped",
            f"at {progress(answer.progress)} of the work; {fewest:,} draws at each place",
        )


def unapplied_scale(answer: Answer) -> Scale:
    """Return the scale without a sink if that counts here, as in the weight of key 0 alone."""
    scale = answer.experiment.setup.scale
    return replace(scale, sink=None) if answer.settings.statistic == "lead_weight" else scale


def _from_to(ends: tuple[int, ...], count: int, most: int) -> str:
    low, high = ends
    return f"{low:,} to {high:,}, {count} of at most {most}" if low < high else f"{low:,}"


def _drawn(answer: Answer) -> str:
    """Return how many vectors are drawn at which places, with seed and generator."""
    settings, ns = answer.settings, answer.points.ns or (answer.settings.n,)
    counts = {n: draws_at(settings, n) for n in ns}
    if any(point.qk_norm for point in answer.points):
        counts = {point.n: point.draws for point in answer.points} or counts
    source = f"seed {settings.seed} ({answer.generator})"
    few, many = min(counts.values()), max(counts.values())
    if few == many:
        return f"{few:,} vectors at each place, {source}"
    most = max(n for n, count in counts.items() if count == many)
    return f"{many:,} vectors at each place up to {most:,} keys, {few:,} beyond, {source}"


def _section(answer: Answer, statistic: SweepStatistic) -> Section:
    """Return the tables of a statistic: one for each rule, and those of ratios if wanted."""
    name = READOUTS[statistic]
    legend = ERRORS
    if statistic == "lead_weight":
        has_sink = answer.experiment.setup.scale.sink is not None
        formula = "e^g/(e^g + n − 1 + e^b)" if has_sink else "e^g/(e^g + n − 1)"
        legend += f"; {EQUAL.format(formula=formula)}"
    parts: list[ReportPart] = [
        Table(
            [*_places(answer, answer.points.under(rule)),
             *_summaries(answer.points.under(rule), statistic)],
            np.arange(len(answer.points.under(rule))),
            f"{rule.text}, m = {rule.formula}; {legend}",
        )
        for rule in answer.rules
    ]  # fmt: skip
    if answer.settings.ratio:
        parts += _ratios(answer, statistic)
    return Section(f"{name.symbol}: {name.words}", parts)


def _places(answer: Answer, points: Sequence[Point]) -> Iterator[Column]:
    """Yield the n or the d_k of points as a column; for a map, both."""
    swept = answer.settings.swept
    for name in ("n", "d_k") if swept == "map" else (swept,):
        yield _place(name, points)


def _place(name: str, points: Iterable[Point]) -> Column:
    return Column(name, listed(getattr(point, name) for point in points), width=7, kind="muted")


def _summaries(points: Sequence[Point], statistic: SweepStatistic) -> Iterator[Column]:
    """Yield the columns of a statistic at points: mean and median, with errors and exact values."""
    exacts = [point.exact(statistic) for point in points]
    sampled = partial(_sampled, [point.statistics[statistic] for point in points])

    def exact_columns(values: Sequence[float | None]) -> Iterator[Column]:
        if any(value is not None for value in values):
            texts = ["–" if value is None else quantity(value, width=NUMBER) for value in values]
            yield Column("exact", texts=listed(texts), rank=2, width=NUMBER)

    yield sampled("mean", "mean")
    yield sampled("error", "mean_standard_error", rank=1)
    yield from exact_columns([exact.mean for exact in exacts])
    yield sampled("median", "median")
    yield sampled("from", "median_low", rank=3)
    yield sampled("to", "median_high", rank=3)
    yield from exact_columns([exact.median for exact in exacts])
    if statistic == "lead_weight":
        texts = [quantity(point.equal_others, width=NUMBER) for point in points]
        yield Column("if equal", texts=listed(texts), width=NUMBER)


def _sampled(summaries: Iterable[Summary], title: str, name: str, **more: Any) -> Column:
    """Return the column of one number of each summary, by its name there."""
    texts = [
        quantity(getattr(summary, name), getattr(summary, f"log_{name}"), width=NUMBER)
        for summary in summaries
    ]
    return Column(title, texts=listed(texts), width=NUMBER, **more)


def row_places(answer: Answer) -> list[Place]:
    """Return the places drawn along the curves through the current place, or the nearest drawn."""
    n, d_k = answer.points.nearest(answer.place)
    if answer.settings.swept == "n":
        return [place for place in answer.points.places if place[1] == d_k]
    return [place for place in answer.points.places if place[0] == n]


def row_table(answer: Answer, places: Sequence[Place]) -> Table:
    """Return the table of the medians at some places, under every rule side by side."""
    points, statistic = answer.points, answer.settings.statistic
    along = "n" if answer.settings.swept == "n" else "d_k"
    columns: list[Column] = []
    for rule in answer.rules:
        row = [point for place in places if (point := points.at(*place, rule))]
        columns = columns or [_place(along, row)]
        kind = "unscaled" if rule == NONE else "scaled"
        summaries = [point.statistics[statistic] for point in row]
        columns.append(_sampled(summaries, name_of(rule), "median", kind=kind))
        if rule != NONE:
            ratios = [points.ratio(*place, rule, statistic) for place in places]
            times = [LogFactor.of(ratio).times for ratio in ratios]
            columns.append(Column("which is", texts=listed(times), rank=1))
        halves = listed(map(quarters, summaries))
        columns.append(Column("middle half", texts=halves, kind="muted", rank=3))
        columns.append(_sampled(summaries, "mean", "mean", kind="muted", rank=2))
    return Table(columns, np.arange(len(places)))


def _ratios(answer: Answer, statistic: SweepStatistic) -> Iterator[Table]:
    """Yield tables of how many times larger a statistic is unscaled than under each rule.

    The error of a factor is given as a share of it.
    """

    def times(log_factor: float) -> str:
        return factor(log_factor, FACTOR) if isfinite(log_factor) else "–"

    def share(error: float) -> str:
        return percent(error, places=4) if isfinite(error) else "–"

    for rule in others(answer.rules):
        points = [*answer.points.under(rule)]
        ratios = [answer.points.ratio(point.n, point.d_k, rule, statistic) for point in points]
        points = [point for point, entry in zip(points, ratios, strict=True) if entry]
        columns = [*_places(answer, points)]
        for of in ("mean", "median"):
            factors = [times(getattr(entry, f"log_{of}")) for entry in ratios if entry]
            errors = [share(getattr(entry, f"log_{of}_error")) for entry in ratios if entry]
            columns.append(Column(f"of {of}s", texts=listed(factors), width=FACTOR))
            columns.append(Column("±", texts=listed(errors), rank=1, width=FACTOR))
        yield Table(
            columns, np.arange(len(points)),
            f"{READOUTS[statistic].symbol} unscaled over m = {rule.formula}; ±: the standard error "
            "of a factor is this share of it, both being of the same draws",
        )  # fmt: skip


def _carried_by_few(answer: Answer, statistics: Sequence[SweepStatistic]) -> Iterator[str]:
    """Yield a warning if few draws carry the mean at some place."""
    summaries = (point.statistics[name] for point in answer.points for name in statistics)
    if any(summary.median * FAR_BELOW < summary.mean for summary in summaries):
        yield (
            "Where the median is far below the mean, few draws carry the mean: a sampled mean, "
            "and its error, then tend to be too small."
        )


def _data(answer: Answer, statistics: Sequence[SweepStatistic]) -> dict[str, Any]:
    """Return the data that only JSON has."""
    points, rules = answer.points, others(answer.rules)
    is_one = len(points.d_ks) == 1
    return {
        "experiment": experiment_to_plain(answer.experiment),
        "generator": answer.generator,
        "progress": answer.progress,
        "rules": [{"rule": rule.text, "formula": rule.formula} for rule in answer.rules],
        # A generator, since exact values are computed as they are written.
        "points": (
            named(point, POINT) | {name: _statistic(answer, point, name) for name in statistics}
            for point in points
        ),
        "condensation": [named(mark, CONDENSATION) for mark in answer.condensation],
        "crossings": [
            {"d_k": points.d_ks[0], "readout": name, "rule": rule.text, **_crossing(crossing)}
            for name in (statistics if is_one else ())
            for rule in rules
            for crossing in crossings(points, rule, name)
        ],
        "crossovers": [*_crossovers(answer)],
    }


def _crossing(crossing: Crossing) -> dict[str, Any]:
    """Return a crossing over n as JSON has it."""
    ends = {"n": crossing.at, "low": crossing.low, "high": crossing.high}
    return {**ends, "larger": crossing.direction == "falls"}


def _statistic(answer: Answer, point: Point, name: SweepStatistic) -> dict[str, Any]:
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
        "ratio": answer.points.ratio(point.n, point.d_k, point.scale, name),
        **({"equal_others": point.equal_others} if name == "lead_weight" else {}),
    }


def _numbers(answer: Answer, statistics: Sequence[SweepStatistic]) -> Table:
    """Return the table of CSV: a row for each place, rule and statistic."""

    def record(entry: tuple[Point, SweepStatistic]) -> dict[str, Any]:
        point, name = entry
        summary, exact = point.statistics[name], point.exact(name)
        ratio = answer.points.ratio(point.n, point.d_k, point.scale, name)
        return {
            **named(point, POINT),
            **named(summary, OF_SUMMARY),
            "statistic": name,
            "mean_exact": exact.mean,
            "median_exact": exact.median,
            "tenth": summary.low,
            "ninetieth": summary.high,
            "log_ratio_of_means": ratio and ratio.log_mean,
            "log_ratio_of_means_error": ratio and ratio.log_mean_error,
            "log_ratio_of_medians": ratio and ratio.log_median,
            "log_ratio_of_medians_error": ratio and ratio.log_median_error,
            "equal_others": point.equal_others if name == "lead_weight" else None,
        }

    pairs = [(point, name) for point in answer.points for name in statistics]
    return records(pairs, CSV_POINT, record, "points")
