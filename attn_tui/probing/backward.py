"""The backward pass of a probed function: dq, dk and dv beside those of the promised head."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.stored import Raw, widened
from attn_tui.compute.arrays import dtype_of, limits
from attn_tui.compute.heads.rows import Reals
from attn_tui.compute.numbers import quantity, rough_percent
from attn_tui.diagnosis.call import CallShape
from attn_tui.diagnosis.promise import Stated
from attn_tui.files.models.promise import Promise
from attn_tui.probing.beyond import Fault
from attn_tui.probing.function_call import CallPromise, FunctionCall
from attn_tui.probing.inputs import ProbePlan
from attn_tui.probing.probed import smallness

ALLOWED = 4.0
"""A gradient may be so many times as far off as the same backward pass simulated in the format."""
NAMES = {"q": "dq", "k": "dk", "v": "dv"}
TOLERANCE = 0.02
"""A factor within this share of a usual one is that one."""

Gradients = Mapping[str, Reals]


@dataclass(frozen=True, eq=False)
class BackwardHead:
    """The head that is promised, with what its backward pass needs.

    Attributes:
        multiplier: m.
        softcap: c, or None.
        value_scale: c in out = c·p·V.
        seen: Which keys each query sees, [batch or 1, heads or 1, n_q, n].
        bias: What is added to the logits, or None.
        sink: The sinks' logits, shape (heads,), or None.
        group: How many query heads share a KV head.
        dtype: The format of the tensors; empty for exact numbers.
    """

    multiplier: float
    softcap: float | None
    value_scale: float
    seen: NDArray[np.bool_]
    bias: Reals | None
    sink: Reals | None
    group: int
    dtype: str = ""

    def gradients(
        self, arrays: Mapping[str, Reals], upstream: Reals, fault: str = ""
    ) -> tuple[Gradients, Gradients]:
        """Return dq, dk and dv, and how large the terms are that they are sums of.

        Args:
            arrays: q, k and v, [batch, heads, n, d].
            upstream: ∂L/∂out, [batch, heads, n_q, d_v].
            fault: A part that is left out, in `FAULTS`.
        """
        q = arrays["q"]
        k, v = (np.repeat(arrays[part], self.group, axis=1) for part in "kv")
        x = self.multiplier * (q @ k.swapaxes(2, 3))
        slope = np.ones_like(x)
        z = x
        if self.softcap is not None:
            bent = np.tanh(x / self.softcap)
            z, slope = self.softcap * bent, 1.0 - bent**2
        if self.bias is not None:
            z = z + self.bias.astype(z.dtype)
        z = np.where(self.seen, z, -np.inf)
        top = z.max(3, keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        raised = np.exp(z - top)
        total = raised.sum(3, keepdims=True)
        if self.sink is not None:
            total = total + np.exp(self.sink[:, None, None].astype(z.dtype) - top)
        weights = self._rounded(raised / np.maximum(total, np.finfo(total.dtype).tiny))
        upstream = self.value_scale * upstream
        dp = upstream @ v.swapaxes(2, 3)
        mean = (weights * dp).sum(3, keepdims=True)
        if fault == "slope":
            slope = np.ones_like(slope)
        ds = self._rounded(weights * (dp - mean) * slope)
        size = weights * (np.abs(dp) + np.abs(mean)) * slope
        of_values = raised if fault == "sum" else weights
        m = self.multiplier
        sizes_of_all = {
            "q": m * ds @ k, "k": m * ds.swapaxes(2, 3) @ q,
            "v": of_values.swapaxes(2, 3) @ upstream,
        }  # fmt: skip
        sizes = {
            "q": abs(m) * size @ np.abs(k), "k": abs(m) * size.swapaxes(2, 3) @ np.abs(q),
            "v": weights.swapaxes(2, 3) @ np.abs(upstream),
        }  # fmt: skip
        parts: tuple[dict[str, Reals], dict[str, Reals]] = ({}, {})
        for place, every in enumerate((sizes_of_all, sizes)):
            for name, array in every.items():
                parts[place][name] = array if name == "q" else self._summed(array, fault)
        return {name: self._rounded(array) for name, array in parts[0].items()}, parts[1]

    def _summed(self, array: Reals, fault: str) -> Reals:
        """Return a gradient of each query head summed over the heads that share a KV head."""
        b, h, n, d = array.shape
        apart = array.reshape(b, h // self.group, self.group, n, d)
        if fault == "first":
            return apart[:, :, 0]
        if fault == "last":
            return apart[:, :, -1]
        return np.asarray(apart.sum(axis=2))

    def _rounded(self, array: Reals) -> Reals:
        """Return numbers rounded to the format."""
        if not self.dtype:
            return array
        return np.asarray(array.astype(dtype_of(self.dtype)).astype(array.dtype))


FAULTS: Mapping[str, str] = {
    "slope": "the cap's derivative 1 − tanh² is missing",
    "first": "it is not summed over the group of a KV head: it is that of the first head alone",
    "last": "it is not summed over the group of a KV head: it is that of the last head alone",
    "sum": "it is that of the unnormalised weights e^(z − max)",
}
"""What backward passes leave out."""


def backward_head(
    promise: Promise, stated: Stated, shape: CallShape, dtype: str = ""
) -> BackwardHead:
    """Return the promised head of a call."""
    tensors = stated.tensors(shape)
    bias, sink = (tensors.get(name) for name in ("bias", "sink"))
    m = shape.d_k**-0.5 if promise.multiplier is None else promise.multiplier
    cap = promise.softcap if isinstance(promise.softcap, float) else None
    scale = 1.0 if promise.value_scale is None else promise.value_scale
    sinks: Any = None if sink is None else widened(sink).astype(np.float64)
    if sinks is None and isinstance(promise.sink, float):
        sinks = np.full(shape.heads, promise.sink)
    added = None if bias is None else widened(bias).astype(np.float64)
    group = shape.heads // shape.kv_heads
    seen = stated.seen(shape)
    if promise.mask is not None:
        rows = shape.rows()
        seen = seen & promise.head_mask(rows).seen(rows)[None, None]
    return BackwardHead(m, cap, scale, seen, added, sinks, group, dtype)


def backward_faults(
    head: BackwardHead,
    simulated: BackwardHead,
    arrays: Mapping[str, Raw],
    upstream: Raw,
    gradients: Mapping[str, Raw],
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with dq, dk and dv, each in a phrase, and why.

    Args:
        head: The promised head.
        simulated: The same in the format of the tensors.
        arrays: q, k and v.
        upstream: ∂L/∂out.
        gradients: What the function made of it.
    """
    wide = {name: widened(array).astype(np.float64) for name, array in arrays.items()}
    dout = widened(upstream).astype(np.float64)
    exact, sizes = head.gradients(wide, dout)
    # Kernels compute in float32 what they round to 16 bits.
    is_double = simulated.dtype == "float64"
    working = np.dtype(np.float64 if is_double else np.float32)
    narrow = {name: array.astype(working) for name, array in wide.items()}
    rough, _ = simulated.gradients(narrow, dout.astype(working))
    unit = float(limits(arrays["q"].dtype).eps)
    for part, name in NAMES.items():
        got = widened(gradients[part]).astype(np.float64)
        room = ALLOWED * (_norm(rough[part] - exact[part]) + unit * _norm(sizes[part]))
        if _is_close(got, exact[part], room):
            continue
        cause = _cause(head, wide, dout, part, got, room)
        yield f"{name} is off by {_share(got, exact[part])}: {cause}", f"{name}: {cause}"


