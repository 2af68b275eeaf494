"""How the weights of a head are made, as far as what was captured says: a mask, a fit, a sink."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isnan
from typing import Literal

import numpy as np

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.source import By
from attn_tui.compute.fit.check import Miss, miss_of
from attn_tui.compute.fit.estimates import Estimate
from attn_tui.compute.fit.explain import Explained, Question, Test, explain
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.model import Model
from attn_tui.compute.fit.noise import PATHS
from attn_tui.compute.fit.sink import sink_of
from attn_tui.compute.fit.usual import usual
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.heads.weighing import Weighing
from attn_tui.engine.making import Making

TRIED = 8
"""Rows on which it is tried how weights are made."""

_FITTED = 32
"""Rows of a head that are fitted."""

ALIKE, _SURE = 0.01, 0.9999
"""How far, relatively, what a fit finds may be from what is supposed, and how sure its interval."""

How = Literal["asked", "captured", "output", "fit", "nearest", "assumed"]


@dataclass(frozen=True)
class FoundMask:
    """How weights of a layer, or of a head, are made, and how that is known.

    Attributes:
        mask: Which keys are seen.
        how: It was asked for, or captured, or the output says so, or a fit of one head finds it,
            or it is nearest to what the output says but does not explain it, or nothing tells.
        residual: ‖out − P·V‖/‖out‖ on a few rows, where there is an output; else that of weights.
        allowed: The largest that rounding makes of it; where nothing found misses by so little, the
            largest that an m makes which is as good as right.
        loose: Whether that is so, and it is between the two.
        within: The share by which m may be off, and these rows would not tell.
        reading: Which of the layer's readings the output says.
        read_as: What of it is unlike the first, in words; empty if it is the first.
        softcap: The cap that the fit finds, if any.
        sink: The logit of a sink that one head has, if any; others have their own, or none.
        drops_sink: Whether a sink was captured that has no part in the output.
        multiplier: The m that it finds, which is used, where the rule's misses the output.
        missed: By how much that of the rule does, beside ``multiplier``.
        by_row: The least and the largest m where it grows with the position: none is used then.
        value_scale: c of out = c·P·V that it finds.
        stretch: c beside the captured sink, or without one, where rows are too alike to tell it
            from a sink: ``value_scale``, or that no sink has a part, is one of two that fit.
        path: Where the head was rounded, as far as that is known.
        by: What was captured that says so, if anything does.
        tells: Whether it would show if m were far off.
        what_if: Whether the weights are asked for, whatever the output says.
    """

    mask: HeadMask
    how: How
    residual: float | None = None
    allowed: float = 0.0
    loose: bool = False
    within: float = 0.0
    reading: int = 0
    read_as: str = ""
    softcap: float | None = None
    sink: float | None = None
    drops_sink: bool = False
    multiplier: float | None = None
    missed: float | None = None
    by_row: tuple[float, float] | None = None
    value_scale: float = 1.0
    stretch: float | None = None
    path: Path = "float32"
    by: By = "output"
    tells: bool = True
    what_if: bool = False

    def weighing(self, making: Making, rows: HeadRows) -> Weighing:
        """Return how the weights of some rows are made, with what was found unless asked."""
        made = making.weighing(rows, self.mask)
        found = made.map
        if self.multiplier is not None:
            found = replace(found, multiplier=self.multiplier)
        if found.softcap is None:
            found = replace(found, softcap=self.softcap)
        is_told = self.sink is not None or self.drops_sink
        if is_told and making.captured_sink and making.scale.sink is None:
            found = replace(found, sink=self.sink)
        return replace(made, map=found)

    def judged(
        self, making: Making, rows: HeadRows, quick: bool = False, loose: bool = False
    ) -> "FoundMask":
        """Return it with by how much it misses some rows of a head, and whether these tell m.

        That is not asked where it has to be quick. What is loose may miss by more than rounding
        makes, as long as an m that is as good as right would.
        """
        miss = self.miss(making, rows, quick)
        return replace(
            self,
            residual=None if isnan(miss.size) else miss.size,
            allowed=miss.near if loose else miss.allowed,
            loose=loose and miss.allowed < miss.size <= miss.near,
            within=miss.within,
            tells=miss.tells,
        )

    def miss(self, making: Making, rows: HeadRows, quick: bool = False) -> Miss:
        """Return by how much it misses some rows of a head."""
        return miss_of(rows, self.weighing(making, rows), self.value_scale, self.path, quick)

    @property
    def is_plain(self) -> bool:
        """Whether weights are made of m as the rule has it and what keys are seen, without more."""
        odd = self.multiplier is not None or self.value_scale != 1.0 or self.drops_sink
        return not odd and self.mask.window is self.softcap is self.sink is None

    @property
    def is_untold(self) -> bool:
        """Whether what was captured leaves open what m is."""
        known = self.residual is None or self.multiplier is not None or self.what_if
        return not (self.tells or known)

    @property
    def doubt(self) -> float:
        """The share by which the m that is used may be off; infinite where nothing tells it.

        It is 0 of weights that are asked for, and of such as do not give what was captured.
        """
        if self.what_if or not self.fits:
            return 0.0
        return inf if self.is_untold else self.within * self.tells

    @property
    def fits(self) -> bool:
        """Whether something was captured that weights made so give, as near as rounding lets."""
        return self.residual is not None and self.residual <= self.allowed


def by_of(has: frozenset[str]) -> By | None:
    """Return what of a layer's tensors says how weights were made."""
    if {"out", "v"} <= has:
        return "output"
    return "weights" if "weights" in has else None


