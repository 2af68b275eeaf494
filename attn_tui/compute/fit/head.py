"""The fitted head: its usable rows, its output for given parameters, and its slopes."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite, log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import tf32
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows, Reals

Floats = NDArray[np.floating]

FLOAT64 = np.dtype(np.float64)
"""The dtype of a fit, unless the output has 16 bits."""

NO_WEIGHT = -25.0
"""In float32, e^z is set to 0 below this z: 16 bits do not show such a weight."""

MOST_SCORES = 4096
"""The median of q·k is that of about so many of them."""

Path = Literal["float32", "flash", "eager", "stepwise", "scaled", "tf32"]
"""Where a head was rounded: only its output; also its weights; also its scores and every step to
the logits; also every step of softmax; as eager, but with √m·q and √m·k as factors; or, in
float32, the factors of both products, as tensor cores do."""

Name = Literal["multiplier", "value_scale", "curvature", "sink"]
"""A parameter that can be fitted."""

NAMES: tuple[Name, ...] = ("multiplier", "value_scale", "curvature", "sink")
"""All of them."""


@dataclass(frozen=True)
class Parameters:
    """The parameters of out = c·softmax(f(m·s) + bias, sink)·V.

    Attributes:
        multiplier: m, of either sign.
        value_scale: c.
        curvature: g = 1/cap², of f(x) = tanh(√g·x)/√g; 0 is no cap, and below 0 f is x − g·x³/3,
            so that no cap is an interior value with errors to both sides.
        sink: The weight e^(b − level) of the sink; 0 is no sink.
        level: The logit that the sink is relative to, so that its weight does not overflow.
    """

    multiplier: float
    value_scale: float = 1.0
    curvature: float = 0.0
    sink: float = 0.0
    level: float = 0.0

    @property
    def sink_logit(self) -> float:
        """The logit b of the sink, −∞ without a sink."""
        return self.level + log(self.sink) if self.sink > 0 else -inf

    def moved(self, names: tuple[Name, ...], step: Floats) -> "Parameters":
        """Return the parameters with a step added along each name."""
        return replace(
            self,
            **{name: getattr(self, name) + float(by) for name, by in zip(names, step, strict=True)},
        )


@dataclass(frozen=True, eq=False)
class Inputs:
    """Keys and values, and quantities derived from them once for all rows.

    Attributes:
        keys: Shape (n, d_k).
        values: Shape (n, d_v).
    """

    keys: Reals
    values: Floats

    @cached_property
    def norms(self) -> Floats:
        """‖k‖ of each key, shape (n,)."""
        return _norms(self.keys)

    @cached_property
    def squares(self) -> Floats:
        """V², shape (n, d_v)."""
        return np.square(self.values)

    @cached_property
    def lengths(self) -> Floats:
        """‖v‖² of each key, shape (n,)."""
        return np.asarray(np.einsum("nd,nd->n", self.values, self.values))

    @cached_property
    def largest(self) -> float:
        """The square of the largest value."""
        return float(self.squares.max(initial=0.0))

    @cached_property
    def repeats(self) -> NDArray[np.intp] | None:
        """How many keys are equal to each, values too, shape (n,); None if no two are."""
        if len(np.unique(self.values.sum(axis=1))) == len(self.values):
            return None
        both = np.concatenate([self.keys, self.values], axis=1)
        _, which, counts = np.unique(both, axis=0, return_inverse=True, return_counts=True)
        return np.asarray(counts[which.ravel()]) if len(counts) < len(both) else None

    @cached_property
    def lost(self) -> tuple[Floats, Floats]:
        """The variance of each number of the keys, and of the values, by rounding to TF32."""
        return _lost(self.keys), _lost(self.values)


@dataclass(frozen=True, eq=False)
class FitRows:
    """The part of a head that does not depend on the parameters.

    Attributes:
        scores: q·k, shape (r, n).
        output: The captured output, shape (r, d_v), in float64.
        seen: Whether a row sees a key, shape (r, n).
        bias: The bias added to logits, shape (r, n), or None.
        queries: Shape (r, d_k).
        inputs: Keys and values.
    """

    scores: Floats
    output: Floats
    seen: NDArray[np.bool_]
    bias: Floats | None
    queries: Reals
    inputs: Inputs

    @property
    def values(self) -> Floats:
        """V, shape (n, d_v)."""
        return self.inputs.values

    @property
    def norms(self) -> tuple[Floats, Floats]:
        """‖q‖ of each row, shape (r,), and ‖k‖ of each key, shape (n,)."""
        return _norms(self.queries), self.inputs.norms

    @property
    def lost(self) -> tuple[Floats, Floats]:
        """The variance by rounding to TF32 of each q·k, (r, n), and of each value, (n, d_v).

        It is 0 for numbers that TF32 represents exactly, such as those of 16 bits.
        """
        of_keys, of_values = self.inputs.lost
        q, k = self.queries.astype(np.float64), self.inputs.keys.astype(np.float64)
        return _lost(self.queries) @ np.square(k).T + np.square(q) @ of_keys.T, of_values

    @cached_property
    def common(self) -> float:
        """The size of what q·k of seen keys have in common: that of their median."""
        scores = self.scores[self.seen]
        scores = scores[:: max(len(scores) // MOST_SCORES, 1)]
        scores = scores[np.isfinite(scores)]
        return abs(float(np.median(scores))) if len(scores) else 0.0

    @property
    def d_k(self) -> int:
        """The length of a query."""
        return int(self.inputs.keys.shape[1])

    def under(self, seen: NDArray[np.bool_]) -> "FitRows":
        """Return the rows under another mask."""
        return replace(self, seen=seen)

    def part(self, rows: NDArray[np.intp]) -> "FitRows":
        """Return some of the rows."""
        bias = None if self.bias is None else self.bias[rows]
        return FitRows(
            self.scores[rows], self.output[rows], self.seen[rows], bias, self.queries[rows],
            self.inputs,
        )  # fmt: skip


def rows_of(
    head: HeadRows,
    mask: HeadMask,
    dtype: np.dtype[np.floating] = FLOAT64,
    factors: Floats | None = None,
) -> FitRows:
    """Return the part of a head that its fit needs.

    Args:
        head: Some of its rows.
        mask: The keys that they see.
        dtype: The dtype of scores, bias and values; the output is in float64.
        factors: Factors of each row's query, shape (r, 1), or None.
    """
    if factors is not None:
        head = replace(head, queries=head.queries * factors)
    queries, keys = (tensor.astype(dtype, copy=False) for tensor in (head.queries, head.keys))
    bias = None if head.bias is None else head.bias.astype(dtype)
    return FitRows(
        queries @ keys.T,
        _cast(head.output, len(queries), FLOAT64),
        mask.seen(head),
        bias,
        head.queries,
        Inputs(head.keys, _cast(head.values, len(keys), dtype)),
    )


def _norms(values: Reals) -> Floats:
    """Return the length of each row, shape (r,)."""
    return np.asarray(np.sqrt(np.einsum("rd,rd->r", values, values)))


def _lost(values: Reals) -> Floats:
    """Return the variance of numbers by rounding to TF32; 0 if TF32 represents them exactly."""
    exact = values.astype(np.float64)
    unit = np.ldexp(1.0, np.frexp(exact)[1] - 11)
    return np.where(tf32(exact) == exact, 0.0, np.square(unit) / 12)


def _cast(values: Reals | None, length: int, dtype: np.dtype[np.floating]) -> Floats:
    """Return numbers in a dtype; without columns, if they were not captured."""
    return np.zeros((length, 0), dtype) if values is None else values.astype(dtype, copy=False)


@dataclass(frozen=True, eq=False)
class State:
    """A head computed with some parameters.

    Attributes:
        parameters: The parameters.
        logits: z, shape (r, n), capped, without bias.
        slope: ∂z/∂(m·s), shape (r, n), or 1.
        top: The largest logit with bias that a row sees, shape (r, 1).
        total: Σ e^(z − top) with the sink's, shape (r, 1).
        weights: p, shape (r, n).
        mixed: p·V, shape (r, d_v): the output before c, in float64.
    """

    parameters: Parameters
    logits: Floats
    slope: Floats | float
    top: Floats
    total: Floats
    weights: Floats
    mixed: Floats

    @property
    def output(self) -> Floats:
        """c·p·V, shape (r, d_v)."""
        return self.parameters.value_scale * self.mixed

    @cached_property
    def squares(self) -> Floats:
        """p², shape (r, n)."""
        return np.square(self.weights)

    def part(self, rows: NDArray[np.intp]) -> "State":
        """Return some of the rows."""
        slope = self.slope if isinstance(self.slope, float) else self.slope[rows]
        return State(
            self.parameters, self.logits[rows], slope, self.top[rows], self.total[rows],
            self.weights[rows], self.mixed[rows],
        )  # fmt: skip


def capped(x: Floats, curvature: float) -> tuple[Floats, Floats | float]:
    """Return f(x) and ∂f/∂x for g = 1/cap², as `Parameters` says."""
    if curvature == 0:
        return x, 1.0
    if curvature < 0:
        square = -curvature * x * x
        return x * (1 + square / 3), 1 + square
    root = sqrt(curvature)
    tanh = np.tanh(root * x)
    return tanh / root, 1 - tanh * tanh


def bend(x: Floats, z: Floats, slope: Floats | float, curvature: float) -> Floats:
    """Return ∂f/∂g at x: −x³/3 for small arguments, else (x·f′ − f)/2g."""
    small = x * x
    small *= x
    small *= -1 / 3
    if curvature <= 0:
        return small
    square = curvature * x * x
    exact = (x * slope - z) / (2 * curvature)
    series = small * (1 - square * (4 / 5) + square * square * (17 / 35))
    return np.where(square < 1e-4, series, exact)


def compute(rows: FitRows, parameters: Parameters) -> State:
    """Compute a head with these parameters."""
    z, slope = capped(parameters.multiplier * rows.scores, parameters.curvature)
    hidden = z.copy() if rows.bias is None else z + rows.bias
    np.copyto(hidden, -np.inf, where=~rows.seen)
    top = hidden.max(axis=1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    hidden -= top
    if hidden.dtype != FLOAT64:
        np.copyto(hidden, -np.inf, where=hidden < NO_WEIGHT)
    p = np.exp(hidden, out=hidden)
    total = p.sum(axis=1, keepdims=True, dtype=FLOAT64)
    if parameters.sink:
        total += parameters.sink * np.exp(np.minimum(parameters.level - top.astype(FLOAT64), 600.0))
    total = np.maximum(total, np.finfo(FLOAT64).tiny)
    p /= total.astype(p.dtype)
    return State(parameters, z, slope, top, total, p, (p @ rows.values).astype(FLOAT64))


def slopes(rows: FitRows, state: State, names: tuple[Name, ...]) -> Floats:
    """Return ∂out along each parameter, shape (names, r, d_v)."""
    parameters = state.parameters
    return np.stack([_slope(rows, state, parameters, name) for name in names])


def _slope(rows: FitRows, state: State, parameters: Parameters, name: Name) -> Floats:
    if name == "value_scale":
        return state.mixed
    if name == "sink":
        share = (
            np.exp(np.minimum(parameters.level - state.top.astype(FLOAT64), 600.0)) / state.total
        )
        return -parameters.value_scale * share * state.mixed
    if name == "multiplier":
        change = rows.scores * state.slope
    else:
        change = bend(
            parameters.multiplier * rows.scores, state.logits, state.slope, parameters.curvature
        )
    # With a sink the weights sum to less than 1, and its logit does not change.
    change -= np.einsum("rn,rn->r", state.weights, change)[:, None]
    change *= state.weights
    return parameters.value_scale * (change @ rows.values).astype(FLOAT64)


def cleared(head: HeadRows, mask: HeadMask) -> tuple[HeadRows, NDArray[np.bool_]]:
    """Return a head with 0 for keys and values that hold NaN or infinity, and the unaffected rows.

    Args:
        head: Some of its rows.
        mask: The keys that they see, if no mask was captured.

    Returns:
        The head, and for each row whether it sees no such key, shape (r,).
    """
    if all(isfinite(size) for name, size in head.largest.items() if name != "q"):
        return head, np.ones(len(head.rows), bool)
    tensors = [tensor for tensor in (head.keys, head.values) if tensor is not None]
    odd = np.any([~np.isfinite(tensor).all(axis=1) for tensor in tensors], axis=0)
    seen = mask.seen(head) if head.seen is None else head.seen
    keys = np.where(odd[:, None], 0, head.keys).astype(head.keys.dtype)
    values = head.values
    if values is not None:
        values = np.where(odd[:, None], 0, values).astype(values.dtype)
    return replace(head, keys=keys, values=values), np.asarray(~(seen & odd).any(axis=1))


def taken(head: HeadRows, places: NDArray[np.intp]) -> HeadRows:
    """Return a head with only the rows at these places."""
    if len(places) == len(head.rows):
        return head

    def some(values: NDArray[np.generic] | None) -> NDArray[np.generic] | None:
        return None if values is None else values[places]

    names = ("rows", "queries", "output", "weights", "bias", "seen")
    parts = {name: some(getattr(head, name)) for name in (*names, "positions")}
    return replace(head, **parts)  # type: ignore[arg-type]
