"""A question: where the scores come from, and what is done with them."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

from attn_tui.compute.errors import InputError
from attn_tui.compute.mask import Mask
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Source, Vector, Vectors


@dataclass(frozen=True)
class Experiment:
    """A question that can be answered.

    Attributes:
        source: Where the scores come from.
        setup: What is done with them; its d_k is that of the source, if the source has one.
        vectors: The masked scores; each vector is made when it is first accessed.

    Raises:
        InputError: If no scores can be used, a mask extends past their end, or the rule yields no
            multiplier.
    """

    source: Source
    setup: Setup = Setup()
    vectors: Vectors = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.source.d_k is not None:
            object.__setattr__(self, "setup", replace(self.setup, d_k=self.source.d_k))
        if not self.source.normalises:
            expected = "another rule, or scores of q and k: type n = 64"
            self.setup.scale.check_unnormalised("rule", "typed scores have none", expected)
        vectors, mask = self.source.vectors(self.setup), self.setup.mask
        longest = vectors.n_keys
        for start, stop in mask.ranges:
            # A range with an end must end inside the vector; one without must begin inside it.
            missing = start if stop is None else max(start, stop - 1)
            if missing >= longest:
                expected = (
                    "key 0, the only one" if longest == 1 else f"keys from 0 to {longest - 1:,}"
                )
                raise InputError("mask", f"there is no key {max(start, longest):,}", expected)
        if mask:
            vectors = _masked(mask, vectors)
        try:
            # Multipliers never fall with n, so checking the longest vector makes none of them.
            self.setup.scale.multiplier(self.setup.d_k, vectors.n_keys)
        except InputError:
            for vector in vectors:
                self.setup.scale.logit_map(self.setup.d_k, vector.n_attended)
        object.__setattr__(self, "vectors", vectors)


@lru_cache(maxsize=4)
def _masked(mask: Mask, vectors: Vectors) -> Vectors:
    """Return vectors with the keys of a mask masked; cached, to return the same objects."""

    def masked(row: int) -> Vector:
        hidden = [slice(start, stop) for start, stop in mask.ranges]
        if mask.causal:
            hidden.append(slice(vectors.position(row) + 1, None))
        return vectors.once(row).masked(hidden)

    return Vectors(len(vectors), vectors.n_keys, masked, vectors.positions, vectors.name)
