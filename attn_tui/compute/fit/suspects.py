"""What may have been done to a head that no model explains: tests, each positive for one fault."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from math import inf, isnan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.case import HeadCase, parameters_of
from attn_tui.compute.fit.channels import some_channels
from attn_tui.compute.fit.head import FitRows, Floats, State, compute
from attn_tui.compute.fit.kernels import kernel_outputs
from attn_tui.compute.fit.keys import one_key
from attn_tui.compute.fit.late_rounding import late_rounding
from attn_tui.compute.fit.model import FITS, Others, Suspect, Variants
from attn_tui.compute.fit.noise import variance
from attn_tui.compute.fit.solve import coefficients
from attn_tui.compute.fit.stale import stale_slot
from attn_tui.compute.fit.storage import quantised, ranges_of
from attn_tui.compute.heads.head import row_weights
from attn_tui.compute.heads.head_model import LEARNED, HeadModel
from attn_tui.compute.heads.rows import HeadRows, Reals
from attn_tui.compute.numbers import general, rough_percent

BASES = (1e4, 5e5, 1e6)
"""The bases of RoPE in most models."""
LOOPS = (16, 32, 64, 128)
"""Where loops of kernels over the numbers of q and k end that are written for one d_k."""
BUCKETS, FARTHEST = 32, 128
"""The number of T5's buckets, and the distance from which on all share the last one."""
STEPS = 80
"""The most steps of the fit of a bias."""
RATES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5)
"""The rates of dropout to try."""
MOST_KEYS, MOST_ROWS = 4, 32
"""Dropout is sought in rows with at most this many keys for each number of a value, and in at most
this many rows."""
LEAST_DROPOUT_ROWS, LEAST_DROPOUT_WEIGHTS = 4, 24
"""The fewest rows, and the fewest weights, that a finding of dropout needs."""
AS_LITTLE = 1.1
"""Squared residuals within this factor of the smallest count as equal."""
GAIN = 2.0
"""The squared residual of the promise has to be this many times that of a fault: any small change
fits noise a little better, and 32 buckets of distances more than a little. They are fitted to at
least 4 numbers each; what they leave of noise is then spread like a beta distribution of 48 and 16,
which is below 1/2 in 1.9 of 100,000 heads. (A fit of one slope leaves more.)"""
LEAST_PER_BUCKET = 4
"""The fewest numbers of the output for each bucket of distances; see `GAIN`."""
NEAR = 0.02
"""A fitted factor within this share of a usual one is that one."""
LEAST_OTHER = 0.5
"""The least share of rows that have another factor than 1."""
LEAST_PER_FACTOR = 8
"""The fewest numbers of a row for a factor of its own."""
MOST_LEFT = 0.5
"""The most of what is off that factors of rows may leave, if it is they that are off."""
ROOM = 3.0
"""The residual may be at most this many times the rounding noise."""
OVERFLOW = 88.72
"""e^x is infinite in float32 above this x."""


def suspect_of(case: HeadCase, others: Others = tuple) -> Suspect | None:
    """Return what was done to a head that no model explains, if a test says so, or None.

    Args:
        case: The head with all of its rows.
        others: Yields the head with the keys and values of other KV heads of its layer.
    """
    if case.sample.is_empty:
        return None
    case = replace(case, ranges=ranges_of([case.head, *(head for _, head in others())]))
    with suppress(np.linalg.LinAlgError):
        for base in case.bases():
            model = replace(base, bias=None) if base.bias == LEARNED else base
            based = case.asking(replace(case.reference, model=model))
            suspect = next(_suspects(based), None)
            if suspect is not None:
                return suspect
    return None


def broken_of(case: HeadCase) -> Suspect | None:
    """Return that the output is NaN, infinite or 0 where a number is promised, or None."""
    return _not_finite(case) or _zero(case)


def _suspects(case: HeadCase) -> Iterator[Suspect]:
    """Yield each fault with which the promised model gives the output."""
    for computed in COMPUTED:
        yield from computed(case)
    sample = case.sample
    for altered in ALTERED:
        yield from _nearest(sample, altered)
    if late := late_rounding(case):
        yield late
    yield from stale_slot(case)
    if dropped := _dropped(sample):
        yield Suspect("dropout", dropped)


def _nearest(sample: HeadCase, altered: Callable[[HeadCase], Variants]) -> Iterator[Suspect]:
    """Yield the variant of a head with the smallest residual, if it explains every row."""
    variants = [*altered(sample)]
    if not variants:
        return
    # If no variant with about the smallest residual explains the head, no other does; of these
    # the most usual one comes first.
    left = [_left(sample, head) for _, head in variants]
    if not GAIN * min(left) < _left(sample, sample.head):
        return
    full = sample.full
    for place in (i for i, rest in enumerate(left) if rest <= AS_LITTLE * min(left)):
        suspect, head = variants[place]
        if _explains(sample, head) and (
            full is None or _explains(full, [*altered(full)][place][1])
        ):
            yield suspect
            return


