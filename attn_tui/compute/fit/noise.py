"""What rounding does to a head's output: its variance under each path, and rows freed of it."""

from dataclasses import dataclass
from math import frexp
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.head import Floats, Path, Rows, State
from attn_tui.compute.formats import dtype_of, limits

PATHS: tuple[Path, ...] = get_args(Path)

KEYS = 256
"""So many keys, those whose rounding matters most, are taken with the direction they push in."""


SUMS = 8.0
"""Variance of float32 arithmetic in units that suit sums in long blocks: orders of sums differ."""


@dataclass(frozen=True)
class Format:
    """A number format's spacing.

    Attributes:
        name: ``float64``, ``float32``, ``bfloat16`` or ``float16``.
        bits: Digits of the significand, the leading one among them.
        least: The exponent of the smallest normal number.
    """

    name: str
    bits: int
    least: int

    def spacing(self, values: Floats) -> Floats:
        """Return the distance to the next number of the format, shaped as the values."""
        exponent = np.where(values == 0, self.least, np.frexp(values)[1] - 1)
        return np.asarray(np.ldexp(1.0, np.maximum(exponent, self.least) - self.bits + 1))


def format_of(name: str) -> Format:
    """Return a format by its name."""
    known = limits(dtype_of(name))
    return Format(name, int(known.nmant) + 1, int(known.minexp))


TF32 = Format("tf32", 11, -126)
"""What tensor cores make of float32 before they multiply."""


def paths_of(format: Format) -> tuple[Path, ...]:
    """Return the paths that numbers of a format may have come, that which rounds most last."""
    if format.bits < 24:
        return ("float32", "flash", "eager")
    return ("float32", "tf32") if format.bits == 24 else ("float32",)


def score_paths(format: Format) -> tuple[Path, ...]:
    """Return those of them that differ in how scores are rounded."""
    return tuple(path for path in paths_of(format) if path != "flash")


def coarsest(values: NDArray[np.floating], named: str) -> str:
    """Return the coarsest format that holds every value: captured bfloat16 is often cast up."""
    names = ("bfloat16", "float16", "float32", "float64")
    if named in names[:2]:
        return named
    sample = values[np.isfinite(values)][:65536].astype(np.float64)
    for name in names[:3]:
        with np.errstate(all="ignore"):
            if np.array_equal(sample.astype(dtype_of(name)).astype(np.float64), sample):
                return name
    return names[3]


def score_variance(rows: Rows, state: State, format: Format, path: Path) -> Floats:
    """Return the variance of each logit, shape (r, n).

    In eager models every step from q·k to z is rounded; and in every path the sum
    q·k is one of float32, unless all is float64.
    """
    at = state.parameters
    slope = at.multiplier * state.slope
    unit = 2.0 ** -max(format.bits, 24)
    q, k = rows.norms
    # A sum of d terms in blocks, each rounded: some units of ‖q‖‖k‖/√d; e^z and z − max besides.
    sums = np.square(unit * 0.5) * np.multiply.outer(q * q, k * k) / rows.d_k * np.square(slope)
    away = state.logits - state.top
    sums += np.square(unit) * (1 + np.square(away) + np.square(state.top)) / 3
    sums *= SUMS
    if path == "tf32":
        sums += np.square(slope) * rows.inputs.lost[0]
    if path != "eager":
        return np.asarray(sums)
    sums += np.square(format.spacing(rows.scores) * slope) / 12
    x = at.multiplier * rows.scores
    if frexp(abs(at.multiplier))[0] != 0.5:
        sums += np.square(format.spacing(x) * state.slope) / 12
    if at.curvature > 0:
        root = np.sqrt(at.curvature)
        u = x * root
        tanh = np.tanh(u)
        sums += np.square(format.spacing(u) * state.slope / root) / 12
        sums += np.square(format.spacing(tanh) / root) / 12
        sums += np.square(format.spacing(state.logits)) / 12
    if rows.bias is not None:
        sums += np.square(format.spacing(state.logits + rows.bias)) / 12
    return np.asarray(sums)


def weight_variance(state: State, format: Format, path: Path) -> Floats | None:
    """Return the variance of each weight that its own rounding makes, shape (r, n), or None."""
    if path == "tf32":
        return np.asarray(np.square(TF32.spacing(state.weights)) / 12)
    if path == "float32" or format.bits >= 24:
        return None
    if path == "eager":
        return np.asarray(np.square(format.spacing(state.weights)) / 12)
    before = state.weights * state.total
    step = np.square(format.spacing(before) / state.total) / 12
    # The largest is 1, and needs no rounding, but in kernels whose maximum begins at a sink above.
    largest, above = before >= 1 - 1e-12, state.parameters.sink_logit > state.top
    return np.asarray(np.where(largest & ~above, 0.0, step))


@dataclass(frozen=True, eq=False)
class Noise:
    """The noise of a head's output, by row.

    Attributes:
        variance: Of each number, shape (r, d_v).
        factor: L⁻¹ of each row's covariance L·Lᵀ, shape (r, d_v, d_v), or None where only the
            variances count.
        log_determinant: ln of the determinant of the covariance, summed over rows.
    """

    variance: Floats
    factor: Floats | None
    log_determinant: float

    def freed(self, rows: Floats) -> Floats:
        """Return rows, shape (…, r, d_v), in units in which their noise is 1 and independent."""
        if self.factor is None:
            return np.asarray(rows / np.sqrt(self.variance))
        return np.asarray((self.factor @ rows[..., None])[..., 0])


