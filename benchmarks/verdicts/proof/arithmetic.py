"""Attention of one layer: exactly, and by five honest arithmetics of a number format."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Reals = NDArray[Any]
"""Real numbers in float32 or float64."""
Truths = NDArray[np.bool_]

_TYPES: Mapping[str, np.dtype[Any]] = {
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}


@dataclass(frozen=True)
class Format:
    """A number format of a capture.

    Attributes:
        name: Its name in tables.
        arithmetic: The type that honest arithmetic rounds to.
        tensors: The type in which q, k and v are stored.
        output: The type in which the output is stored.
    """

    name: str
    arithmetic: str
    tensors: str
    output: str

    def __str__(self) -> str:
        return self.name

    @property
    def is_narrow(self) -> bool:
        """Whether its arithmetic rounds to 16 bits."""
        return self.arithmetic != "float32"

    @property
    def unit(self) -> float:
        """The distance from 1 to the next number of its arithmetic."""
        return float(np.spacing(np.ones((), _TYPES[self.arithmetic])))

    def rounded(self, values: Reals) -> Reals:
        """Return values rounded to the type of the arithmetic, in float32."""
        return values.astype(_TYPES[self.arithmetic]).astype(np.float32)

    def tensor(self, values: Reals) -> NDArray[Any]:
        """Return values in the type in which q, k and v are stored."""
        return values.astype(_TYPES[self.tensors])

    def stored_output(self, values: Reals) -> NDArray[Any]:
        """Return an output in the type in which it is stored."""
        return values.astype(_TYPES[self.output])


FORMATS: tuple[Format, ...] = (
    Format("float32", "float32", "float32", "float32"),
    Format("float16", "float16", "float16", "float16"),
    Format("bfloat16", "bfloat16", "bfloat16", "bfloat16"),
    Format("float32, out float64", "float32", "float32", "float64"),
    Format("bfloat16 in float32", "bfloat16", "float32", "float32"),
)


@dataclass(frozen=True, eq=False)
class Computation:
    """What the heads of one layer compute.

    Attributes:
        queries: Shape (b, h, n_q, d).
        keys: Shape (b, h_kv, n, d).
        values: Shape (b, h_kv, n, d_v).
        kv_heads: The KV head of each head, shape (h,).
        multiplier: m.
        seen: Which keys each query sees, shape (b, 1, n_q, n).
        softcap: The cap, or None.
        sinks: The logit of each head's sink, shape (h, 1, 1), or None.
        bias: What is added to logits, shape (h, n_q, n), or None.
        value_scale: What the output is multiplied by.
        over_queries: Whether weights of a key sum to 1 over queries; `inside` and `exact` alone.
    """

    queries: Reals
    keys: Reals
    values: Reals
    kv_heads: NDArray[np.intp]
    multiplier: float
    seen: Truths
    softcap: float | None = None
    sinks: Reals | None = None
    bias: Reals | None = None
    value_scale: float = 1.0
    over_queries: bool = False

    @property
    def head_values(self) -> Reals:
        """The values of each head, shape (b, h, n, d_v)."""
        return self.values[:, self.kv_heads]

    def logits(self, product: "Step", element: "Step") -> Reals:
        """Return logits, −∞ where a key is hidden, shape (b, h, n_q, n).

        Args:
            product: Rounds q·k, and q·k times m.
            element: Rounds every later step.
        """
        keys = self.keys[:, self.kv_heads]
        z = product(self.queries @ keys.swapaxes(-1, -2))
        z = product(z * self.multiplier)
        if self.softcap is not None:
            capped = element(np.tanh(element(z / self.softcap)))
            z = element(capped * self.softcap)
        if self.bias is not None:
            z = element(z + self.bias)
        return np.where(self.seen, z, -np.inf)


Step = Callable[[Reals], Reals]
Arithmetic = Callable[[Computation, Format], Reals]
"""Returns the output, shape (b, h, n_q, d_v); rows that see no key are undefined."""


def _plain(values: Reals) -> Reals:
    return values


def _top(z: Reals, heads: Computation) -> Reals:
    """Return what is subtracted before exp: the largest logit, sinks included; 0 without any."""
    top = z.max(axis=-2 if heads.over_queries else -1, keepdims=True)
    if heads.sinks is not None:
        top = np.maximum(top, heads.sinks)
    return np.where(np.isfinite(top), top, 0)


def _total(exponentials: Reals, top: Reals, heads: Computation) -> Reals:
    """Return the sum that weights are divided by, sinks included."""
    axis = -2 if heads.over_queries else -1
    total = exponentials.sum(axis=axis, keepdims=True)
    if heads.sinks is not None:
        total = total + np.exp(heads.sinks - top)
    return np.asarray(total)


def weights(z: Reals, heads: Computation) -> Reals:
    """Return the weights of logits, without any rounding."""
    top = _top(z, heads)
    exponentials = np.exp(z - top)
    return np.asarray(exponentials / _total(exponentials, top, heads))


def inside(heads: Computation, format: Format) -> Reals:
    """Return the output with float32 inside and one rounding at the end."""
    p = weights(heads.logits(_plain, _plain), heads)
    return format.rounded(p @ heads.head_values * heads.value_scale)


def rounded_weights(heads: Computation, format: Format) -> Reals:
    """Return the output with e^(z − max) rounded before V, and divided by its sum after."""
    z = heads.logits(_plain, _plain)
    top = _top(z, heads)
    exponentials = np.exp(z - top)
    total = _total(exponentials, top, heads)
    out = format.rounded(exponentials) @ heads.head_values / total
    return format.rounded(out * heads.value_scale)


def rounded_scores(heads: Computation, format: Format) -> Reals:
    """Return the output with q·k and m·q·k rounded, softmax in float32, and weights rounded."""
    p = weights(heads.logits(format.rounded, _plain), heads)
    return format.rounded(format.rounded(p) @ heads.head_values * heads.value_scale)


def step_by_step(heads: Computation, format: Format) -> Reals:
    """Return the output with every step rounded."""
    step = format.rounded
    z = heads.logits(step, step)
    top = _top(z, heads)
    exponentials = step(np.exp(step(z - top)))
    total = exponentials.sum(axis=-1, keepdims=True)
    if heads.sinks is not None:
        total = total + step(np.exp(step(heads.sinks - top)))
    p = step(exponentials / step(total))
    return step(step(p @ heads.head_values) * heads.value_scale)


_CUBIC = (-0.07920424, -0.22433836, 0.30354261, 0.00010703)


def approximate_exp(x: Reals) -> Reals:
    """Return e^x for x ≤ 0 to 1.07e-4 of it, as PyTorch's flash kernel has it for 16 bits.

    The bits of a number are its logarithm of base 2, but for a cubic polynomial of the fraction
    (Malossi, Ineichen, Bekas and Curioni, Fast exponential computation on SIMD architectures).
    """
    power = np.maximum(x, -100.0) * np.log2(np.e)
    power = power - np.polyval(_CUBIC, power - np.floor(power))
    floor = np.floor(power)
    return np.where(x > -100.0, np.ldexp(1 + (power - floor), floor.astype(int)), 0).astype(x.dtype)


_BLOCKS = (16, 32, 48, 64)
"""Lengths of blocks of keys."""


def blocks(heads: Computation, format: Format) -> Reals:
    """Return the output by blocks of keys, with a running maximum and running sums.

    In 16 bits exponentials are approximated.
    """
    exp: Step = approximate_exp if format.is_narrow else np.exp
    z = heads.logits(_plain, _plain)
    n = z.shape[-1]
    length = _BLOCKS[n % len(_BLOCKS)]
    values = heads.head_values
    largest = np.full((*z.shape[:-1], 1), -np.inf, z.dtype)
    total = np.zeros_like(largest)
    if heads.sinks is not None:
        largest[:] = heads.sinks
        total += 1
    out = np.zeros((*z.shape[:-1], values.shape[-1]), z.dtype)
    for begin in range(0, n, length):
        block = z[..., begin : begin + length]
        larger = np.maximum(largest, block.max(axis=-1, keepdims=True))
        top = np.where(np.isfinite(larger), larger, 0)
        decay = np.exp(largest - top)
        exponentials = exp(block - top)
        total = total * decay + exponentials.sum(axis=-1, keepdims=True)
        out = out * decay + format.rounded(exponentials) @ values[..., begin : begin + length, :]
        largest = larger
    return format.rounded(out / total * heads.value_scale)


ARITHMETICS: Mapping[str, Arithmetic] = {
    "float32 inside": inside,
    "weights rounded": rounded_weights,
    "scores rounded": rounded_scores,
    "step by step": step_by_step,
    "blocks": blocks,
}
"""Honest arithmetics, by name."""


def exact(heads: Computation, format: Format | None = None) -> Reals:
    """Return the output in float64, shape (b, h, n_q, d_v)."""
    p = weights(exact_logits(heads), heads)
    return np.asarray(p @ heads.head_values.astype(np.float64) * heads.value_scale)


def exact_size(heads: Computation) -> Reals:
    """Return the size that errors of a row are relative to, max Σⱼ pⱼ|vⱼ|, shape (b, h, n_q)."""
    p = weights(exact_logits(heads), heads)
    sums = p @ np.abs(heads.head_values.astype(np.float64))
    return np.asarray(sums.max(axis=-1))


def exact_logits(heads: Computation) -> Reals:
    """Return logits in float64."""
    keys = heads.keys[:, heads.kv_heads].astype(np.float64)
    z = heads.queries.astype(np.float64) @ keys.swapaxes(-1, -2) * heads.multiplier
    if heads.softcap is not None:
        z = np.tanh(z / heads.softcap) * heads.softcap
    if heads.bias is not None:
        z = z + heads.bias
    return np.where(heads.seen, z, -np.inf)