def _explains(case: HeadCase, head: HeadRows) -> bool:
    """Return whether the promised model gives the output of an altered head."""
    other, model = replace(case, head=head, full=None), case.reference.model
    rounding = other.rounding(model)
    if not other.is_close(rounding.rows, rounding.state):
        return False
    candidate = other.test(model)
    if not candidate.explains or candidate.changes:
        return False
    # All rows together may hide one that the fault does not explain.
    return other.gives(model, parameters_of(model))


def _left(case: HeadCase, head: HeadRows) -> float:
    """Return the squared residual of the promised model on a head."""
    rounding = replace(case, head=head, full=None).rounding(case.reference.model)
    square = float(np.square(rounding.rows.output - rounding.state.output).sum())
    return inf if isnan(square) else square


def _not_finite(case: HeadCase) -> Suspect | None:
    """Return which rows are NaN or infinite though the promise is a number, and why."""
    model = case.bases()[0]
    if LEARNED in (model.sink, model.bias):
        return None
    rows = case.rows(model)
    places = np.flatnonzero(rows.seen.any(axis=1) & ~np.isfinite(rows.output).all(axis=1))
    if not len(places):
        return None
    numbers = tuple(int(row) for row in case.head.rows[places])
    is_nan = np.isnan(rows.output[places]).any(axis=1)
    odd = "NaN" if is_nan.all() else "NaN or infinite"
    if not is_nan.any():
        odd = "infinite"
    reason = _reason_of_nan(case, model, rows, places)
    phrase = f"the output is {odd} in {{rows}}{{run}}"
    if not reason:
        phrase += ", where q, k and v give a number"
    return Suspect(phrase, reason, has_reason=True, rows=numbers, compared=len(rows.output))


def _reason_of_nan(
    case: HeadCase, model: HeadModel, rows: FitRows, places: NDArray[np.intp]
) -> str:
    """Return why these rows, and no others, may be NaN; empty if nothing says."""
    is_nan = np.zeros(len(rows.output), bool)
    is_nan[places] = True
    sizes = np.where(rows.seen, np.abs(rows.scores), 0.0).max(axis=1)
    if model.softcap is not None:
        steps = abs(model.multiplier) * sizes / model.softcap
        for most, way in ((OVERFLOW, "e^x"), (OVERFLOW / 2, "e^2x")):
            if np.array_equal(steps > most, is_nan):
                cap = general(model.softcap)
                return f"the cap overflows: {way} of |m·s/{cap}| is infinite there"
    if case.format.name == "float16":
        if np.array_equal(sizes > float(np.finfo(np.float16).max), is_nan):
            return "q·k overflows float16 there"
        lowest = np.where(rows.seen, np.inf, rows.scores).min(axis=1)
        if np.array_equal((lowest < 0) & (rows.seen.sum(axis=1) == 0), is_nan):
            return "−65,504 plus a negative score is −∞ in float16"
    idle = ~rows.seen.any(axis=1)
    by_key = ~rows.seen.any(axis=0)
    if by_key.shape == is_nan.shape and np.array_equal(by_key, is_nan):
        return "the mask is applied to queries, not to keys"
    if idle.any() and np.isnan(rows.output[idle]).any():
        return "rows that see no key are NaN, and make others NaN"
    return ""


def _zero(case: HeadCase) -> Suspect | None:
    """Return that the output is 0 in every row though the promise is not."""
    output = case.head.output
    assert output is not None
    if output.any():
        return None
    return Suspect("the output is 0 in every row", "", part=None)


@dataclass(frozen=True, eq=False)
class _Alternative:
    """The output that a fault would have given.

    Attributes:
        suspect: The fault.
        output: Shape (r, d_v).
    """

    suspect: Suspect
    output: Floats


def _fits(case: HeadCase, alternatives: Iterator[_Alternative]) -> Iterator[Suspect]:
    """Yield the faults whose output is the captured one, to rounding under the coarsest path."""
    rounding = case.rounding(case.reference.model)
    rows, state = rounding.rows, rounding.state
    noise = variance(rows, state, case.format, case.paths[-1]).max(axis=1)
    sizes = np.square(rows.output).max(axis=1)
    bound = ROOM**2 * 4 * (noise + 2.0 ** (-2 * case.format.bits) * sizes)
    promised = float(np.square(rows.output - state.output).sum())
    for alternative in alternatives:
        apart = np.square(rows.output - alternative.output)
        is_less = GAIN * float(apart.sum()) < promised
        if is_less and (apart.max(axis=1) <= bound).all():
            yield alternative.suspect