@lru_cache(maxsize=64)
def of_head(capture: Capture, making: Making, layer: FoundMask, head: HeadId) -> FoundMask:
    """Return how the weights of a head are made: as its layer's, or as its own output says.

    Args:
        capture: The tensors.
        making: How weights are asked to be made.
        layer: What is known of the head's layer.
        head: Which head.
    """
    if layer.residual is None and layer.sink is None:
        return layer
    making = making.at_layer(head.layer)
    reading, n = capture.readings(head.layer)[layer.reading], capture.shape(head).n_queries
    own = layer
    if layer.sink is not None:
        rows = capture.read(head, sampled(n), reading)
        bare = replace(own, sink=None, drops_sink=True).weighing(making, rows)
        own = replace(own, sink=sink_of(rows, bare))
    if layer.residual is None or layer.what_if:
        return replace(own, residual=None)
    few = capture.read(head, sampled(n, TRIED), reading)
    own = own.judged(making, few, quick=True)
    if own.fits or own.residual is None or not layer.fits:
        return own
    near = own.judged(making, few, loose=True)
    if near.fits and layer.loose:
        return near
    rows = capture.read(head, sampled(n), reading)
    made = own.weighing(making, rows)
    found = made.map
    model = Model(found.multiplier, own.value_scale, found.softcap, found.sink, made.mask)
    known = explain(rows, Question(model, frozenset({"mask"})), search=False)
    fitted = told(making, rows, known, own)
    return fitted if fitted is not None and fitted.fits else near


def told(
    making: Making, rows: HeadRows, explained: Explained, nearest: FoundMask
) -> FoundMask | None:
    """Return what a fit of a head says, of what can be told apart the simplest that gives its rows.

    Args:
        making: How weights are asked to be made.
        rows: Those that were fitted.
        explained: What the fit found.
        nearest: What was known before.

    Returns:
        How weights are made, judged by these rows; None where nothing fits.
    """
    if not explained.explains or explained.test.model.softmax_twice:
        return None
    found, mask = explained.test, explained.test.model.mask
    known = replace(
        nearest,
        how="fit" if nearest.how in ("output", "nearest") else nearest.how,
        softcap=None if making.own_softcap else found.model.softcap,
        path=max(found.paths, key=PATHS.index, default="float32"),
        by_row=_by_row(found, rows),
    )
    hiding = [(each.hidden, each.packed) for each in (mask, nearest.mask)]
    if nearest.how == "nearest" or (nearest.how == "output" and hiding[0] != hiding[1]):
        known = replace(known, mask=mask)
    every = [each.judged(making, rows) for each in _candidates(making, rows, found, known)]
    best = next((each for each in every if each.fits), min(every, key=_off))
    if "sink" in found.unknown and (best.value_scale != 1.0 or best.drops_sink):
        best = replace(best, stretch=found.model.value_scale)
    if best.multiplier is not None:
        best = replace(best, missed=replace(best, multiplier=None).miss(making, rows).size)
    # What a fit was needed for may be no more than how it was rounded.
    no_more = known.how == "fit" and best.is_plain and best.fits
    return replace(best, how="output") if no_more else best


def _candidates(
    making: Making, rows: HeadRows, found: Test, known: FoundMask
) -> Iterator[FoundMask]:
    """Yield what the fit may say, the nearest to what was supposed first."""
    c, sink = _value(found.estimates.get("value_scale")), _value(found.estimates.get("sink"))
    told_m = None if found.model.law else found.estimates.get("multiplier")
    m = None if told_m is None else usual(told_m.at(_SURE), rows.d_k)
    multipliers = [None] if m is None or making.own_rule else [None, m]
    if told_m is not None and not _is_near(told_m, making, rows):
        multipliers.reverse()
    scales = [1.0] if c is None else [1.0, c]
    sinks = [(sink, False)] if rows.sink is None else [(None, False), (sink, True)]
    for scale in scales:
        for sink, drops in sinks:
            for multiplier in multipliers:
                yield replace(
                    known, multiplier=multiplier, value_scale=scale, sink=sink, drops_sink=drops
                )


def _off(found: FoundMask) -> float:
    """Return a residual to one digit, so that of alike ones the simplest is taken."""
    return inf if found.residual is None else float(f"{found.residual:.0e}")


def _is_near(found: Estimate, making: Making, rows: HeadRows) -> bool:
    """Return whether the rule's multiplier is in the interval of what was found, or alike."""
    at, m = found.at(_SURE), making.scale.multiplier(rows.d_k, rows.n_keys)
    low, high = (-inf if at.low is None else at.low), (inf if at.high is None else at.high)
    return low - ALIKE * m <= m <= high + ALIKE * m


def sampled(n_queries: int, rows: int = _FITTED) -> list[int]:
    """Return rows of a head, evenly spread, the first and the last among them."""
    return [*map(int, np.unique(np.linspace(0, n_queries - 1, rows).astype(int)))]


def _by_row(found: Test, rows: HeadRows) -> tuple[float, float] | None:
    """Return the least and the largest m of rows, where it grows with the position."""
    factors = found.model.factors(rows)
    if factors is None:
        return None
    every = found.model.multiplier * factors
    return float(every.min()), float(every.max())


def _value(found: Estimate | None) -> float | None:
    return None if found is None else found.at().value
