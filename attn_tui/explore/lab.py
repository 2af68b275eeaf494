"""The precision lab: softmax in every number format, stable and naive, beside the exact weight."""

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np

from attn_tui.charts.table import TableDrawing, TextColumn
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.explore.precision_lab import FormatTrial, Lab, LabSide
from attn_tui.compute.numbers import scientific, weight, weight_name
from attn_tui.compute.precision import ROUNDS
from attn_tui.files.plain import named
from attn_tui.report import report
from attn_tui.report.report import Part, data, listed, same

OF_TRIAL = ("status", "reason", "weight", "n_differ", "n_vanished", "worst", "worst_key")
"""The fields of a trial in JSON and CSV."""


def _columns(tried: Lab) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the heading, side and texts of each column; a row is a format and a method."""
    trials = tried.sides[0].trials
    yield "format", "", [trial.precision.format for trial in trials]
    yield "softmax", "", ["stable" if trial.precision.stable else "naive" for trial in trials]
    for side in tried.sides:
        yield weight_name(tried.key), side.name, [weight(trial.weight) for trial in side.trials]
        yield "largest error", side.name, [scientific(trial.worst) for trial in side.trials]


def _notes(tried: Lab) -> Iterator[str]:
    """Yield the exact weights, how 16-bit numbers are rounded, and why trials failed."""
    exact = [weight(side.exact) for side in tried.sides]
    yield f"exact: {exact[0]} unscaled, {exact[1]} scaled"
    arithmetic = tried.sides[0].trials[0].precision.arithmetic
    yield f"16 bits: {arithmetic} rounds {ROUNDS[arithmetic]}"
    reasons = [_reason(trial) for side in tried.sides for trial in side.trials if trial.reason]
    yield from dict.fromkeys(reasons)


def _reason(trial: FormatTrial) -> str:
    method = "stable" if trial.precision.stable else "naive"
    return f"{trial.precision.format} {method}: {trial.reason}"


def lab_table(tried: Lab) -> TableDrawing:
    """Return a table of the key's weight and the largest error of any key, in every format."""
    columns = [
        TextColumn(f"{head} {side}".rstrip(), texts, side or "text", not side, int(head[0] == "l"))
        for head, side, texts in _columns(tried)
    ]
    return TableDrawing(columns, notes=[*_notes(tried)])


def lab_parts(tried: Lab, answer: VectorAnswer) -> Iterator[Part]:
    """Yield the same table for a report, and all fields of each trial for JSON and CSV."""
    rows = np.arange(len(tried.sides[0].trials))
    columns = [
        report.Column(head, texts=listed(texts), above=side, left=not side)
        for head, side, texts in _columns(tried)
    ]
    yield report.Table(columns, rows, notes=[*_notes(tried)])
    exact = {f"lab.{side.name}.exact": side.exact for side in tried.sides}
    yield data({"lab.key": tried.key, **exact})
    for side in tried.sides:
        labels = {
            "vector": answer.vector.name, "key": answer.of, "side": side.name, "exact": side.exact,
        }  # fmt: skip
        columns = [report.Column("", same(value), name=name) for name, value in labels.items()]
        columns += _data(side)
        yield report.Table(columns, rows, path=f"lab.{side.name}.trials", csv="lab")


def _data(side: LabSide) -> Iterator[report.Column]:
    def column(name: str, of: Callable[[FormatTrial], Any]) -> report.Column:
        return report.Column("", listed(map(of, side.trials)), name, name)

    yield column("precision", lambda trial: trial.precision.format)
    arithmetic = listed(trial.precision.arithmetic for trial in side.trials)
    yield report.Column("", arithmetic, "arithmetic")
    yield column("naive", lambda trial: not trial.precision.stable)
    for name in OF_TRIAL:
        yield column(name, attrgetter(name))
    differing = [
        [named(key, ("key", "exact", "weight", "difference")) for key in trial.differing]
        for trial in side.trials
    ]
    yield report.Column("", listed(differing), "differing")
