"""If nothing fits: tests for faults, each positive for its own fault and for no other."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from math import inf, isnan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.fit.case import Case, parameters_of
from attn_tui.compute.fit.head import Floats, Rows, State, compute
from attn_tui.compute.fit.model import Suspect
from attn_tui.compute.fit.noise import variance
from attn_tui.compute.fit.solve import coefficients
from attn_tui.compute.heads.rows import HeadRows, Reals

FITS = "with that what is expected explains the output"
BASES = (1e4, 5e5, 1e6)
"""The bases of RoPE in most models."""
BUCKETS, FARTHEST = 32, 128
"""The number of T5's buckets, and the distance from which on all share the last one."""
STEPS = 80
"""The most steps of the fit of a bias."""
RATES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5)
"""The rates of dropout to try."""
KEYS_TOLD, ROWS_TOLD = 4, 32
"""Dropout is sought in rows with at most this many keys for each number of a value, and in at most
this many rows."""
LEAST_ROWS_TOLD, LEAST_TOLD = 4, 24
"""The fewest rows, and the fewest weights, that a finding of dropout needs."""
AS_LITTLE = 1.1
"""Residuals within this factor of the smallest count as equal."""
ROOM = 3.0
"""The residual of a row may be at most this many times the rounding noise."""


def suspect_of(case: Case) -> Suspect | None:
    """Return the fault whose test comes out positive, or None.

    Args:
        case: A head that the expected model does not explain, with its question.
    """
    with suppress(np.linalg.LinAlgError):
        for base in case.bases():
            based = replace(case, question=replace(case.question, model=base))
            suspect = next(_suspects(based), None)
            if suspect is not None:
                return suspect
    return None


def _suspects(case: Case) -> Iterator[Suspect]:
    """Yield each fault with which the expected model explains the head."""
    model = case.question.model
    for changes in SUSPECTS:
        changed = [*changes(case)]
        if not changed:
            continue
        # If the variant with the smallest residual does not explain the head, no other does; of
        # equally small residuals the most usual variant comes first.
        left = [_left(case, head) for _, head in changed]
        nearest = next(i for i, rest in enumerate(left) if rest <= AS_LITTLE * min(left))
        name, head = changed[nearest]
        other = replace(case, head=head)
        made = other.made(model)
        if other.is_near(made.rows, made.state):
            test = other.test(model)
            if test.explains and not test.changes:
                yield Suspect(name, FITS)
    if dropped := _dropped(case):
        yield Suspect("dropout", dropped)


def _left(case: Case, head: HeadRows) -> float:
    """Return the squared residual of the expected model on a head."""
    made = replace(case, head=head).made(case.question.model)
    square = float(np.square(made.rows.output - made.state.output).sum())
    return inf if isnan(square) else square


def _quantised(case: Case) -> Iterator[tuple[str, HeadRows]]:
    """Yield the head with keys, values or both rounded to 8 bits."""
    head = case.head
    assert head.values is not None
    ways: tuple[tuple[str, Callable[[Reals], Reals]], ...] = (
        ("fp8 keys and values", lambda tensor: _fp8(tensor, 1.0)),
        ("fp8 keys and values", lambda tensor: _fp8(tensor, np.abs(tensor).max() / 448.0)),
        ("fp8 keys and values", lambda tensor: _fp8(tensor, _most(tensor, 1) / 448.0)),
        ("int8 keys and values", lambda tensor: _int8(tensor, np.abs(tensor).max())),
        ("int8 keys and values", lambda tensor: _int8(tensor, _most(tensor, 1))),
        ("int8 keys and values", lambda tensor: _int8(tensor, _most(tensor, 0))),
    )
    for name, quantise in ways:
        keys, values = quantise(head.keys), quantise(head.values)
        yield name, replace(head, keys=keys, values=values)
        yield name.replace("keys and values", "values"), replace(head, values=values)
        yield name.replace("keys and values", "keys"), replace(head, keys=keys)


def _most(values: Reals, axis: int) -> Reals:
    return np.asarray(np.maximum(np.abs(values).max(axis=axis, keepdims=True), 1e-30))


def _fp8(values: Reals, scale: float | Reals) -> Reals:
    held = (values / scale).astype(np.float32)
    return np.asarray(held.astype(dtype_of("float8_e4m3fn")).astype(values.dtype) * scale)


