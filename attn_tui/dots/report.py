"""The report of Dot products: moments with standard errors and exact values, and why d_k."""

from collections.abc import Iterator
from math import isinf
from typing import Any

import numpy as np

from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.dots.moments import Readouts
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.numbers import general
from attn_tui.compute.sample import Number
from attn_tui.dots.derivation import derivation, steps
from attn_tui.dots.headline import headline
from attn_tui.files.codec import experiment_to_plain
from attn_tui.files.plain import named
from attn_tui.report.head import Labelled, about_model, left_out, rule_lines
from attn_tui.report.report import (
    SIDES,
    Column,
    Fact,
    Facts,
    Lines,
    Report,
    ReportPart,
    Section,
    Table,
    data,
    listed,
    records,
)
from attn_tui.report.rows import WIDTH, plain

READOUTS = {
    "mean": "mean E[x]",
    "variance": "variance σ²",
    "standard_deviation": "standard deviation σ",
    "mean_size": "mean size E|x|",
    "kurtosis": "kurtosis",
    "coverage": "within ±{bound}",
}
"""The titles of moments, by their names in JSON and CSV."""

COLUMNS = (
    "part", "d_k", "samples", "seed", "side", "multiplier", "bound", "statistic", "value",
    "standard_error", "exact",
)  # fmt: skip
"""The columns of CSV, which has a row for each sampled number."""


def report(answer: Answer, width: int = WIDTH) -> Report:
    """Return the report on the draws so far.

    Args:
        answer: The draws.
        width: The width in columns of the part with a layout of its own: why the variance is d_k.
    """
    question = [Fact(label, (text,)) for label, text in _asked(answer)]
    limits = general(answer.unscaled.bound), general(answer.scaled.bound)
    about = (
        f"x is q·k, or m·q·k; ±{bound(answer)} is ±{limits[0]}, and for m·q·k ±m times that, "
        f"±{limits[1]}. Errors are standard errors."
    )
    sides = _sides(answer)
    readouts = [
        Fact(title.format(bound=bound(answer)), [getattr(side, name) for side in sides], name)
        for name, title in READOUTS.items()
    ]
    why = Lines(plain(derivation(answer, width)).split("\n"))
    parts: list[ReportPart] = [
        data(_data(answer)),
        Facts(question),
        Facts(readouts, ("q·k", "m·q·k"), SIDES),
        " ".join([about, *_reasons(answer)]),
        Section(f"Why d_k; single products drawn besides: {answer.pairs:,}", [why]),
        other_d_k(answer),
        _numbers(answer),
    ]
    return Report("", parts, headline=headline(answer.experiment), csv="numbers")


def bound(answer: Answer) -> str:
    """Return two standard deviations of an unshifted, uncorrelated q·k, as text: ``2√d_k``."""
    pair = answer.law.pair
    factor = general(2.0 * pair.spread * pair.law.variance, 3)
    return "√d_k" if factor == "1" else f"{factor}√d_k"


def _asked(answer: Answer) -> Iterator[Labelled]:
    """Yield the lines that state the question, each with its label."""
    settings, setup = answer.settings, answer.experiment.setup
    drawn = f"{answer.drawn:,}"
    if answer.drawn < settings.samples:
        drawn += f" of {settings.samples:,}, stopped"
    yield from about_model(setup)
    yield "samples", f"{drawn}; seed {settings.seed} ({answer.generator})"
    yield "entries", _entries(answer.law)
    yield "d_k", f"{answer.law.d_k:,}"
    yield from rule_lines(setup.scale)
    here = f"here m = {general(answer.multiplier)}"
    if setup.scale.uses_n:
        n_keys = answer.experiment.vectors[0].n_attended
        here += f", n = {n_keys:,} being the keys of the scores asked for"
    yield "", here
    yield from left_out(setup.scale)


def _entries(law: DotLaw) -> str:
    """Return a description of the entries of q and k."""
    pair = law.pair
    means = {"q": pair.mean_q, "k": pair.mean_k}
    shifts = [f"{name} {general(mean)}" for name, mean in means.items() if mean]
    parts = [f"of q and k {pair.law.title}"]
    if shifts:
        parts.append(f"shifted by {' and '.join(shifts)}")
    if (pair.sigma_q, pair.sigma_k) != (1.0, 1.0):
        spread = f"σ_q = {general(pair.sigma_q)} and σ_k = {general(pair.sigma_k)}"
        parts.append(f"spread by {spread} about their means")
    if pair.correlation:
        parts.append(f"q_i and k_i correlated with ρ = {general(pair.correlation)}")
    if law.tied:
        parts.append("all components of q one number, and all of k")
    else:
        parts.append("components independent of each other")
    return "; ".join(parts)


