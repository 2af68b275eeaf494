"""The precision lab: softmax in every number format, stable and naive, beside the exact weight."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.precision_lab import FormatTrial, Lab
from attn_tui.compute.numbers import scientific, weight, weight_name
from attn_tui.compute.precision import ROUNDS
from attn_tui.files.plain import named
from attn_tui.report.report import Column, ReportPart, Table, data, listed, records

OF_TRIAL = ("status", "reason", "weight", "n_differ", "n_vanished", "worst", "worst_key")
"""The fields of a trial in JSON and CSV."""


def _notes(tried: Lab) -> Iterator[str]:
    """Yield the exact weights, how 16-bit numbers are rounded, and why trials failed."""
    exact = [weight(side.exact) for side in tried.sides]
    yield f"exact: {exact[0]} unscaled, {exact[1]} scaled"
    arithmetic = tried.sides[0].trials[0].precision.arithmetic
    yield f"16 bits: {arithmetic} rounds {ROUNDS[arithmetic]}"
    reasons = [_reason(trial) for side in tried.sides for trial in side.trials if trial.reason]
    yield from dict.fromkeys(reasons)


def _reason(trial: FormatTrial) -> str:
    return f"{trial.precision.format} {_method(trial)}: {trial.reason}"


def _method(trial: FormatTrial) -> str:
    return "naive" if trial.precision.naive else "stable"


def lab_table(tried: Lab) -> Table:
    """Return the table of the key's weight and the largest error of any key, in every format."""
    trials = tried.sides[0].trials
    formats = listed(trial.precision.format for trial in trials)
    columns = [
        Column("format", texts=formats, left=True),
        Column("softmax", texts=listed(map(_method, trials)), left=True),
    ]
    for side in tried.sides:
        weights = listed(weight(trial.weight) for trial in side.trials)
        errors = listed(scientific(trial.worst) for trial in side.trials)
        above = weight_name(tried.key)
        columns += [
            Column(side.name, texts=weights, above=above, kind=side.name),
            Column(side.name, texts=errors, above="largest error", kind=side.name, rank=1),
        ]
    return Table(columns, np.arange(len(trials)), notes=[*_notes(tried)])


def lab_parts(tried: Lab, answer: VectorAnswer) -> Iterator[ReportPart]:
    """Yield the same table, and all fields of each trial for JSON and CSV."""
    yield lab_table(tried)
    exact = {f"lab.{side.name}.exact": side.exact for side in tried.sides}
    yield data({"lab.key": tried.key, **exact})
    for side in tried.sides:
        trials = [*map(_trial, side.trials)]
        yield data({f"lab.{side.name}.trials": trials})
        about = {
            "vector": answer.vector.name, "key": answer.of, "side": side.name, "exact": side.exact,
        }  # fmt: skip
        names = (*about, "precision", "naive", *OF_TRIAL)
        yield records([about | trial for trial in trials], names, dict, "lab")


def _trial(trial: FormatTrial) -> dict[str, Any]:
    """Return a trial as JSON has it."""
    return {
        "precision": trial.precision.format,
        "arithmetic": trial.precision.arithmetic,
        "naive": trial.precision.naive,
        **named(trial, OF_TRIAL),
        "differing": [
            named(key, ("key", "exact", "weight", "difference")) for key in trial.differing
        ],
    }