def _int8(values: Reals, most: float | Reals) -> Reals:
    scale = most / 127.0
    return np.asarray(np.clip(np.rint(values / scale), -127, 127) * scale)


def _rotated(case: Case) -> Iterator[tuple[str, HeadRows]]:
    """Yield the head with keys or queries rotated by RoPE, or rotated back."""
    head = case.head
    if head.d_k % 2:
        return
    own, every = case.question.model.mask.own(head), np.arange(head.n_keys)
    for base, halves in product(BASES, (True, False)):
        keys, back = (rope(head.keys, sign * every, base, halves) for sign in (1, -1))
        queries, turned_back = (rope(head.queries, sign * own, base, halves) for sign in (1, -1))
        yield "k before RoPE", replace(head, keys=keys)
        yield "q and k before RoPE", replace(head, keys=keys, queries=queries)
        yield "q before RoPE", replace(head, queries=queries)
        yield "RoPE on q alone", replace(head, keys=back)
        yield "RoPE on k alone", replace(head, queries=turned_back)


def rope(rows: Reals, positions: NDArray[np.intp], base: float, halves: bool) -> Reals:
    """Return rows rotated by their positions, in float64.

    Args:
        rows: The vectors, shape (r, d) with an even d.
        positions: Their positions, shape (r,).
        base: The base of the wavelengths.
        halves: Whether number i pairs with number i + d/2, or else with its neighbour.
    """
    half = rows.shape[1] // 2
    angles = positions[:, None] * base ** (-np.arange(half) / half)
    cos, sin = np.cos(angles), np.sin(angles)
    left, right = (
        (slice(0, half), slice(half, None)) if halves else (slice(0, None, 2), slice(1, None, 2))
    )
    turned = np.empty(rows.shape)
    turned[:, left] = rows[:, left] * cos - rows[:, right] * sin
    turned[:, right] = rows[:, right] * cos + rows[:, left] * sin
    return turned


def _with_bias(case: Case, bias: Floats) -> HeadRows:
    head = case.head
    return replace(head, bias=bias if head.bias is None else head.bias + bias)


def _distances(case: Case) -> NDArray[np.intp]:
    """Return the position of each key relative to the query's own key, shape (r, n)."""
    own = case.question.model.mask.own(case.head)
    return np.asarray(np.arange(case.head.n_keys) - own[:, None])


def _alibi(case: Case) -> Iterator[tuple[str, HeadRows]]:
    """Yield the head with the best-fitting bias that grows with the distance."""
    away = np.abs(_distances(case)).astype(float)
    fits = [_fitted(case, (-away)[None], np.array([2.0**-power])) for power in (1.0, 3.0, 5.0, 7.0)]
    bias, _ = min(fits, key=lambda fit: fit[1])
    yield "a bias that grows with the distance (ALiBi) is missing", _with_bias(case, bias)


def _bucketed(case: Case) -> Iterator[tuple[str, HeadRows]]:
    """Yield the head with the best-fitting bias by T5's buckets of distances."""
    distances = _distances(case)
    places = buckets(distances, case.question.model.mask.kind == "none")
    kinds = np.unique(places)
    assert case.head.output is not None
    if case.head.output.size < 4 * len(kinds):
        return
    shapes = (places == kinds[:, None, None]).astype(float)
    bias, _ = _fitted(case, shapes, np.zeros(len(kinds)))
    yield "a bias by relative position (T5) is missing", _with_bias(case, bias)


SUSPECTS = (_quantised, _rotated, _alibi, _bucketed)
"""The faults to test for: each function yields names, and the head as that fault would leave it."""


def buckets(distances: NDArray[np.intp], both: bool) -> NDArray[np.intp]:
    """Return T5's bucket of each distance of a key from its query.

    Args:
        distances: Position of the key less that of the query, any shape.
        both: Whether keys after the query are seen, too; half of the buckets are theirs.
    """
    count = BUCKETS // 2 if both else BUCKETS
    first = np.where(both & (distances > 0), count, 0)
    away = np.abs(distances) if both else np.maximum(-distances, 0)
    exact = count // 2
    with np.errstate(divide="ignore"):
        far = exact + (
            np.log(np.maximum(away, 1) / exact) / np.log(FARTHEST / exact) * (count - exact)
        ).astype(int)
    return np.asarray(first + np.where(away < exact, away, np.minimum(far, count - 1)))


