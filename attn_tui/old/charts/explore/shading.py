"""How the sizes of the Jacobian's entries become four shades, the same on both sides."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10

import numpy as np

from attn_tui.charts.glyphs import SHADES
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.old.charts.axis import Floats, power_text, round_step
from attn_tui.old.charts.explore.overview import largest_entries
from attn_tui.old.charts.heat import Shading
from attn_tui.old.charts.sides import sides
from attn_tui.report.numbers import LN10, MINUS
from attn_tui.report.rows import Row

LINEAR_STEPS = (1 / 16, 1 / 4, 1 / 2, 3 / 4)
"""From which part of the largest possible size on an entry gets each shade."""


@dataclass(frozen=True)
class EntryShading(Shading):
    """A scale of shades for the entries of a Jacobian.

    Attributes:
        log: Whether the steps are decades.
        bound: No entry is larger, on either side.
        hidden: The sides all of whose entries are too small for a shade.
        span: Which entries the steps span, if not simply those that are drawn.
        cut: Whether entries may be below the first step.
    """

    log: bool
    bound: float
    hidden: tuple[str, ...] = ()
    span: str = ""
    cut: bool = False

    @property
    def short_ends(self) -> str:
        """The ends of the scale in as few characters as possible."""
        return "log" if self.log else f"±{self.bound:.3g}"

    def in_decades(self, logs: Floats) -> bool:
        """Return whether some of these sizes have a shade in `decade_shading`.

        What has none there is gone beside the other side, and stays empty: that is to be seen.
        """
        return bool(np.max(logs) >= _decades(self.bound)[0] * LN10)

    def legend(self) -> list[Row]:
        """Return what the shades mean, at decreasing length."""
        shades = self.samples(" ≥{}  "), self.samples("≥{} ")
        first: Row = ()
        zero: Row = ((SHADES[0], "zero"), (" 0  ", "label"))
        rest = zero
        if self.hidden:
            see = ": see log" if not self.log else ""
            text = f"{self.hidden[0]} all below {self.texts[0]}{see}"
            first = ((text, "strong"), ("  ", "text"))
        elif self.cut:
            rest = (*rest, (f"sign alone: below {self.texts[0]}", "label"))
        sign: Row = (("+ positive  ", "positive4"), (f"{MINUS} negative  ", "negative4"))
        span: Row = ((f"scale: {self.span}", "label"),) if self.span else ()
        ends: Row = (*shades[1][:2], ("… ", "label"), *shades[1][-2:])
        rows = [
            *((*sign, *shades[0], *end, *span) for end in (rest, zero)),
            (*shades[0], *rest, *span),
            *((*shades[1], *end, *which) for which in (span, ()) for end in (rest, ())),
            *((*ends, *which) for which in (span, ())),
            rest,
        ]
        return [*((*first, *row) for row in rows), shades[1]]


def linear_shading(answer: VectorAnswer, shown: Sequence[Floats] = ()) -> EntryShading:
    """Return shades that are parts of the largest size an entry can have.

    Args:
        answer: The vector and what its Jacobian is taken with respect to.
        shown: As in `log_shading`; nothing where that is not the largest of all.
    """
    bound, every = _bound(answer), range(0, answer.vector.n_keys, answer.vector.n_keys)
    least = LINEAR_STEPS[0] * bound
    largest = shown or [
        largest_entries(side.evaluation, answer.wrt, every, every)[0] for side in sides(answer)
    ]
    hidden = tuple(
        side.name
        for side, logs in zip(sides(answer), largest, strict=True)
        if np.exp(np.max(logs)) < least
    )
    steps = tuple(part * bound for part in LINEAR_STEPS)
    texts, powers = tuple(f"{step:.3g}" for step in steps), tuple(map(log10, steps))
    return EntryShading(powers, texts, f"linear ±{bound:.3g}", False, bound, hidden, cut=True)


def decade_shading(answer: VectorAnswer, shown: Sequence[Floats]) -> EntryShading:
    """Return a shade for each of the four decades below the largest size an entry can have.

    So sides are told apart that linear shades show on one side alone.

    Args:
        answer: The vector and what its Jacobian is taken with respect to.
        shown: As in `log_shading`.
    """
    bound = _bound(answer)
    shading = replace(_by_decades(_decades(bound), bound), cut=True)
    seen = map(shading.in_decades, shown)
    hidden = (side.name for side, some in zip(sides(answer), seen, strict=True) if not some)
    return replace(shading, hidden=tuple(hidden))


def log_shading(answer: VectorAnswer, shown: Sequence[Floats], span: str = "") -> EntryShading:
    """Return shades of equally many decades, down to the smallest of what is shown.

    Args:
        answer: The vector and what its Jacobian is taken with respect to.
        shown: Natural logarithms of the sizes that are shown of each side: of all entries, or of
            the largest of each block.
        span: Which entries these are, if not simply those that are drawn.
    """
    bound = _bound(answer)
    top = floor(log10(bound))
    lowest = min(float(np.min(logs, where=np.isfinite(logs), initial=0.0)) for logs in shown)
    return _by_decades(_even(top, floor(min(lowest / LN10, top))), bound, span)


def part_shading(answer: VectorAnswer, shown: Sequence[Floats]) -> EntryShading:
    """Return shades of decades that span the entries in view, the same on both sides.

    Each is of equally many decades; or, where that would give all of one side the same shade
    though it spans decades, has about a quarter of the entries.

    Args:
        answer: The vector and what its Jacobian is taken with respect to.
        shown: Natural logarithms of the sizes of the entries in view of each side.
    """
    bound, span = _bound(answer), "keys in view"
    sizes = [logs[np.isfinite(logs)] / LN10 for logs in shown]
    every = np.concatenate(sizes)
    if not every.size:
        return log_shading(answer, shown, span)
    # Above the largest: the next power of ten.
    top = floor(float(every.max()) + 1e-9) + 1
    even = _by_decades(_even(top, floor(float(every.min()))), bound)
    shades = [even.shades(side * LN10) for side in sizes if side.size and np.ptp(side) >= 1.0]
    quarters = tuple(map(float, np.floor(np.quantile(every, (0, 0.25, 0.5, 0.75)) + 1e-9)))
    steps = even.steps
    if any(np.ptp(side) == 0 for side in shades) and sorted(set(quarters)) == [*quarters]:
        steps = quarters
    return _by_decades(steps, bound, span, power_text(top) if top <= log10(bound) else "")


def _by_decades(
    steps: tuple[float, ...], bound: float, span: str = "", end: str = ""
) -> EntryShading:
    """Return shades from powers of ten on, up to an end in words or else the bound."""
    ends = f"log {power_text(steps[0])} to {end or f'{bound:.3g}'}"
    return EntryShading(steps, tuple(map(power_text, steps)), ends, True, bound, span=span)


def _decades(bound: float) -> tuple[float, ...]:
    """Return the powers of ten from which four decades on have a shade each."""
    top = floor(log10(bound))
    return tuple(float(top - below) for below in (3, 2, 1, 0))


def _even(top: int, lowest: int) -> tuple[float, ...]:
    """Return four steps of equally many decades below one power of ten, down to another."""
    step = round_step(top - lowest, 4)
    return tuple(float(top - count * step) for count in (4, 3, 2, 1))


def _bound(answer: VectorAnswer) -> float:
    """Return the largest size an entry can have, whatever the scores.

    p(1 − p) is at most 1/4, and no slope of a logit over its score exceeds the multiplier.
    """
    largest = max(side.evaluation.multiplier for side in sides(answer)) / 4
    return largest if answer.wrt == "scores" and largest > 0.0 else 0.25