def _other_softmax(case: HeadCase) -> Iterator[Suspect]:
    """Yield faults of softmax and of the cap, each by the output that it gives."""
    yield from _fits(case, _softmaxes(case))


def _softmaxes(case: HeadCase) -> Iterator[_Alternative]:
    """Yield the outputs of other softmaxes than the promised one."""
    model = case.reference.model
    rounding = case.rounding(model)
    rows, state = rounding.rows, rounding.state
    c, values = model.value_scale, rows.values.astype(np.float64)
    logits = state.logits.astype(np.float64)
    if rows.bias is not None:
        logits = logits + rows.bias
    has_all_rows = len(rows.output) == case.counts.queries and case.counts.queries > 1
    if has_all_rows:
        hidden = np.where(rows.seen, logits, -inf)
        columns = row_weights(hidden, axis=0)
        name = "softmax was taken over the queries: the columns sum to 1"
        yield _Alternative(Suspect(name, FITS), c * columns @ values)
    if not rows.seen.all():
        late = np.where(rows.seen, row_weights(logits, model.sink_logit), 0.0)
        name = "the mask is applied after the softmax: hidden keys count in its sum"
        yield _Alternative(Suspect(name, FITS, part="mask"), c * late @ values)
    for suspect, output in kernel_outputs(rows, state, model):
        yield _Alternative(suspect, output)
    total = state.total
    crowded = state.output * total / (total + 1.0)
    name = "1 is added to the sum after the maximum is subtracted: a sink as heavy as the top key"
    yield _Alternative(Suspect(name, FITS, part="sink"), crowded)
    if model.softcap is None:
        return
    every = np.where(rows.seen, logits, -model.softcap)
    cap = general(model.softcap)
    name = f"the cap is applied after the mask: hidden keys have the logit −{cap}"
    yield _Alternative(
        Suspect(name, FITS, part="mask"), c * row_weights(every, model.sink_logit) @ values
    )
    x = model.multiplier * rows.scores.astype(np.float64)
    bent = np.where(rows.seen, x * np.tanh(x / model.softcap), -inf)
    name = f"the cap is z·tanh(z/{cap}) in place of {cap}·tanh(z/…)"
    yield _Alternative(
        Suspect(name, FITS, part="softcap"), c * row_weights(bent, model.sink_logit) @ values
    )
    cut = np.where(rows.seen, np.clip(x, -model.softcap, model.softcap), -inf)
    name = f"logits are cut off at ±{cap}, not bent by {cap}·tanh(z/{cap})"
    yield _Alternative(
        Suspect(name, FITS, part="softcap"), c * row_weights(cut, model.sink_logit) @ values
    )


def _other_sums(case: HeadCase) -> Iterator[Suspect]:
    """Yield that most rows are the promised ones times factors, as where weights do not sum to 1.

    A few such rows, or rows of zeros, are better named as rows.
    """
    rounding = case.rounding(case.reference.model)
    output, promised = rounding.rows.output, rounding.state.output
    if output.shape[1] < LEAST_PER_FACTOR:
        return
    square = np.square(promised).sum(axis=1, keepdims=True)
    factors = (output * promised).sum(axis=1, keepdims=True) / np.maximum(square, 1e-300)
    is_other = np.abs(factors - 1.0) > ROOM * 2.0**-case.format.bits
    if (factors <= 0.0).any() or is_other.mean() < LEAST_OTHER:
        return
    missed = np.linalg.norm(output - promised)
    if np.linalg.norm(output - factors * promised) > MOST_LEFT * missed:
        # Another multiplier changes lengths as well, and directions more.
        return
    name = "the weights of a row do not sum to 1: it is the promised one times a factor of its own"
    yield from _fits(case, iter((_Alternative(Suspect(name, FITS), factors * promised),)))


COMPUTED: tuple[Callable[[HeadCase], Iterator[Suspect]], ...] = (
    _other_softmax, one_key, some_channels, _other_sums,
)  # fmt: skip
"""The faults that are told by the output that they give."""


