"""Every statistic of every head as arrays, which grow as blocks are worked off."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.compute.fit.reconstruction import Reconstruction
from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.statistic import STATISTICS, TAU
from attn_tui.engine.plan import Plan
from attn_tui.engine.running import Failed
from attn_tui.engine.survey import Survey

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeadNumbers:
    """What is known of heads, wherever their capture is.

    Attributes:
        masks: What is known of the mask of each layer.
        heads: All heads, by sequence, layer and head.
        partials: What is known of each of which anything is.
        numbers: By the name of a statistic its value of each head, shape (heads,); NaN where it
            is not known, or there is none.
        blocks: The blocks that are known, by their index.
        failed: Blocks that came to nothing.
    """

    masks: Mapping[int, Reconstruction]
    heads: tuple[HeadId, ...]
    partials: Mapping[HeadId, Partial]
    numbers: Mapping[str, Numbers]
    blocks: frozenset[int] = frozenset()
    failed: tuple[Failed, ...] = ()

    @cached_property
    def places(self) -> Mapping[HeadId, int]:
        """The place of each head in the arrays."""
        return {head: at for at, head in enumerate(self.heads)}

    @cached_property
    def n_heads(self) -> int:
        """The heads of the layer that has most."""
        return max((each.head for each in self.heads), default=-1) + 1

    @cached_property
    def n_batches(self) -> int:
        """How many sequences there are."""
        return max((each.batch for each in self.heads), default=-1) + 1

    def values(self, name: str, tau: float = TAU) -> Numbers:
        """Return a statistic of each head, shape (heads,)."""
        if name != "qk_clip" or tau == TAU:
            return self.numbers[name]
        logits = self.numbers["max_logit"]
        with np.errstate(all="ignore"):
            return np.where(logits > tau, tau / logits, np.where(np.isnan(logits), np.nan, 1.0))

    def missing(self, name: str) -> dict[HeadId, float]:
        """Return by how much weights miss the output, of heads whose statistic is of such ones."""
        return {
            head: each.miss
            for head, each in self.partials.items()
            if each.miss is not None and each.misses(name)
        }

    def few(self, name: str) -> dict[HeadId, Partial]:
        """Return the heads whose statistic is the mean of but few of their rows."""
        return {head: each for head, each in self.partials.items() if each.rests_on_few(name)}

    def uncounted(self, name: str) -> frozenset[HeadId]:
        """Return the heads whose statistic is known and does not count."""
        return frozenset(head for head, each in self.partials.items() if not each.counts(name))

    def value(self, head: HeadId, name: str, tau: float = TAU) -> Value | None:
        """Return a statistic of a head with its error and its place; None while it is not known."""
        found = self.partials.get(head)
        return None if found is None else found.value(name, tau)

    def grown(self, found: Survey) -> Self:
        """Return the table with what a later survey of the same plan knows."""
        plan = found.plan
        new = found.partials.keys() - self.blocks
        if not new and found.failed == self.failed:
            return self
        changed = {plan.blocks[index].head for index in new}
        blocks: dict[HeadId, Partial] = {}
        for block in plan.blocks:
            if block.head in changed and block.index in found.partials:
                part, known = found.partials[block.index], blocks.get(block.head)
                blocks[block.head] = part if known is None else known.merged(part)
        numbers = {name: values.copy() for name, values in self.numbers.items()}
        for head, partial in blocks.items():
            at = self.places[head]
            for name, values in numbers.items():
                values[at] = partial.value(name).value if _can(partial, name) else np.nan
        partials = {**self.partials, **blocks}
        return replace(
            self,
            partials=partials,
            numbers=numbers,
            blocks=self.blocks | new,
            failed=found.failed,
        )


@dataclass(frozen=True, eq=False)
class HeadTable(HeadNumbers):
    """What is known of the heads of a capture, layers × heads.

    Attributes:
        capture: The capture.
    """

    capture: Capture = field(kw_only=True)

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers there are, rising."""
        return self.capture.layers

    def grid(self, name: str, batch: int, tau: float = TAU) -> Numbers:
        """Return a statistic, shape (layers, n_heads); NaN where nothing is."""
        return self._on_grid(self.values(name, tau), batch)

    def known(self, batch: int) -> NDArray[np.bool_]:
        """Return of which heads something is known, shape (layers, n_heads)."""
        is_known = np.array([head in self.partials for head in self.heads], np.float64)
        return np.nan_to_num(self._on_grid(is_known, batch)) > 0.0

    def _on_grid(self, values: Numbers, batch: int) -> Numbers:
        grid = np.full((self.n_batches, len(self.layers), self.n_heads), np.nan)
        grid[self._indices] = values
        return np.asarray(grid[batch])

    @cached_property
    def _indices(self) -> tuple[NDArray[np.intp], ...]:
        row = {layer: at for at, layer in enumerate(self.layers)}
        places = [(each.batch, row[each.layer], each.head) for each in self.heads]
        return tuple(np.array(places, np.intp).reshape(-1, 3).T)


def _can(partial: Partial, name: str) -> bool:
    """Return whether a partial has what a statistic is taken from: key norms are in one only."""
    return STATISTICS[name].of in partial.tallies


def numbers_of(found: Survey) -> HeadNumbers:
    """Return the numbers of what a survey knows."""
    heads = tuple(dict.fromkeys(block.head for block in found.plan.blocks))
    return HeadNumbers(found.plan.masks, heads, {}, _unknown(heads)).grown(found)


def empty(capture: Capture, plan: Plan) -> HeadTable:
    """Return the table of a plan for a capture, of which nothing is known."""
    heads = plan.question.chosen(capture)
    return HeadTable(plan.masks, heads, {}, _unknown(heads), capture=capture)


def _unknown(heads: tuple[HeadId, ...]) -> Mapping[str, Numbers]:
    return {name: np.full(len(heads), np.nan) for name in STATISTICS}
