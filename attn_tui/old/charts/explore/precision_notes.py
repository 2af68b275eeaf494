"""What is said below the table of the precision lab: why a format gave out, and what differs."""

from collections.abc import Iterator, Sequence
from math import isnan
from textwrap import wrap

from attn_tui.compute.explore.precision_lab import Differing, LabSide, Trial
from attn_tui.old.report.explore.precision_table import format_name, method
from attn_tui.report.numbers import weight
from attn_tui.report.rows import Row, Span, cells, fitted


def trial_name(trial: Trial) -> str:
    """Return the format and the method of a trial."""
    return f"{format_name(trial)} {method(trial)}"


def reason(trial: Trial) -> Span:
    """Return why a trial is not ok, and in which role that is shown."""
    return trial.reason, "muted" if trial.status == "masked" else "error"


def reasons(sides: Sequence[LabSide], width: int) -> list[Row]:
    """Return a line for each reason, or several where it is longer than the width.

    A reason that holds for several trials, or for both sides, is given once.
    """
    found: dict[Span, dict[str, list[str]]] = {}
    for side in sides:
        for trial in side.trials:
            if trial.reason:
                of_side = found.setdefault(reason(trial), {})
                of_side.setdefault(side.name, []).append(trial_name(trial))
    return [
        fitted(((line, role),), width)
        for (text, role), by_side in found.items()
        for names in _whose(by_side, sides)
        for line in wrap(f"{names}: {text}", max(width, 3), subsequent_indent="  ")
    ]


def _whose(by_side: dict[str, list[str]], sides: Sequence[LabSide]) -> Iterator[str]:
    """Yield the names of the trials, with that of the side where it is not the same on both."""
    named = {
        name: "every trial" if len(trials) == len(sides[0].trials) > 1 else ", ".join(trials)
        for name, trials in by_side.items()
    }
    if len(named) == len(sides) and len(set(named.values())) == 1:
        yield next(iter(named.values()))
    else:
        yield from (f"{trials}, {name}" for name, trials in named.items())


def differences(sides: Sequence[LabSide], width: int) -> list[Row]:
    """Return a line for each trial that differs, the largest error first.

    It names as many keys as fit; one at least, if need be in several lines. Of NaN the reason is
    told instead.
    """
    found = [
        (trial, f", {side.name}," if len(sides) > 1 else "")
        for side in sides
        for trial in side.trials
        if trial.differing and not isnan(trial.worst)
    ]
    found.sort(key=lambda each: -each[0].worst)
    return [
        fitted(((line, "label"),), width)
        for trial, side in found
        for line in _differing(f"{trial_name(trial)}{side} differs at ", trial.differing, width)
    ]


def _differing(start: str, differing: Sequence[Differing], width: int) -> list[str]:
    """Return the keys that differ as text."""
    first, *others = (f"key {one.key}: {_pair(one)}" for one in differing)
    text = start + first
    for other in others:
        if cells(longer := f"{text}, {other}") > width:
            break
        text = longer
    return wrap(text, max(width, 3), subsequent_indent="  ")


def _pair(one: Differing) -> str:
    """Return a weight and the exact one, with as many digits as it takes to tell them apart."""
    found, exact = weight(one.weight), weight(one.exact)
    for digits in range(5, 18):
        if found != exact:
            break
        found, exact = (f"{value:.{digits}g}" for value in (one.weight, one.exact))
    return f"{found} for {exact}"
