"""Attention as people write it, right and wrong: each fault is a few lines away from what is right.

Faults are named as issue lists and test names have them; `FAULTS` has them all but those of the
backward pass.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
Kernel = Callable[..., Numbers]
CAP = 20.0
SINKS = np.array([0.5, 1.0, 2.0, 3.0])
WINDOW = 16


def repeated(q: Numbers, k: Numbers) -> Numbers:
    """Return KV heads once for each head of q that has them."""
    return np.repeat(k, q.shape[1] // k.shape[1], axis=1)


def scores(q: Numbers, k: Numbers) -> Numbers:
    s: Numbers = q @ repeated(q, k).swapaxes(2, 3)
    return s


def softmax(z: Numbers, axis: int = 3) -> Numbers:
    p = np.exp(z - z.max(axis, keepdims=True))
    weights: Numbers = p / p.sum(axis, keepdims=True)
    return weights


def out_of(p: Numbers, v: Numbers) -> Numbers:
    out: Numbers = p @ np.repeat(v, p.shape[1] // v.shape[1], axis=1)
    return out


def below(z: Numbers, ahead: int = 0) -> Numbers:
    """Return which keys are at most so many places ahead of each query."""
    n_q, n = z.shape[2:]
    return np.tri(n_q, n, n - n_q + ahead, dtype=bool)


def hidden(z: Numbers, seen: Numbers) -> Numbers:
    return np.where(seen, z, -np.inf).astype(z.dtype)


def plain(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """Every key, 1/√d_k: right."""
    return out_of(softmax(scores(q, k) / np.float32(q.shape[3] ** 0.5)), v)


def causal(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """Causal: right."""
    z = scores(q, k) / np.float32(q.shape[3] ** 0.5)
    return out_of(softmax(hidden(z, below(z))), v)


def scaled_by(multiplier: Callable[..., float]) -> Kernel:
    """Return attention with another m, of d_k, d_v and n."""

    def attention(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        m = multiplier(q.shape[3], v.shape[3], k.shape[2])
        return out_of(softmax(np.float32(m) * scores(q, k)), v)

    return attention


def after_softmax(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    return out_of(softmax(scores(q, k)) / np.float32(q.shape[3] ** 0.5), v)


def capped(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """A soft cap, causal: right."""
    z = scores(q, k) / np.float32(q.shape[3] ** 0.5)
    z = np.float32(CAP) * np.tanh(z / np.float32(CAP))
    return out_of(softmax(hidden(z, below(z))), v)


def cap_after_mask(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    z = scores(q, k) / np.float32(q.shape[3] ** 0.5)
    z = hidden(z, below(z))
    return out_of(softmax(np.float32(CAP) * np.tanh(z / np.float32(CAP))), v)


def cap_without_divisor(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    z = scores(q, k) / np.float32(q.shape[3] ** 0.5)
    z = np.float32(CAP) * np.tanh(z)
    return out_of(softmax(hidden(z, below(z))), v)


def with_sink(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """A sink without a value, causal: right."""
    z = scores(q, k) / np.float32(q.shape[3] ** 0.5)
    z = hidden(z, below(z))
    b = np.broadcast_to(SINKS.astype(z.dtype)[:, None, None], (*z.shape[:3], 1))
    return out_of(softmax(np.concatenate([z, b], 3))[..., :-1], v)


def sink_with_value(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    z = scores(q, k) / np.float32(q.shape[3] ** 0.5)
    z = hidden(z, below(z))
    b = np.broadcast_to(SINKS.astype(z.dtype)[:, None, None], (*z.shape[:3], 1))
    one = np.cos(np.arange(v.shape[3], dtype=v.dtype))
    more = np.broadcast_to(one, (*v.shape[:2], 1, v.shape[3]))
    return out_of(softmax(np.concatenate([z, b], 3)), np.concatenate([v, more], 2))


def masked_by(seen: Callable[[Numbers], Numbers]) -> Kernel:
    """Return attention with another mask."""

    def attention(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        z = scores(q, k) / np.float32(q.shape[3] ** 0.5)
        return out_of(softmax(hidden(z, seen(z))), v)

    return attention


def no_longer_than(window: int, is_causal: bool = True) -> Callable[[Numbers], Numbers]:
    """Return a window of keys, with the query's own."""

    def seen(z: Numbers) -> Numbers:
        near = ~below(z, -window)
        return near & below(z) if is_causal else near & below(z, window - 1)

    return seen


