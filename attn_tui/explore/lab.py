"""The precision lab: softmax in every number format, stable and naive, beside the exact weight."""

from attn_tui.charts.table import Column, Table
from attn_tui.compute.explore.precision_lab import Lab, Trial
from attn_tui.compute.precision import ROUNDS
from attn_tui.report.numbers import scientific, weight


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