def _data(answer: Answer) -> dict[str, Any]:
    """Return the data that only JSON has."""
    histogram = named(answer.histogram, ("edges", "counts", "below", "above"))
    rules = ("rule", "slope", "d_k", "standard_deviation")
    return {
        "experiment": experiment_to_plain(answer.experiment),
        "samples": answer.drawn,
        "seed": answer.settings.seed,
        "generator": answer.generator,
        "complete": answer.complete,
        "multiplier": answer.multiplier,
        "bound.unscaled": answer.unscaled.bound,
        "bound.scaled": answer.scaled.bound,
        "pairs": answer.pairs,
        "derivation": [
            {
                "name": step.name, "formula": step.formula, "reason": step.words,
                "number": step.number,
            }
            for step in steps(answer)
        ],
        "histogram": histogram | {"curves": named(answer.curves, ("x", "exact", "normal"))},
        "table": [
            {"d_k": row.d_k, "samples": row.draws, **named(row, ("bound", "variance", "coverage"))}
            for row in answer.table
        ],
        "growth": [named(line, rules) for line in answer.growth],
    }  # fmt: skip


def _sides(answer: Answer) -> tuple[Readouts, Readouts]:
    """Return the sampled moments of q·k and of m·q·k."""
    return answer.unscaled, answer.scaled


def _reasons(answer: Answer) -> Iterator[str]:
    """Yield why numbers are missing, infinite, or 0 only after the scale."""
    law, sides = answer.law, _sides(answer)
    if answer.drawn == 1:
        yield "One draw has no spread, and so no standard error."
    if law.standard_deviation == 0.0:
        yield "q·k is always the same number here: it has no spread, and so no kurtosis."
    if law.mean_size is None or law.coverage is None:
        yield f"What is not known exactly, –, is so because {law.unknown}."
    pairs = [
        (before or 0.0, after or 0.0)
        for name in READOUTS
        for before, after in zip(*(_parts(getattr(side, name)) for side in sides), strict=True)
    ]
    if any(isinf(after) for _, after in pairs):
        yield "What is ∞ is more than 1.8e308, the largest number that float64 holds."
    if any(before and not after for before, after in pairs):
        yield "What the scale makes 0 is less than 4.9e-324, the least number that float64 holds."


def other_d_k(answer: Answer) -> Table:
    """Return the table of other d_k, each with a sample of its own."""
    rows = answer.table
    bounds = [f"±{general(row.bound)}" for row in rows]
    notes = [f"–: {reason}." for reason in dict.fromkeys(row.unknown for row in rows) if reason]
    if not all(row.draws for row in rows):
        notes.append("–: nothing was drawn before it was stopped.")
    columns = [
        Column("d_k", listed(row.d_k for row in rows)),
        Column("draws", listed(row.draws for row in rows), rank=2),
        Column(f"±{bound(answer)}", texts=listed(bounds), rank=1, kind="muted"),
        Column("variance", listed(row.variance for row in rows), kind="unscaled"),
        Column("coverage", listed(row.coverage for row in rows), kind="unscaled"),
    ]  # fmt: skip
    title = "Other d_k, each with a sample of its own"
    return Table(columns, np.arange(len(rows)), title, notes=notes)


def _numbers(answer: Answer) -> Table:
    """Return the table of CSV, with a row for each sampled number."""
    drawn = answer.law.d_k, answer.drawn, answer.settings.seed
    rows: list[tuple[Any, ...]] = []
    for side, m, moments in zip(SIDES, (1.0, answer.multiplier), _sides(answer), strict=True):
        for name, number in named(moments, READOUTS).items():
            place = ("readouts", *drawn, side, m, moments.bound)
            rows.append((*place, name, *_parts(number)))
    for row in answer.table:
        place = ("table", row.d_k, row.draws, drawn[-1], "unscaled", 1.0, row.bound)
        rows.append((*place, "variance", *_parts(row.variance)))
        rows.append((*place, "coverage", *_parts(row.coverage)))
    return records(rows, COLUMNS, lambda row: dict(zip(COLUMNS, row, strict=True)), "numbers")


def _parts(number: Number) -> tuple[float, float, float | None]:
    return number.value, number.standard_error, number.exact
