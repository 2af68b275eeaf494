"""The section of the text report about number formats: every one tried, and what it does."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan

from attn_tui.compute.explore.precision_lab import Lab, LabSide, Trial
from attn_tui.compute.precision import Arithmetic
from attn_tui.report.numbers import scientific, weight, weight_name
from attn_tui.report.rows import Span
from attn_tui.report.sides import role_of
from attn_tui.report.table import Column

NUMBERS = ("differ", "|p−exact|", "at key", "vanished")
"""What there is of a trial besides its weight."""

_RANKS = (0, 2, 1, 4, 3)

_SHORT: Mapping[Arithmetic, str] = {"softmax": "", "sdpa": " sdpa", "stepwise": " steps"}


def trial_columns(
    lab: Lab, side: LabSide, name: str = "", inline: bool = False
) -> Iterator[Column]:
    """Yield the columns of a table with a line for each trial.

    Args:
        lab: What was found.
        side: The side it is about.
        name: What stands above the formats in place of that word.
        inline: Whether reasons follow the cells in place of what is NaN.
    """
    yield format_column(side.trials, name)
    yield Column("method", tuple((method(trial), "label") for trial in side.trials), left=True)
    columns = zip(*(numbers(trial, inline) for trial in side.trials), strict=True)
    for title, rank, cells in zip((weight_name(lab.key), *NUMBERS), _RANKS, columns, strict=True):
        yield Column(title, cells, rank)


def format_column(trials: Sequence[Trial], name: str = "") -> Column:
    """Return the formats of trials, in short where there is little room."""
    names = [format_name(trial) for trial in trials]
    short = (each.replace("bfloat", "bf").replace("float", "f") for each in names)
    whole, brief = (tuple((text, "text") for text in texts) for texts in (names, short))
    bare = Column("", brief, left=True)
    role = role_of(name) if name else "label"
    shorter = Column(name, brief, left=True, role=role, shorter=bare, at=1)
    return Column(name or "format", whole, left=True, role=role, shorter=shorter, at=5, width=8)


def numbers(trial: Trial, inline: bool = False, width: int | None = None) -> tuple[Span, ...]:
    """Return the weight of a trial and its `NUMBERS`, the error in a width.

    Args:
        trial: The trial.
        inline: Whether its reason takes the place of what is NaN.
        width: The error has at most so many characters.
    """
    worst = trial.worst != 0.0
    size = "error" if isnan(trial.worst) else "text" if worst else "muted"
    p = (weight(trial.weight), "strong" if trial.status in ("ok", "masked") else "error")
    if inline and trial.reason and isnan(trial.worst):
        return (p, *[("", "text")] * len(NUMBERS))
    return (
        p,
        (f"{trial.n_differ:,}", "text" if trial.n_differ else "muted"),
        (scientific(trial.worst, width=width), size),
        (str(trial.worst_key) if worst else "", "label"),
        (f"{trial.n_vanished:,}", "text" if trial.n_vanished else "muted"),
    )


def format_name(trial: Trial) -> str:
    """Return the format of a trial, and the arithmetic of 16 bits other than that of softmax."""
    precision = trial.precision
    return precision.format + (_SHORT[precision.arithmetic] if precision.is_narrow else "")


def method(trial: Trial) -> str:
    """Return the method of a trial in one word."""
    return "stable" if trial.precision.stable else "naive"
