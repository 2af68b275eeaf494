"""The precision lab: softmax in every number format, stable and naive, beside the exact weight."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attn_tui.charts.table import Column, Table
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.precision_lab import Lab, LabSide, Trial
from attn_tui.compute.precision import ROUNDS
from attn_tui.files.plain import named
from attn_tui.report import report
from attn_tui.report.numbers import scientific, weight, weight_name
from attn_tui.report.report import Section, data, listed, same


def _weight(trial: Trial) -> str:
    if trial.status not in ("ok", "masked"):
        return "NaN" if trial.weight != trial.weight else weight(trial.weight)
    return weight(trial.weight)


def _worst(trial: Trial) -> str:
    return "NaN" if trial.worst != trial.worst else scientific(trial.worst)


def lab_table(lab: Lab) -> Table:
    """Return a row a format and method: the key's weight and the largest error on both sides."""
    first, second = lab.sides
    pairs = [*zip(first.trials, second.trials, strict=True)]
    methods = ["stable" if trial.precision.stable else "naive" for trial, _ in pairs]
    columns = [
        Column("format", [trial.precision.format for trial, _ in pairs], left=True),
        Column("softmax", methods, "muted", left=True),
        Column(f"p{lab.key} unscaled", [_weight(trial) for trial, _ in pairs], "unscaled"),
        Column("largest error", [_worst(trial) for trial, _ in pairs], "unscaled", rank=1),
        Column(f"p{lab.key} scaled", [_weight(trial) for _, trial in pairs], "scaled"),
        Column("largest error", [_worst(trial) for _, trial in pairs], "scaled", rank=1),
    ]
    exact = [weight(side.exact) for side in lab.sides]
    arithmetic = first.trials[0].precision.arithmetic
    notes = [
        f"exact: {exact[0]} unscaled, {exact[1]} scaled",
        f"16 bits: {arithmetic} rounds {ROUNDS[arithmetic]}",
    ]
    for pair in pairs:
        notes += [_reason(trial) for trial in pair if trial.reason]
    return Table(columns, notes=notes)


def _reason(trial: Trial) -> str:
    """Return why a number gave out."""
    method = "stable" if trial.precision.stable else "naive"
    return f"{trial.precision.format} {method}: {trial.reason}"


def lab_section(lab: Lab, answer: VectorAnswer) -> Section:
    """Return what becomes of one weight in every number format, for a report."""
    name = weight_name(lab.key)
    arithmetic = lab.sides[0].trials[0].precision.arithmetic
    about = (
        f"16 bits: {arithmetic} rounds {ROUNDS[arithmetic]}. Differ: weights that are not the "
        "exact ones rounded to the format. Vanished: weights that are 0 though the exact ones are "
        "not."
    )
    exact = {f"lab.{side.name}.exact": side.exact for side in lab.sides}
    tables = [_trials(side, name, answer) for side in lab.sides]
    plain = data({"lab.key": lab.key, **exact})
    return Section(f"{name} in every number format", [about, plain, *tables])


def _trials(side: LabSide, name: str, answer: VectorAnswer) -> report.Table:
    """Return a row a format and method of one side."""
    trials = side.trials
    methods = ["stable" if trial.precision.stable else "naive" for trial in trials]
    formats = [trial.precision.format for trial in trials]
    own = {
        "vector": answer.vector.name, "key": answer.of, "side": side.name, "exact": side.exact,
    }  # fmt: skip
    differing = [
        [named(key, ("key", "exact", "weight", "difference")) for key in trial.differing]
        for trial in trials
    ]

    def of(title: str, path: str, write: Callable[[Any], str] = str) -> report.Column:
        values = [getattr(trial, path) for trial in trials]
        return report.Column(title, listed(values), path, path, listed(map(write, values)))

    columns = [report.Column("", same(value), name=key) for key, value in own.items()]
    columns += [
        report.Column("format", listed(formats), "precision", "precision", left=True),
        report.Column("", listed(trial.precision.arithmetic for trial in trials), "arithmetic"),
        report.Column(
            "softmax", listed(not trial.precision.stable for trial in trials), "naive", "naive",
            listed(methods), left=True,
        ),
        of("", "status"),
        of("", "reason"),
        of(name, "weight", weight),
        of("differ", "n_differ", "{:,}".format),
        of("vanished", "n_vanished", "{:,}".format),
        of("largest error", "worst", scientific),
        of("at key", "worst_key", "{:,}".format),
        report.Column("", listed(differing), "differing"),
    ]  # fmt: skip
    reasons = [
        f"{kind} {method}: {trial.reason}"
        for kind, method, trial in zip(formats, methods, trials, strict=True)
        if trial.reason
    ]
    title = f"{side.name}: exactly {name} = {weight(side.exact)}"
    path = f"lab.{side.name}.trials"
    rows = np.arange(len(trials))
    return report.Table(columns, rows, title, path=path, csv="lab", notes=reasons)
