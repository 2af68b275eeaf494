"""Every statistic of every head as arrays, layers × heads."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.compute.heads.partial import Partial
from attn_tui.compute.heads.reconstruction import Reconstruction
from attn_tui.compute.heads.statistic import STATISTICS, TAU
from attn_tui.engine.survey import Survey

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeadTable:
    """What is known of the heads of a capture.

    Attributes:
        capture: The tensors.
        masks: How weights of each layer are made.
        heads: All heads, by sequence, layer and head.
        partials: What is known of each of which anything is.
        numbers: By the name of a statistic its value of each head, shape (heads,); NaN where it
            is not known, or there is none.
    """

    capture: Capture
    masks: Mapping[int, Reconstruction]
    heads: tuple[HeadId, ...]
    partials: Mapping[HeadId, Partial]
    numbers: Mapping[str, Numbers]

    @classmethod
    def of(cls, found: Survey) -> "HeadTable":
        """Return the table of what a survey knows."""
        plan, known = found.plan, found.heads
        heads = plan.heads
        numbers = {name: np.full(len(heads), np.nan) for name in STATISTICS}
        for at, head in enumerate(heads):
            if head in known:
                for name, values in numbers.items():
                    values[at] = known[head].value(name).value
        return cls(plan.capture, plan.masks, heads, known, numbers)

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

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers there are, rising."""
        return self.capture.layers

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

    def uncounted(self, name: str) -> frozenset[HeadId]:
        """Return the heads whose statistic is known and does not count."""
        return frozenset(head for head, each in self.partials.items() if not each.counts(name))

    def grid(self, name: str, batch: int, tau: float = TAU) -> Numbers:
        """Return a statistic, shape (layers, n_heads); NaN where nothing is."""
        grid = np.full((len(self.layers), self.n_heads), np.nan)
        row = {layer: at for at, layer in enumerate(self.layers)}
        for head, value in zip(self.heads, self.values(name, tau), strict=True):
            if head.batch == batch:
                grid[row[head.layer], head.head] = value
        return grid
