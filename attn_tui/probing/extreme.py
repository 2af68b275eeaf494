"""The output of a call with extreme |q·k|, held against what honest arithmetic may make of it.

Among logits of thousands a rounded score may turn a row from one key to another, and no model of
noise says by how much. What each score may be off by bounds what the output may be off by.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attn_tui.captures.stored import Raw, widened
from attn_tui.compute.arrays import Truths, limits
from attn_tui.compute.heads.head_model import LEARNED
from attn_tui.compute.heads.rows import Reals
from attn_tui.compute.text import counted
from attn_tui.diagnosis.call import CallShape
from attn_tui.diagnosis.promise import Stated
from attn_tui.files.models.promise import NONE, Promise
from attn_tui.probing.backward import BackwardHead, backward_head
from attn_tui.probing.probed import CallVerdict

SCORES = 3.0
"""A score may be off by so many spacings at its size: m, once or on both q and k, the product, and
the scaled product are each rounded by half of one."""
PRODUCTS = 2.5
"""A score may be off by so many times the norm of the spacings at its products: the numbers of a
scaled q or k are rounded, each by itself. Five standard errors are less than this."""
OUTPUTS = 4.0
"""An output may be off by so many spacings at Σ p·|v|: weights, their sum, and the output are
rounded."""


@dataclass(frozen=True, eq=False)
class ExtremeRows:
    """What the rows of a call with extreme |q·k| are; rows that see no key count for nothing.

    Attributes:
        not_finite: Rows that are NaN or infinite, shape (batch, heads, n_q).
        off: Rows that are numbers, but none that honest arithmetic of the format makes.
        is_telling: Whether half of m, and twice m, would each have been off in some row.
        is_bounded: Whether the promised output, and its bounds, are numbers in every row.
    """

    not_finite: Truths
    off: Truths
    is_telling: bool
    is_bounded: bool


def extreme_rows(head: BackwardHead, arrays: Mapping[str, Raw], out: Raw) -> ExtremeRows:
    """Return what the rows of a call with extreme |q·k| are.

    Args:
        head: The promised head.
        arrays: q, k and v, [batch, heads, n, d].
        out: The output, [batch, heads, n_q, d_v].
    """
    wide = {name: widened(array).astype(np.float64) for name, array in arrays.items()}
    kind = limits(arrays["q"].dtype)
    got = widened(out).astype(np.float64)
    sees = np.broadcast_to(head.seen.any(axis=3), got.shape[:3])
    finite = np.isfinite(got).all(axis=3)
    with np.errstate(all="ignore"):
        expected, room = _bounds(head, wide, kind)
        off = sees & finite & (np.abs(got - expected) > room).any(axis=3)
        is_bounded = (np.isfinite(expected) & np.isfinite(room)).all(axis=3)
        others = [
            _bounds(replace(head, multiplier=by * head.multiplier), wide, kind)[0]
            for by in (0.5, 2.0)
        ]
        is_telling = all(bool((np.abs(other - expected) > room)[sees].any()) for other in others)
    return ExtremeRows(sees & ~finite, off, is_telling, not (sees & ~is_bounded).any())


def extreme_verdict(
    promise: Promise, stated: Stated, shape: CallShape, arrays: Mapping[str, Raw], out: Raw
) -> tuple[CallVerdict, str, str]:
    """Return the verdict about a call with extreme |q·k|, what is wrong, and what was seen of it.

    Args:
        promise: What is promised of the call.
        stated: What the caller says of it, with its mask, bias and sinks.
        shape: The sizes.
        arrays: q, k and v, [batch, heads, n, d].
        out: The output, [batch, heads, n_q, d_v].
    """
    rows = extreme_rows(backward_head(promise, stated, shape), arrays, out)
    every = counted(rows.off.size, "row")
    not_finite, off = int(rows.not_finite.sum()), int(rows.off.sum())
    if not_finite:
        return "differs", f"the output is NaN or infinite in {not_finite:,} of {every}", ""
    if not _has_numbers(promise, stated, shape):
        return "silent", "", "no row is NaN or infinite; what is promised lacks a number"
    if off:
        are = "is" if off == 1 else "are"
        return "differs", f"{off:,} of {every} {are} not what is promised", ""
    if not rows.is_bounded:
        return "silent", "", "no row is NaN or infinite; what is promised is, in some"
    bounded = "each row is within rounding of what is promised"
    if rows.is_telling:
        return "agrees", "", bounded
    return "silent", "", f"{bounded}, which leaves room for another m"


def _has_numbers(promise: Promise, stated: Stated, shape: CallShape) -> bool:
    """Return whether every number that the promised output takes is known."""
    has_multiplier = promise.multiplier is not None
    is_masked = stated.has_mask(shape) or (promise.mask is not None and not promise.mask_varies)
    has_bias = stated.bias is not None or promise.bias in (None, NONE)
    has_sink = stated.sink is not None or promise.sink != LEARNED
    return has_multiplier and is_masked and has_bias and has_sink


def _bounds(head: BackwardHead, arrays: Mapping[str, Reals], kind: Any) -> tuple[Reals, Reals]:
    """Return the exact output, and by how much each number of an honest one may be off.

    Args:
        head: The promised head.
        arrays: q, k and v in float64, [batch, heads, n, d].
        kind: The limits of the format of the tensors, as `limits` returns them.
    """
    unit, least = float(kind.eps), float(kind.smallest_normal)
    q = arrays["q"]
    k, v = (np.repeat(arrays[part], head.group, axis=1) for part in "kv")
    m, working = abs(head.multiplier), min(unit, float(np.finfo(np.float32).eps))
    turned = k.swapaxes(2, 3)
    raw = head.multiplier * (q @ turned)
    products = m * np.sqrt((q * q) @ (turned * turned))
    sums = m * (np.abs(q) @ np.abs(turned))
    # A sum of d products is off by √d spacings of its working format, not of what it is stored in.
    slack = SCORES * unit * np.abs(raw) + PRODUCTS * unit * products
    slack += q.shape[3] ** 0.5 * working * sums
    low, exact, high = (_logits(head, raw + by * slack, unit, by) for by in (-1.0, 0.0, 1.0))
    sink = None if head.sink is None else head.sink[:, None, None]
    weights = _share(exact, _others(exact, sink))
    # A weight is largest where its own score is as high as it may be, and all others are low.
    largest, smallest = _share(high, _others(low, sink)), _share(low, _others(high, sink))
    apart = np.maximum(largest - weights, weights - smallest)
    c = abs(head.value_scale)
    expected = head.value_scale * (weights @ v)
    # What is smaller than the format's normal numbers may be 0.
    rounded = OUTPUTS * (unit * largest + least)
    room = c * ((apart + rounded) @ np.abs(v)) + least
    return expected, room


def _logits(head: BackwardHead, scores: Reals, unit: float, by: float) -> Reals:
    """Return logits from scaled scores, moved by the rounding of what is done to them."""
    z = scores
    if head.softcap is not None:
        z = head.softcap * np.tanh(scores / head.softcap)
        z = z + by * SCORES * unit * np.abs(z)
    if head.bias is not None:
        z = z + head.bias
        z = z + by * unit * np.abs(z)
    return np.where(head.seen, z, -np.inf)


def _others(z: Reals, sink: Reals | None) -> Reals:
    """Return ln of the sum of e^z over all keys but one, for each; with the sink, if there is one.

    The largest key is left out of its sum before that is taken, since nothing of the others would
    be left in it.
    """
    top = z.max(axis=3, keepdims=True)
    is_top = np.arange(z.shape[3]) == z.argmax(axis=3)[..., None]
    raised = np.exp(z - top)
    rest = np.where(is_top, -np.inf, z)
    second = rest.max(axis=3, keepdims=True)
    of_top = second + np.log(np.exp(rest - second).sum(axis=3, keepdims=True))
    of_top = np.where(np.isfinite(second), of_top, -np.inf)
    every = top + np.log(raised.sum(axis=3, keepdims=True) - raised)
    logs = np.where(is_top, of_top, every)
    return logs if sink is None else np.logaddexp(logs, sink)


def _share(z: Reals, others: Reals) -> Reals:
    """Return e^z as a share of itself and the others; 0 where a key is hidden."""
    shares = 1.0 / (1.0 + np.exp(others - z))
    return np.where(np.isfinite(z), shares, 0.0)