def _rotated(case: HeadCase) -> Variants:
    """Yield the head with keys or queries rotated by RoPE, or rotated back."""
    head = case.head
    if head.d_k % 2:
        return
    positions, every = case.reference.model.mask.positions(head), np.arange(head.n_keys)
    for base, halves in product(BASES, (True, False)):
        keys, back = (rope(head.keys, sign * every, base, halves) for sign in (1, -1))
        queries, turned_back = (
            rope(head.queries, sign * positions, base, halves) for sign in (1, -1)
        )
        for name, trusted, changed in (
            ("k was captured before RoPE", "RoPE turns k", replace(head, keys=keys)),
            (
                "q and k were captured before RoPE", "RoPE turns q and k",
                replace(head, keys=keys, queries=queries),
            ),
            ("q was captured before RoPE", "RoPE turns q", replace(head, queries=queries)),
            ("RoPE is on q alone", "RoPE turns k back", replace(head, keys=back)),
            ("RoPE is on k alone", "RoPE turns q back", replace(head, queries=turned_back)),
        ):  # fmt: skip
            yield Suspect(name, FITS, "capture", trusted=trusted), changed
        # Whatever was captured, the promised m was not used.
        scaled = replace(head, keys=keys, queries=case.reference.model.multiplier * queries)
        yield Suspect("RoPE turns q and k, and m counts twice", FITS), scaled


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


def _normalised(case: HeadCase) -> Variants:
    """Yield the head with queries and keys as QK-norm leaves them, without learned factors."""
    head, m = case.head, case.reference.model.multiplier
    length = head.d_k**0.5
    of_length = "normalised to length 1"
    of_square = "divided by their root mean square (QK-norm)"
    for what, size, small, factor in (
        (of_square, length, 1e-6, 1.0), (of_square, length, 1e-5, 1.0),
        (of_square, length, 0.0, 1.0), (of_length, 1.0, 0.0, 1.0),
        (f"{of_length}, and nothing is multiplied by m", 1.0, 0.0, 1.0 / m if m else 1.0),
    ):  # fmt: skip
        parts = []
        for part in (head.queries, head.keys):
            square = np.square(part.astype(np.float64)).mean(axis=1, keepdims=True)
            parts.append(part * (size / length) / np.sqrt(np.maximum(square + small, 1e-30)))
        suspect = Suspect(
            f"q and k were captured before they are {what}", FITS, "capture",
            trusted=f"q and k are {what}",
        )  # fmt: skip
        if factor != 1.0:
            # Whatever was captured, the promised m was not used.
            suspect = Suspect(f"q and k are {what}", FITS)
        yield suspect, replace(head, queries=factor * parts[0], keys=parts[1])


def _shortened(case: HeadCase) -> Variants:
    """Yield the head with the first numbers of queries and keys alone, as loops of a kernel end."""
    head = case.head
    for length in LOOPS:
        if not length < head.d_k:
            continue
        kept = np.arange(head.d_k) < length
        for more, factor in (("", 1.0), (", and m is 1/√ of that", (head.d_k / length) ** 0.5)):
            phrase = f"q·k runs over the first {length} of {head.d_k} numbers{more}"
            queries = factor * np.where(kept, head.queries, 0.0)
            yield Suspect(phrase, FITS), replace(head, queries=queries)


def _with_bias(case: HeadCase, bias: Floats) -> HeadRows:
    head = case.head
    return replace(head, bias=bias if head.bias is None else head.bias + bias)


def _distances(case: HeadCase) -> NDArray[np.intp]:
    """Return the position of each key relative to the query's own key, shape (r, n)."""
    positions = case.reference.model.mask.positions(case.head)
    return np.asarray(np.arange(case.head.n_keys) - positions[:, None])


def _alibi(case: HeadCase) -> Variants:
    """Yield the head with the best-fitting bias that grows with the distance."""
    away = np.abs(_distances(case)).astype(float)
    starts = [np.array([2.0**-power]) for power in (1.0, 3.0, 5.0, 7.0)]
    fits = [_fitted(case, (-away)[None], start) for start in starts]
    slope, bias, _ = min(fits, key=lambda fit: fit[2])
    falls = "falls" if slope[0] > 0 else "rises"
    phrase = f"a bias of slope {{number}} that {falls} with the distance (ALiBi) is added"
    number = abs(float(slope[0]))
    yield Suspect(phrase, FITS, part="bias", number=number), _with_bias(case, bias)


def _multiplied_bias(case: HeadCase) -> Variants:
    """Yield the head with the best-fitting multiple of its bias."""
    bias = case.rows(case.reference.model).bias
    if bias is None or not bias.any():
        return
    fits = [_fitted(case, bias[None], np.array([start])) for start in (0.0, -1.0, -2.0)]
    more, added, _ = min(fits, key=lambda fit: fit[2])
    factor = 1.0 + float(more[0])
    m = case.reference.model.multiplier
    usual = {m: "is it added before the scale?", 2.0: "is it added twice?"}
    phrase = "the bias counts {number} times"
    if abs(factor + 1.0) < NEAR:
        phrase = "the sign of the bias is turned"
    for value, words in usual.items():
        if value != 1.0 and abs(factor / value - 1.0) < NEAR:
            phrase += f": {words}"
    yield Suspect(phrase, FITS, part="bias", number=factor), _with_bias(case, added)