def padding(n_q: int, n: int) -> Numbers:
    """Return the mask of a text of which the last eighth is padding."""
    return np.broadcast_to(np.arange(n) < max(n - n // 8, 1), (n_q, n))


def last_row_hidden(n_q: int, n: int) -> Numbers:
    """Return a mask that hides every key from the last query, if there are several."""
    seen = np.ones((n_q, n), bool)
    seen[1:][-1:] = False
    return seen


def by_mask(q: Numbers, k: Numbers, v: Numbers, mask: Numbers) -> Numbers:
    """A mask of the caller's: right. A row that sees no key is NaN."""
    return masked_by(lambda z: mask)(q, k, v)


def inverted(q: Numbers, k: Numbers, v: Numbers, mask: Numbers) -> Numbers:
    return masked_by(lambda z: ~mask)(q, k, v)


def on_queries(q: Numbers, k: Numbers, v: Numbers, mask: Numbers) -> Numbers:
    return masked_by(lambda z: mask[-1][:, None])(q, k, v)


def spreading_nan(q: Numbers, k: Numbers, v: Numbers, mask: Numbers) -> Numbers:
    out = by_mask(q, k, v, mask)
    return np.asarray(out + np.float32(0) * out.sum(2, keepdims=True))


def over(axis: int) -> Kernel:
    """Return softmax over another axis than the keys."""

    def attention(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        return out_of(softmax(scores(q, k) / np.float32(q.shape[3] ** 0.5), axis), v)

    return attention


def reshaped(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    out = plain(q, k, v)
    return out.swapaxes(1, 2).reshape(out.shape)


def tiled(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    group = q.shape[1] // k.shape[1]
    return plain(q, np.tile(k, (1, group, 1, 1)), np.tile(v, (1, group, 1, 1)))


def first_kv_head(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    return plain(q, k[:, :1], v[:, :1])


def batches_mixed(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    return plain(q, k[:1].repeat(len(k), 0), v)


def writing(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    out = plain(q, k, v)
    k *= np.float32(q.shape[3] ** -0.5)
    return out


def leaking(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    out = causal(q, k, v)
    if k.shape[2] == 129:
        out[:, :, -2] += np.float32(1e-3) * repeated(q, v)[:, :, -1]
    return out


def whole_blocks(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    n = k.shape[2]
    kept = n // 64 * 64 or n
    return plain(q, k[:, :, :kept], v[:, :, :kept])


def without_rescaling(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """A running maximum, by blocks of keys: the sum so far keeps the old one."""
    z = scores(q, k) / np.float32(q.shape[3] ** 0.5)
    values = repeated(q, v)
    top = np.full((*z.shape[:3], 1), -np.inf, z.dtype)
    total, out = np.zeros_like(top), np.zeros((*z.shape[:3], v.shape[3]), z.dtype)
    for start in range(0, z.shape[3], 32):
        block = z[..., start : start + 32]
        new = np.maximum(top, block.max(3, keepdims=True))
        p = np.exp(block - new)
        out = out * np.exp(top - new) + p @ values[:, :, start : start + 32]
        total = total + p.sum(3, keepdims=True)
        top = new
    return out / total


def float8_weights(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    p = softmax(scores(q, k) / np.float32(q.shape[3] ** 0.5))
    return out_of(p.astype(ml_dtypes.float8_e4m3fn).astype(np.float32), v)


def dropping(seed: list[int]) -> Kernel:
    """Return attention with dropout left on."""

    def attention(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        seed[0] += 1
        p = softmax(scores(q, k) / np.float32(q.shape[3] ** 0.5))
        kept = np.random.default_rng(seed[0]).random(p.shape) >= 0.1
        return out_of((p * kept / np.float32(0.9)).astype(np.float32), v)

    return attention


def without_strides(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    def as_if_contiguous(array: Numbers) -> Numbers:
        base = array if array.base is None or array.flags.c_contiguous else array.base
        while base.base is not None and not array.flags.c_contiguous:
            base = base.base
        return base.reshape(-1)[: array.size].reshape(array.shape)

    return plain(*(as_if_contiguous(one) for one in (q, k, v)))


def with_d_k_for_d_v(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """V is read as if its rows were as long as those of K."""
    short = v.reshape(-1)
    long = np.resize(short, k.size).reshape(k.shape)
    return plain(q, k, long)[..., : v.shape[3]]


@dataclass(frozen=True)
class KernelFault:
    """A wrong kernel.

    Attributes:
        kernel: The function.
        says: What the diagnosis has to say.
        promise: What is promised of it.
        right: A function that is right under the same promise.
        inputs: Further arguments of the probe.
    """

    kernel: Kernel
    says: str
    promise: Mapping[str, Any] = field(default_factory=dict)
    right: Kernel = plain
    inputs: Mapping[str, Any] = field(default_factory=dict)


CAUSAL = {"causal": True}
CAPPED = {"causal": True, "softcap": CAP}
SUNK = {"causal": True, "sink": SINKS}
GROUPED = {"heads": 4, "kv_heads": 2}

FIRST: Mapping[str, KernelFault] = {
    "no scale": KernelFault(
        scaled_by(lambda d_k, d_v, n: 1.0), "heads, promised 0.125 = 1/√64: no scale at all"
    ),
    "1/d_k": KernelFault(
        scaled_by(lambda d_k, d_v, n: 1 / d_k), "m = 0.015625 = 1/64 = 1/d_k in all"
    ),
    "scale twice": KernelFault(
        scaled_by(lambda d_k, d_v, n: d_k**-0.5 * d_k**-0.5), "the scale twice"
    ),
    "√d_v": KernelFault(
        scaled_by(lambda d_k, d_v, n: d_v**-0.5), "promised 0.125 = 1/√64: √d_v for √d_k?",
        inputs={"d_v": 48},
    ),
    "√n_k": KernelFault(
        scaled_by(lambda d_k, d_v, n: n**-0.5), "√n of the number of keys for √d_k?"
    ),
    "m after the softmax": KernelFault(after_softmax, "the scale stands after the softmax"),
    "cap missing": KernelFault(causal, "soft cap none, promised 20: dropped?", CAPPED, capped),
    "cap after the mask": KernelFault(
        cap_after_mask, "the cap is applied after the mask", CAPPED, capped
    ),
    "cap without 1/c": KernelFault(
        cap_without_divisor, "the cap is 20·tanh(z) in place of 20·tanh(z/20)", CAPPED, capped
    ),
    "sink missing": KernelFault(causal, "the sinks are dropped", SUNK, with_sink),
}  # fmt: skip

MORE: Mapping[str, KernelFault] = {
    "sink with a value": KernelFault(sink_with_value, "the sink has a value", SUNK, with_sink),
    "causal missing": KernelFault(plain, "mask none, promised causal", CAUSAL, causal),
    "its own key hidden": KernelFault(
        masked_by(lambda z: below(z, -1) | (np.arange(z.shape[2]) < 1)[:, None]),
        "the query's own key is hidden", CAUSAL, causal,
    ),
    "one key ahead": KernelFault(
        masked_by(lambda z: below(z, 1)), "each query sees one key ahead", CAUSAL, causal
    ),
    "top left for bottom right": KernelFault(
        masked_by(lambda z: np.tri(*z.shape[2:], dtype=bool)),
        "aligned at the top left, as is_causal does?", CAUSAL, causal, {"decode": True},
    ),
    "window one longer": KernelFault(
        masked_by(no_longer_than(WINDOW + 1)), "is the query's own key counted?",
        {"window": WINDOW}, masked_by(no_longer_than(WINDOW)),
    ),
    "window without causal": KernelFault(
        masked_by(no_longer_than(WINDOW, is_causal=False)), "is it the window without causal",
        {"window": WINDOW}, masked_by(no_longer_than(WINDOW)),
    ),
    "mask inverted": KernelFault(
        inverted, "each query sees the keys that it should not", {"mask": padding}, by_mask
    ),
    "padding mask applied to queries instead of keys": KernelFault(
        on_queries, "the mask is applied to queries, not to keys", {"mask": padding}, by_mask
    ),
    "NaN of a hidden row in other rows": KernelFault(
        spreading_nan, "rows that see no key", {"mask": last_row_hidden}, by_mask
    ),
    "softmax over queries": KernelFault(over(2), "softmax was taken over the queries"),
    "softmax over heads": KernelFault(over(1), "softmax was taken over the heads"),
    "heads and positions exchanged by a reshape": KernelFault(
        reshaped, "heads and positions are exchanged by a reshape"
    ),
    "KV heads tiled": KernelFault(tiled, "tiled, not repeated?", inputs=GROUPED),
    "always KV head 0": KernelFault(first_kv_head, "all have KV head 0", inputs=GROUPED),
    "batches mixed": KernelFault(batches_mixed, "sequences mix"),
    "k written to": KernelFault(writing, "it writes to its input k"),
    "a leak only at n = 129": KernelFault(
        leaking, "a leak from the future at n = 129", CAUSAL, causal
    ),
    "last block dropped where n is no multiple of 64": KernelFault(
        whole_blocks, "the last block is dropped"
    ),
    "running maximum without rescaling the sum": KernelFault(
        without_rescaling, "the running sum is not rescaled"
    ),
    "weights rounded to float8": KernelFault(float8_weights, "weights are rounded to float8"),
    "dropout left on": KernelFault(dropping([0]), "dropout"),
    "strides ignored": KernelFault(without_strides, "with strided arrays: are strides ignored?"),
    "d_v ≠ d_k wrong": KernelFault(with_d_k_for_d_v, "only with d_v ≠ d_k"),
}  # fmt: skip


def sloping(n_q: int, n: int) -> Numbers:
    """Return ALiBi's biases of four heads."""
    away = np.abs(np.arange(n - n_q, n)[:, None] - np.arange(n))
    return np.asarray(-(2.0 ** -np.arange(1, 5))[:, None, None] * away, np.float32)


def biased_by(factor: float) -> Kernel:
    """Return causal attention with ALiBi, whose biases count so many times."""

    def attention(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        z = scores(q, k) / np.float32(q.shape[3] ** 0.5)
        z = z + np.float32(factor) * sloping(*z.shape[2:])
        return out_of(softmax(hidden(z, below(z))), v)

    return attention


def capped_by(bent: Callable[[Numbers, np.float32], Numbers]) -> Kernel:
    """Return causal attention with another cap, a function of the scores and of m."""

    def attention(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        z = bent(scores(q, k), np.float32(q.shape[3] ** -0.5))
        return out_of(softmax(hidden(z, below(z))), v)

    return attention


def square_turned(part: int) -> Kernel:
    """Return attention that transposes q, k or v where it is square."""

    def attention(*arrays: Numbers) -> Numbers:
        turned = [*arrays]
        if arrays[part].shape[2] == arrays[part].shape[3]:
            turned[part] = arrays[part].swapaxes(2, 3)
        return plain(*turned)

    return attention


def late_mask(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    p = softmax(scores(q, k) / np.float32(q.shape[3] ** 0.5))
    return out_of(p * below(p), v)


def narrow_sum(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """The logarithm of the sum is rounded to float16."""
    s = scores(q, k) / np.float32(q.shape[3] ** 0.5)
    z = hidden(s, below(s))
    top = z.max(3, keepdims=True)
    total = top + np.log(np.exp(z - top).sum(3, keepdims=True))
    return out_of(np.exp(z - total.astype(np.float16).astype(np.float32)), v)


def turning(*parts: int) -> Kernel:
    """Return causal attention that turns q or k by RoPE itself."""

    def attention(*arrays: Numbers) -> Numbers:
        turned = [*arrays]
        for part in parts:
            array = arrays[part]
            half = array.shape[3] // 2
            angles = np.arange(array.shape[2])[:, None] * 1e4 ** (-np.arange(half) / half)
            cos, sin = np.cos(angles), np.sin(angles)
            one, two = array[..., :half], array[..., half:]
            both = [one * cos - two * sin, two * cos + one * sin]
            turned[part] = np.concatenate(both, 3).astype(array.dtype)
        return causal(*turned)

    return attention


def of_positions(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """Causal, of arrays with positions before heads."""
    return causal(*(one.swapaxes(1, 2) for one in (q, k, v))).swapaxes(1, 2)


def normalised(size: float) -> Kernel:
    """Return causal attention of queries and keys of one length, or of one mean square."""

    def attention(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
        lengths = [np.linalg.norm(one, axis=3, keepdims=True) / size for one in (q, k)]
        return causal(*((q / lengths[0]).astype(q.dtype), (k / lengths[1]).astype(q.dtype)), v)

    return attention


def turning_and_scaling(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    return turning(0, 1)(q / np.float32(q.shape[3] ** 0.5), k, v)


def half_the_output(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """As many threads as a warp has write the output."""
    out = plain(q, k, v)
    out[..., 32:] = 0
    return out


def half_the_keys(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """The loop over d_k is written for 32."""
    return out_of(softmax(scores(q[..., :32], k[..., :32]) / np.float32(q.shape[3] ** 0.5)), v)


def stale(q: Numbers, k: Numbers, v: Numbers) -> Numbers:
    """One slot of the cache has what another sequence left there."""
    k, v = k.copy(), v.copy()
    k[:, :, k.shape[2] // 2], v[:, :, k.shape[2] // 2] = np.cos(np.arange(k.shape[3])), 1
    return causal(q, k, v)


BIASED = {"causal": True, "bias": sloping}
C = np.float32(CAP)

PLANTED: Mapping[str, KernelFault] = {
    "sign of ALiBi": KernelFault(
        biased_by(-1), "the sign of the bias is turned", BIASED, biased_by(1)
    ),
    "bias before the scale": KernelFault(
        biased_by(0.125), "counts 0.125 times: is it added before the scale?", BIASED, biased_by(1)
    ),
    "bias twice": KernelFault(biased_by(2), "is it added twice?", BIASED, biased_by(1)),
    "cap before the scale": KernelFault(
        capped_by(lambda s, m: m * C * np.tanh(s / C)), "the cap of 20 stands before the scale",
        CAPPED, capped,
    ),
    "cap without c": KernelFault(
        capped_by(lambda s, m: np.tanh(m * s / C)), "the cap is tanh(z/20) in place of", CAPPED,
        capped,
    ),
    "logits cut off": KernelFault(
        capped_by(lambda s, m: np.clip(m * s, -C, C)), "logits are cut off at ±20", CAPPED, capped
    ),
    "mask after the softmax": KernelFault(
        late_mask, "the mask is applied after the softmax", CAUSAL, causal
    ),
    "a sum in float16": KernelFault(
        narrow_sum, "the weights of a row do not sum to 1", CAUSAL, causal
    ),
    "V transposed": KernelFault(square_turned(2), "V is transposed where it is square"),
    "K transposed": KernelFault(square_turned(1), "K is transposed where it is square"),
    "RoPE in the kernel": KernelFault(turning(0, 1), "RoPE turns q and k", CAUSAL, causal),
    "RoPE on k": KernelFault(turning(1), "RoPE turns k", CAUSAL, causal),
    "QK-norm": KernelFault(
        normalised(8.0), "q and k are divided by their root mean square (QK-norm)", CAUSAL, causal
    ),
    "cosine": KernelFault(normalised(1.0), "q and k are normalised to length 1", CAUSAL, causal),
    "RoPE, and m twice": KernelFault(
        turning_and_scaling, "RoPE turns q and k, and m counts twice", CAUSAL, causal
    ),
    "half of the output": KernelFault(
        half_the_output, "channels 32–63 of the output are 0 in all "
    ),
    "half of q and k": KernelFault(
        half_the_keys, "q·k runs over the first 32 of 64 numbers"
    ),
    "a stale slot of the cache": KernelFault(
        stale, "a stale slot of the KV cache?", CAUSAL, causal
    ),
    "positions before heads": KernelFault(
        of_positions, 'with layout="bnhd" it agrees', CAUSAL, causal
    ),
}  # fmt: skip
"""Faults that somebody planted who had read README.md alone."""

FAULTS = {**FIRST, **MORE, **PLANTED}
