"""The inputs of a probe: which calls are made, and q, k and v of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attn_tui.captures.stored import Raw
from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.numbers import six_digits
from attn_tui.diagnosis.call import CallShape

LENGTHS = (1, 2, 17, 64, 127, 128, 129, 257, 513)
"""The numbers of keys that calls have: around the blocks of kernels, and the smallest."""
QUICK = (2, 17, 65)
"""The numbers of keys of a quick probe."""
SPREADS = (0.5, 1.0, 3.0, 8.0)
"""The standard deviations of the logits of one head after another, if m is 1/√d_k.

Small logits show a sink, large ones a cap, and middling ones m.
"""
SEQUENCES = 3
"""How many sequences a batch has, if it has several."""
LARGE = {"float16": 32_752.0}
"""The largest |q·k| of extreme inputs, by format: half of the largest number of float16."""
LARGE_ELSEWHERE = 1e4
BEYOND = {"float16": 65_504.0 * 4}
"""The same where the caller asks for more."""
BEYOND_ELSEWHERE = 1e30
SHARE = 0.98
"""The share of the largest |q·k| that is drawn, since q and k are rounded."""
NEGATIVE = 1.5
"""By how many caps the logits of the first head lie below 0."""
PLAIN_LENGTH = 64
"""The number of keys of the calls that differ from a plain one in something else."""


@dataclass(frozen=True)
class CallInputs:
    """What one call is given.

    Attributes:
        shape: The sizes.
        number: The number of the call, which its random numbers depend on.
        is_strided: Whether arrays are parts of larger ones, with heads after positions.
        largest: The largest |q·k| if the inputs are extreme; else None.
    """

    shape: CallShape
    number: int = 0
    is_strided: bool = False
    largest: float | None = None

    @property
    def text(self) -> str:
        """The sizes in words: ``n = 17, 3 sequences``."""
        return ", ".join(self._texts())

    def _texts(self) -> Iterator[str]:
        shape = self.shape
        yield f"n = {shape.keys:,}"
        if shape.queries != shape.keys:
            yield f"n_q = {shape.queries:,}"
        if shape.batch > 1:
            yield f"{shape.batch} sequences"
        if shape.d_v != shape.d_k:
            yield f"d_v = {shape.d_v}"
        if self.is_strided:
            yield "strided arrays"
        if self.largest is not None:
            yield f"|q·k| up to {six_digits(self.largest)}"


@dataclass(frozen=True)
class ProbePlan:
    """Which calls are made.

    Attributes:
        heads: The number of query heads.
        kv_heads: The number of heads of keys and values.
        d_k: The length of queries and keys.
        d_v: The length of values; None for d_k, and once another.
        lengths: The numbers of keys; empty for the usual ones.
        decode: Whether there are calls with fewer queries than keys.
        quick: Whether there are few calls.
        extremes: Whether |q·k| goes beyond what every kernel should bear.
        dtype: The format of the arrays.
        seed: What is drawn.
    """

    heads: int
    kv_heads: int
    d_k: int
    d_v: int | None
    lengths: tuple[int, ...]
    decode: bool
    quick: bool
    extremes: bool
    dtype: str
    seed: int

    def inputs(self) -> tuple[CallInputs, ...]:
        """Return the inputs of all calls."""
        return tuple(replace(one, number=place) for place, one in enumerate(self._every()))

    def _every(self) -> Iterator[CallInputs]:
        lengths = self.lengths or (QUICK if self.quick else LENGTHS)
        d_v = self.d_v or self.d_k
        plain = CallShape(1, self.heads, self.kv_heads, 1, 1, self.d_k, d_v)
        for place, n in enumerate(lengths):
            # One of the shorter lengths comes with several sequences.
            batch = SEQUENCES if place == min(2, len(lengths) - 1) else 1
            yield CallInputs(replace(plain, batch=batch, queries=n, keys=n))
        n = PLAIN_LENGTH if PLAIN_LENGTH in lengths else lengths[len(lengths) // 2]
        usual = replace(plain, queries=n, keys=n)
        yield CallInputs(usual, is_strided=True)
        if self.d_v is None and not self.quick:
            yield CallInputs(replace(usual, d_v=max(3 * self.d_k // 4, 1)))
        if self.decode:
            for queries, keys in _decoding(lengths):
                yield CallInputs(replace(plain, queries=queries, keys=keys))
        most = LARGE.get(self.dtype, LARGE_ELSEWHERE)
        if self.extremes:
            most = BEYOND.get(self.dtype, BEYOND_ELSEWHERE)
        yield CallInputs(usual, largest=most)


def _decoding(lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield numbers of queries and of keys with fewer queries than keys."""
    longer = [n for n in lengths if n > 1]
    for place, n in enumerate(longer[1:] or longer):
        yield max(1, n // 3 if place % 2 else 1), n


def drawn(inputs: CallInputs, plan: ProbePlan, softcap: float | None = None) -> dict[str, Raw]:
    """Return q, k and v of a call, [batch, heads, n, d], in the format of the plan.

    Args:
        inputs: The sizes, and the number of the call.
        plan: The format, and the seed.
        softcap: The promised cap, which the largest logits have to come near.
    """
    shape = inputs.shape
    rng = np.random.default_rng([plan.seed, inputs.number])
    q = rng.standard_normal((shape.batch, shape.heads, shape.queries, shape.d_k))
    k = rng.standard_normal((shape.batch, shape.kv_heads, shape.keys, shape.d_k))
    v = rng.standard_normal((shape.batch, shape.kv_heads, shape.keys, shape.d_v))
    q = q * spreads(inputs, softcap)[:, None, None]
    if softcap is not None:
        by = shift(softcap, shape.d_k)
        q[:, 0], k[:, 0] = q[:, 0] + by, k[:, 0] - by
    if inputs.largest is not None:
        group = shape.heads // shape.kv_heads
        most = float(np.abs(q @ np.repeat(k, group, axis=1).swapaxes(2, 3)).max())
        factor = (SHARE * inputs.largest / most) ** 0.5
        q, k = q * factor, k * factor
    dtype = dtype_of(plan.dtype)
    return {"q": q.astype(dtype), "k": k.astype(dtype), "v": v.astype(dtype)}


def spreads(inputs: CallInputs, softcap: float | None) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return the spread of the logits of each head, shape (heads,); of one head, by the call."""
    largest = max(SPREADS[-1], (softcap or 0.0) / 3.0)
    every = (*SPREADS[:-1], largest)
    first = inputs.number + 1 if inputs.shape.heads < len(every) else 0
    return np.array([every[(first + head) % len(every)] for head in range(inputs.shape.heads)])


def shift(softcap: float, d_k: int) -> float:
    """Return what is added to each number of q, and taken from k, of the first head.

    Its logits are then far below 0, where a hidden key that is capped after the mask has as much
    weight as one that is seen.
    """
    return float((NEGATIVE * softcap * d_k**-0.5) ** 0.5)


def laid_out(array: Raw, layout: str, is_strided: bool) -> Raw:
    """Return an array [batch, heads, n, d] with its axes in another order.

    Args:
        array: The array.
        layout: The axes: ``bhnd``, ``bnhd``, or without b or h.
        is_strided: Whether it is to be every second position of a larger array, in which heads
            follow positions; else it is contiguous.
    """
    if is_strided:
        wide = np.full((array.shape[0], 2 * array.shape[2], array.shape[1], array.shape[3]), 7.0)
        memory = wide.astype(array.dtype)
        memory[:, ::2] = array.swapaxes(1, 2)
        array = memory[:, ::2].swapaxes(1, 2)
    kept = "".join(axis for axis in "bhnd" if axis in layout)
    array = array[tuple(slice(None) if axis in layout else 0 for axis in "bhnd")]
    turned = array.transpose([kept.index(axis) for axis in layout])
    return turned if is_strided else np.array(turned, order="C")


def from_layout(array: Raw, layout: str) -> Raw:
    """Return an array with axes in a layout as [batch, heads, n, d]; the opposite of `laid_out`."""
    for axis in "bh":
        if axis not in layout:
            array, layout = array[None], f"{axis}{layout}"
    return array.transpose([layout.index(axis) for axis in "bhnd"])