def _transposed(case: HeadCase) -> Variants:
    """Yield the head with an array turned whose sides are equally long."""
    head = case.head
    for part, name in (("values", "V"), ("keys", "K"), ("queries", "Q")):
        array = getattr(head, part)
        if array is None or array.shape[0] != array.shape[1] or len(array) < 2:
            continue
        if part != "queries" or len(array) == head.n_queries:
            turned = replace(head, **{part: array.T})
            yield Suspect(f"{name} is transposed where it is square", FITS, part=None), turned


def _bucketed(case: HeadCase) -> Variants:
    """Yield the head with the best-fitting bias by T5's buckets of distances."""
    distances = _distances(case)
    places = buckets(distances, case.reference.model.mask.kind == "none")
    kinds = np.unique(places)
    assert case.head.output is not None
    if case.head.output.size < LEAST_PER_BUCKET * len(kinds):
        return
    shapes = (places == kinds[:, None, None]).astype(float)
    _, bias, _ = _fitted(case, shapes, np.zeros(len(kinds)))
    name = "a bias by relative position (T5) is added"
    yield Suspect(name, FITS, part="bias"), _with_bias(case, bias)


ALTERED = (
    quantised,
    _transposed,
    _rotated,
    _normalised,
    _shortened,
    _multiplied_bias,
    _alibi,
    _bucketed,
)
"""The faults that are told by the head as they would leave it."""


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


def _fitted(case: HeadCase, shapes: Floats, start: Floats) -> tuple[Floats, Floats, float]:
    """Fit the coefficients of some biases, by damped Gauss–Newton.

    Args:
        case: The head.
        shapes: The biases, shape (k, r, n).
        start: The initial coefficients, shape (k,).

    Returns:
        The coefficients, shape (k,); the bias, shape (r, n); and χ² by the variances of the output
        alone.
    """
    model, parts = case.reference.model, start
    plain = case.rows(model)
    parameters = parameters_of(model)

    def biased(parts: Floats) -> tuple[FitRows, State]:
        bias = np.tensordot(parts, shapes, 1)
        rows = replace(plain, bias=bias if plain.bias is None else plain.bias + bias)
        return rows, compute(rows, parameters)

    rows, state = biased(parts)
    unit = np.sqrt(variance(rows, state, case.format, case.paths[-1]))
    rest = (plain.output - state.output) / unit
    cost, damping = float(np.square(rest).sum()), 1e-3
    for _ in range(STEPS):
        by_weight = state.weights * shapes
        along = by_weight @ plain.values - by_weight.sum(axis=-1, keepdims=True) * state.mixed
        step = coefficients(parameters.value_scale * along / unit, rest, damping)
        step = np.clip(step, -2.0, 2.0)
        _, tried = biased(parts + step)
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
    return parts, np.tensordot(parts, shapes, 1), cost


def _dropped(case: HeadCase) -> str:
    """Return a sentence saying which share of weights was dropped, or an empty text.

    Only rows that see few keys, compared with d_v, tell which weights were dropped: in others too
    many choices would come near.
    """
    rounding = case.rounding(case.reference.model)
    rows, state = rounding.rows, rounding.state
    counts = rows.seen.sum(axis=1)
    some = np.flatnonzero((counts > 1) & (counts <= MOST_KEYS * rows.values.shape[1]))[:MOST_ROWS]
    if len(some) < LEAST_DROPOUT_ROWS:
        return ""
    noise = np.square(rounding.by(case.paths[-1]).variance.sum(axis=1) ** 0.5 * ROOM)
    for rate in RATES:
        kept = []
        for row in some:
            seen = rows.seen[row]
            parts = state.weights[row, seen][:, None] * rows.values[seen] / (1.0 - rate)
            choice = _chosen(parts, rows.output[row], float(noise[row]))
            if choice is not None:
                kept.append(choice)
        every = np.concatenate([*kept, np.zeros(0, bool)])
        if len(kept) <= len(some) / 2 or len(every) < LEAST_DROPOUT_WEIGHTS:
            continue
        share = float(1.0 - every.mean())
        if 0.3 * rate < share < 3.0 * rate:
            larger = f"{general(1.0 / (1.0 - rate), 3)} times too large"
            return f"about {rough_percent(rate)} of the weights are 0, and the others {larger}"
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