def noise(rows: Rows, state: State, format: Format, path: Path) -> Noise:
    """Return the noise of a head's output under a path.

    What rounding one logit or weight does to a row pushes it in one direction, so that the errors
    of a row's numbers hang together: a covariance, in which the keys that matter most are
    taken with their direction, and the others as if each number had its own error.
    """
    own, by_score, by_weight = _parts(rows, state, format, path)
    v, mixed = rows.values, state.mixed
    variance = own + _spread(by_score, by_weight, v, mixed)
    if path == "float32" and format.bits < 24:
        return Noise(variance, None, float(np.log(variance).sum()))
    score, weight, v = _most(by_score, by_weight, v, mixed)
    # Σ_j s_j (v_j − o)(v_j − o)ᵀ + w_j v_j v_jᵀ over the keys that matter, for each row; s may be
    # so large that v_j − o has to be taken first, and w is small.
    apart = v - mixed[:, None]
    by_key = score if weight is None else score + weight
    covariance = apart.swapaxes(-1, -2) @ (apart * by_key[..., None])
    if weight is not None:
        middle = (weight[:, None] @ v)[:, 0] - weight.sum(axis=1, keepdims=True) / 2 * mixed
        covariance += middle[:, :, None] * mixed[:, None] + mixed[:, :, None] * middle[:, None]
    diagonal = np.einsum("rdd->rd", covariance)
    diagonal += np.maximum(variance - diagonal, own)
    factor = np.linalg.cholesky(covariance)
    log_determinant = 2 * float(np.log(np.einsum("rdd->rd", factor)).sum())
    return Noise(variance, _inverse(factor), log_determinant)


def _inverse(lower: NDArray[np.floating]) -> Floats:
    """Return the inverses of lower triangular matrices, shape (…, n, n), by halves."""
    half = lower.shape[-1] // 2
    if half < 16:
        return np.asarray(np.linalg.inv(lower))
    found = np.zeros_like(lower)
    found[..., :half, :half] = first = _inverse(lower[..., :half, :half])
    found[..., half:, half:] = last = _inverse(lower[..., half:, half:])
    found[..., half:, :half] = -last @ (lower[..., half:, :half] @ first)
    return found


def variance(rows: Rows, state: State, format: Format, path: Path) -> Floats:
    """Return the variance of each number of the output, shape (r, d_v), without covariances."""
    own, by_score, by_weight = _parts(rows, state, format, path)
    return own + _spread(by_score, by_weight, rows.values, state.mixed)


def variance_along(
    rows: Rows, state: State, format: Format, path: Path, along: Floats
) -> tuple[Floats, float]:
    """Return the variance of each number of the output, and that of the sum of noise times along.

    Args:
        rows: Of the head, under one mask.
        state: What it was computed with.
        format: Of the output.
        path: Where it was rounded.
        along: Shape (r, d_v).
    """
    own, by_score, by_weight = _parts(rows, state, format, path)
    reach = along @ rows.values.T
    apart = reach - (along * state.mixed).sum(axis=1, keepdims=True)
    spread = float((own * np.square(along)).sum() + (by_score * np.square(apart)).sum())
    if by_weight is not None:
        spread += float((by_weight * np.square(reach)).sum())
    return own + _spread(by_score, by_weight, rows.values, state.mixed), spread


def _parts(
    rows: Rows, state: State, format: Format, path: Path
) -> tuple[Floats, Floats, Floats | None]:
    """Return variances: of the output's own rounding, and c²p² times that of logits, of weights."""
    at, p, v, mixed = state.parameters, state.weights, rows.values, state.mixed
    c2 = at.value_scale * at.value_scale
    unit = 2.0 ** -max(format.bits, 24)
    own = np.square(format.spacing(rows.output)) / 12
    # Numbers near 0 are rounded so finely that one of them would decide alone.
    own = np.maximum(own, own.mean(axis=1, keepdims=True) / 16)
    own += SUMS * np.square(unit) * c2 * (np.square(mixed) + np.square(p) @ np.square(v))
    if path == "tf32":
        own += c2 * (np.square(p) @ rows.inputs.lost[1])
    by_score = c2 * np.square(p) * score_variance(rows, state, format, path)
    by_weight = weight_variance(state, format, path)
    return own, by_score, None if by_weight is None else c2 * by_weight


def _most(
    by_score: Floats, by_weight: Floats | None, values: Floats, mixed: Floats
) -> tuple[Floats, Floats | None, Floats]:
    """Return the variances, and the values, of the keys that matter most to each row."""
    if len(values) <= KEYS:
        return by_score, by_weight, values
    length = np.square(values).sum(axis=1)
    own = np.square(mixed).sum(axis=1, keepdims=True)
    matter = by_score * (length - 2 * (mixed @ values.T) + own)
    if by_weight is not None:
        matter += by_weight * length
    most = np.argpartition(matter, -KEYS, axis=1)[:, -KEYS:]
    kept = None if by_weight is None else np.take_along_axis(by_weight, most, axis=1)
    return np.take_along_axis(by_score, most, axis=1), kept, values[most]


def _spread(by_score: Floats, by_weight: Floats | None, values: Floats, mixed: Floats) -> Floats:
    """Return the variance that rounded logits and weights make, shape (r, d_v)."""
    square = np.square(values)
    made = (by_score if by_weight is None else by_score + by_weight) @ square
    made -= 2 * mixed * (by_score @ values)
    made += np.square(mixed) * by_score.sum(axis=1, keepdims=True)
    return np.maximum(made, 0.0)