def _fitted(case: Case, shapes: Floats, start: Floats) -> tuple[Floats, float]:
    """Fit the coefficients of some biases, by damped Gauss–Newton.

    Args:
        case: The head.
        shapes: The biases, shape (k, r, n).
        start: The initial coefficients, shape (k,).

    Returns:
        The bias, shape (r, n), and χ² by the variances of the output alone.
    """
    model, parts = case.question.model, start
    plain = case.rows(model)
    parameters = parameters_of(model)

    def made(parts: Floats) -> tuple[Rows, State]:
        bias = np.tensordot(parts, shapes, 1)
        rows = replace(plain, bias=bias if plain.bias is None else plain.bias + bias)
        return rows, compute(rows, parameters)

    rows, state = made(parts)
    unit = np.sqrt(variance(rows, state, case.format, case.paths[-1]))
    rest = (plain.output - state.output) / unit
    cost, damping = float(np.square(rest).sum()), 1e-3
    for _ in range(STEPS):
        by_weight = state.weights * shapes
        along = by_weight @ plain.values - by_weight.sum(axis=-1, keepdims=True) * state.mixed
        step = coefficients(parameters.value_scale * along / unit, rest, damping)
        step = np.clip(step, -2.0, 2.0)
        _, tried = made(parts + step)
        left = (plain.output - tried.output) / unit
        new = float(np.square(left).sum())
        if not new < cost:
            damping *= 8
            if damping > 1e6:
                break
            continue
        is_done = cost - new < 1e-6 * cost
        parts, state, rest, cost, damping = parts + step, tried, left, new, damping / 5
        if is_done:
            break
    return np.tensordot(parts, shapes, 1), cost


def _dropped(case: Case) -> str:
    """Return a sentence saying which share of weights was dropped, or an empty text.

    Only rows that see few keys, compared with d_v, tell which weights were dropped: in others too
    many choices would come near.
    """
    made = case.made(case.question.model)
    rows, state = made.rows, made.state
    counts = rows.seen.sum(axis=1)
    told = np.flatnonzero((counts > 1) & (counts <= KEYS_TOLD * rows.values.shape[1]))[:ROWS_TOLD]
    if len(told) < LEAST_ROWS_TOLD:
        return ""
    noise = np.square(made.by(case.paths[-1]).variance.sum(axis=1) ** 0.5 * ROOM)
    for rate in RATES:
        kept = []
        for row in told:
            seen = rows.seen[row]
            parts = state.weights[row, seen][:, None] * rows.values[seen] / (1.0 - rate)
            choice = _chosen(parts, rows.output[row], float(noise[row]))
            if choice is not None:
                kept.append(choice)
        every = np.concatenate([*kept, np.zeros(0, bool)])
        if len(kept) <= len(told) / 2 or len(every) < LEAST_TOLD:
            continue
        share = float(1.0 - every.mean())
        if 0.3 * rate < share < 3.0 * rate:
            larger = f"{1.0 / (1.0 - rate):.3g} times too large"
            return f"about {100 * rate:g} % of the weights are 0, and the others {larger}"
    return ""


def _chosen(parts: Floats, output: Floats, noise: float) -> NDArray[np.bool_] | None:
    """Return the parts whose sum is a row of the output, or None if no choice fits up to noise.

    Args:
        parts: The contribution of each key to the row, shape (n, d_v).
        output: The row of the output, shape (d_v,).
        noise: The largest squared residual allowed.
    """
    kept = np.ones(len(parts), bool)
    gram = parts @ parts.T
    length = np.diagonal(gram)
    along = parts @ (output - parts.sum(axis=0))
    rest = float(np.square(output - parts.sum(axis=0)).sum())
    for _ in range(2 * len(parts)):
        # The change of the squared residual if a key is dropped, or taken back.
        sign = np.where(kept, 1.0, -1.0)
        change = 2 * sign * along + length
        key = int(np.argmin(change))
        if not change[key] < 0:
            break
        along = along + sign[key] * gram[:, key]
        rest += float(change[key])
        kept[key] = not kept[key]
    return kept if rest <= noise else None
