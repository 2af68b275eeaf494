"""What is said below the table of the precision lab: why a format gave out, in words."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from attn_tui.charts.rows import Row, Span, fitted
from attn_tui.compute.precision_lab import LabSide, Trial


def trial_name(trial: Trial) -> str:
    """Return the format and the method of a trial."""
    return f"{trial.precision.format} {method(trial)}"


def method(trial: Trial) -> str:
    """Return the method of a trial in one word."""
    return "stable" if trial.precision.stable else "naive"


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