def are_other(gradients: Mapping[str, Raw], again: Mapping[str, Raw]) -> bool:
    """Return whether gradients differ by more than rounding from those of the same call again."""
    for name, array in gradients.items():
        one, two = (widened(each).astype(np.float64) for each in (array, again[name]))
        unit = float(limits(array.dtype).eps)
        if not _is_close(one, two, ALLOWED * unit * _norm(one)):
            return True
    return False


def _cause(
    head: BackwardHead,
    arrays: Mapping[str, Reals],
    upstream: Reals,
    part: str,
    got: Reals,
    room: Reals,
) -> str:
    """Return what is wrong with a gradient, in a phrase."""
    if not np.isfinite(got).all():
        return "it is NaN or infinite"
    if not got.any():
        return f"it is 0: is {part} detached?"
    exact = head.gradients(arrays, upstream)[0][part]
    for fault, words in FAULTS.items():
        if fault == "slope" and head.softcap is None:
            continue
        if fault in ("first", "last") and (head.group == 1 or part == "q"):
            continue
        other = head.gradients(arrays, upstream, fault)[0][part]
        if not _is_close(other, exact, room) and _is_close(
            got, other, room * _growth(other, exact)
        ):
            return words
    square = float((exact * exact).sum())
    ratio = float((got * exact).sum()) / square if square else 0.0
    if ratio and _is_close(got, ratio * exact, room * max(abs(ratio), 1.0)):
        return _factor(ratio, head)
    return "no factor explains it"


def _factor(ratio: float, head: BackwardHead) -> str:
    """Return what a factor of a gradient comes from."""
    m = head.multiplier
    usual = {
        1.0 / m: "m is missing", m: "m is there twice", 1.0 / head.group: "it is the mean over the "
        "group of a KV head, not the sum", -1.0: "its sign is turned",
    }  # fmt: skip
    for value, words in usual.items():
        if abs(ratio / value - 1.0) < TOLERANCE and value != 1.0:
            return words
    return f"it is {quantity(ratio)} times what it should be"


def _growth(other: Reals, exact: Reals) -> float:
    """Return how many times as large as the exact gradient another one is, at least 1."""
    return max(float(np.linalg.norm(other) / max(float(np.linalg.norm(exact)), 1e-300)), 1.0)


def _norm(array: Reals) -> Reals:
    """Return the norm of each head, shape (batch, heads)."""
    return np.asarray(np.sqrt(np.square(array).sum(axis=(2, 3))))


def _is_close(one: Reals, other: Reals, room: Reals) -> bool:
    """Return whether two gradients agree in each head."""
    return bool((_norm(one - other) <= room).all())


def _share(got: Reals, exact: Reals) -> str:
    """Return by how much of its size a gradient is off."""
    size = max(float(np.linalg.norm(exact)), 1e-300)
    share = float(np.linalg.norm(got - exact)) / size
    return rough_percent(share)


def backward_pass(
    cases: Sequence[FunctionCall], promise: CallPromise, plan: ProbePlan
) -> Iterator[Fault]:
    """Yield what is wrong with the backward pass, as the smallest call shows it that does.

    With one or two keys several causes look alike: those calls count if no other is wrong.
    """
    small: list[Fault] = []
    for case in sorted(cases, key=lambda one: smallness(one.inputs)):
        shape = case.inputs.shape
        rng = np.random.default_rng([plan.seed, case.inputs.number, 1])
        upstream = rng.standard_normal((shape.batch, shape.heads, shape.queries, shape.d_v))
        dout = upstream.astype(case.arrays["q"].dtype)
        mask = None if case.stated.mask is None else np.asarray(case.stated.mask)
        gradients = case.caller.gradients(case.arrays, dout, mask)
        where = f"backward, {case.inputs.text}: "
        if isinstance(gradients, str):
            yield Fault(f"{where}{gradients}", shows="gradient", kind=gradients)
            return
        again = case.caller.gradients(case.arrays, dout, mask)
        promised = promise.promise(shape)
        head = backward_head(promised, case.stated, shape)
        simulated = backward_head(promised, case.stated, shape, plan.dtype)
        faults = [*backward_faults(head, simulated, case.arrays, dout, gradients)]
        if faults and not isinstance(again, str) and are_other(gradients, again):
            text = "the same inputs give other gradients: is dropout left on there?"
            yield Fault(f"{where}{text}", shows="gradient", kind=text)
            return
        if not faults:
            continue
        texts, causes = ("; ".join(every) for every in zip(*faults, strict=True))
        fault = Fault(f"{where}{texts}", shows="gradient", kind=causes)
        if shape.keys > 2:
            yield fault
            return
        small.append(fault)
    yield from small[:1]
