"""The noise of rounding in a head's output under each path, and the likeliest path."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import frexp, sqrt
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import dtype_of, limits
from attn_tui.compute.fit.head import NAMES, FitRows, Floats, Inputs, Path, State, slopes

PATHS: tuple[Path, ...] = get_args(Path)

DIRECTIONS = 8
"""The number of errors of a row, those that matter most, whose direction is kept."""
ALL_DIRECTIONS, SMALL = 16, 2**14
"""More of them in heads with at most this many logits, where one error may be most of the noise."""
LEAST_LEFT = 1e-10
"""The least share of a variance that stays each number's own, so that it never vanishes."""
SPREAD_OF_SQUARES = 0.7
"""The variance of the square of an error of two roundings, in terms of that of a normal error."""
_UNSEEN = 0.01
"""Terms that add less than this share to a variance are left out."""


_EXPONENTS: dict[int, np.uint32 | np.uint64] = {
    4: np.uint32(0x7F800000), 8: np.uint64(0x7FF0000000000000),
}  # fmt: skip
"""The bits of the exponent, by the size of a number in bytes."""

LOOSE = 2.0
"""One standard error of a sum of weights in float32, in half units of its format."""
REPEATED = 1 / 8
"""Equal terms are all rounded to the same side: a sum of n of them errs by n times this many half
units, where the sums of others err by their square root. While a running sum lies between two
powers of 2, each addition errs by the same amount, of at most half a unit; the last half of the
terms decides. For terms of [½, 1) the root mean square is .123 to .132, with n of 8 to 2,048; sums
in 4 lanes err by a quarter of that."""
SUMS = 8.0
"""A factor on the variance of float32 sums, which are taken in different orders and blocks."""
GROWING, COMMON = 18.0, 6.0
"""A sum of d terms that are added one after another errs as if that factor were d by this: where
the sum grows evenly to its value, and where it stays as large as a part that all have in common."""
BLOCK = 32.0
"""The keys of a block, after each of which kernels add to their sums and round them."""


@dataclass(frozen=True)
class Format:
    """A number format's spacing.

    Attributes:
        name: ``float64``, ``float32``, ``bfloat16`` or ``float16``.
        bits: Bits of the significand, including the leading one.
        least: The exponent of the smallest normal number.
    """

    name: str
    bits: int
    least: int

    def spacing(self, values: Floats) -> Floats:
        """Return the distance to the next number of the format, shaped as the values."""
        exponent = _EXPONENTS[values.dtype.itemsize]
        power = np.bitwise_and(values.view(exponent.dtype), exponent).view(values.dtype)
        # In float32 the square of the spacing must not underflow either.
        least = self.least if values.dtype.itemsize == 8 else max(self.least, -50)
        np.maximum(power, 2.0**least, out=power)
        power *= 2.0 ** (1 - self.bits)
        return np.asarray(power)


def format_of(name: str) -> Format:
    """Return a format by its name."""
    limit = limits(dtype_of(name))
    return Format(name, int(limit.nmant) + 1, int(limit.minexp))


TF32 = Format("tf32", 11, -126)
"""The format that tensor cores round float32 to before they multiply."""


def paths_of(format: Format) -> tuple[Path, ...]:
    """Return the rounding paths that a format allows, the one that rounds most last."""
    if format.bits < 24:
        return ("float32", "flash", "eager", "stepwise")
    return ("float32", "tf32") if format.bits == 24 else ("float32",)


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


def score_variance(rows: FitRows, state: State, format: Format, path: Path) -> Floats:
    """Return the variance of each logit, shape (r, n).

    In eager models every step from q·k to z is rounded; on every path the sum q·k is
    taken in float32, unless everything is float64.
    """
    parameters = state.parameters
    slope = parameters.multiplier * state.slope
    unit = 2.0 ** -max(format.bits, 24)
    q, k = rows.norms
    # A sum of d terms in rounded blocks errs by some units of ‖q‖‖k‖/√d; one that is taken term
    # by term by more, if it is large, or is large on its way; e^z and z − max err, too.
    sizes = np.square(rows.scores) * max(1.0, rows.d_k / GROWING)
    np.maximum(sizes, np.square(rows.common) * rows.d_k / COMMON, out=sizes)
    np.maximum(sizes, np.multiply.outer(q * q, k * k) / rows.d_k, out=sizes)
    sums = (unit * 0.5) ** 2 * sizes * (slope * slope)
    away = state.logits - state.top
    sums += unit**2 * (1 + np.square(away) + np.square(state.top)) / 3
    sums *= SUMS
    if path == "tf32":
        sums += slope * slope * rows.lost[0]
    if path not in STEPWISE:
        return np.asarray(sums)
    sums += np.square(format.spacing(rows.scores) * slope) / 12
    if path == "scaled":
        sums += np.square(state.slope) * factor_variance(rows, parameters.multiplier, format)
    x = parameters.multiplier * rows.scores
    if is_inexact(parameters.multiplier):
        sums += np.square(format.spacing(x) * state.slope) / 12
    if parameters.curvature > 0:
        root = sqrt(parameters.curvature)
        u = x * root
        tanh = np.tanh(u)
        sums += np.square(format.spacing(u) * state.slope / root) / 12
        sums += np.square(format.spacing(tanh) / root) / 12
        sums += np.square(format.spacing(state.logits)) / 12
    biased = state.logits
    if rows.bias is not None:
        biased = state.logits + rows.bias
        sums += np.square(format.spacing(biased)) / 12
    if path == "stepwise":
        sums += _below_variance(rows, state, biased, format)
    return np.asarray(sums)


def _below_variance(rows: FitRows, state: State, biased: Floats, format: Format) -> Floats:
    """Return the variance of each logit by subtracting the largest one, shape (r, n).

    Both are numbers of the format, and so is their difference where its spacing is no wider than
    theirs: near the largest logit nothing is rounded (Sterbenz, 1974).
    """
    largest = _largest(state).astype(biased.dtype)
    below = np.where(rows.seen, biased - largest, 0)
    grid = np.minimum(format.spacing(biased), format.spacing(largest))
    step = format.spacing(below)
    # On a grid of step/N the mean square of what is rounded off is (1 + 2/N²)·step²/12.
    rounded = np.square(step) / 12 + np.square(grid) / 6
    return np.where(step > grid, rounded, 0.0)


def _exponential_variance(state: State, format: Format) -> Floats:
    """Return the variance of each weight by rounding e^(z − max), shape (r, n)."""
    # Kernels may begin with the sink as their maximum; the largest is 1 and needs no rounding.
    total = _sum(state).astype(state.weights.dtype)
    before = state.weights * total
    step = np.square(format.spacing(before))
    step /= 12 * total * total
    np.copyto(step, 0.0, where=before >= 1 - 1e-6)
    return step


def factor_variance(rows: FitRows, multiplier: float, format: Format) -> Floats:
    """Return the variance of m·q·k if √m·q and √m·k are rounded to a format, shape (r, n).

    It is 0 if √m is a power of two.
    """
    root = sqrt(abs(multiplier))
    if not is_inexact(root):
        return np.zeros_like(rows.scores)
    q = root * rows.queries.astype(np.float64)
    k = root * rows.inputs.keys.astype(np.float64)
    of_q, of_k = (np.square(format.spacing(factor)) / 12 for factor in (q, k))
    return np.asarray(of_q @ np.square(k).T + np.square(q) @ of_k.T)


def is_inexact(factor: float) -> bool:
    """Return whether products with a factor have to be rounded: it is no power of two, nor 0."""
    return frexp(abs(factor))[0] not in (0.0, 0.5)


def weight_variance(state: State, format: Format, path: Path) -> Floats | None:
    """Return the variance of each weight by its own rounding, shape (r, n), or None without it."""
    if path == "tf32":
        return np.asarray(np.square(TF32.spacing(state.weights)) / 12)
    if path == "float32" or format.bits >= 24:
        return None
    if path in STEPWISE:
        step = np.square(format.spacing(state.weights)) / 12
        # A weight next to 1 is rounded to 1, and errs by no more than what it lacks of that.
        np.minimum(step, np.square(1 - state.weights), out=step, where=state.weights > HALF)
        return np.asarray(step)
    return _exponential_variance(state, format)


@dataclass(frozen=True, eq=False)
class Noise:
    """The noise of a head's output, by row, with a covariance of √D·(I + Aᵀ·A)·√D.

    Attributes:
        variance: The variance of each number, shape (r, d_v).
        log_determinant: ln of the determinant of the covariance, summed over rows.
        deviation: √D, shape (r, d_v).
        along: A, shape (r, k, d_v), the directions in which a row's numbers err together; None
            if their errors are independent.
        middle: M, shape (r, k, k), such that x − x·Aᵀ·M·A whitens a row x.
        freedoms: The sum of squares of each whitened row is spread as that of so many independent
            normal numbers, times a factor, shape (r,): fewer than d_v where a few errors without a
            direction are most of √D. None is d_v.
        of_sums: Whether each direction is that of a rounded sum of weights, shape (k,); else it is
            that of a rounded logit or weight.
    """

    variance: Floats
    log_determinant: float
    deviation: Floats
    along: Floats | None = None
    middle: Floats | None = None
    freedoms: Floats | None = None
    of_sums: NDArray[np.bool_] | None = None

    def whitened(self, rows: Floats) -> Floats:
        """Return whitened rows, shape (…, r, d_v): their noise is independent with variance 1."""
        rows = rows / self.deviation
        if self.along is None or self.middle is None:
            return np.asarray(rows)
        shares = (self.along @ rows[..., None]).swapaxes(-1, -2) @ self.middle
        return np.asarray(rows - (shares @ self.along)[..., 0, :])

    def transposed(self, rows: Floats) -> Floats:
        """Return what whitening does transposed: its product with rows is theirs with whitened."""
        if self.along is not None and self.middle is not None:
            shares = (self.along @ rows[..., None]).swapaxes(-1, -2) @ self.middle.swapaxes(-1, -2)
            rows = rows - (shares @ self.along)[..., 0, :]
        return np.asarray(rows / self.deviation)

    @property
    def pushes(self) -> Floats | None:
        """How one standard error of those that matter most moves a row, shape (r, k, d_v)."""
        return None if self.along is None else np.asarray(self.along * self.deviation[:, None])

    @property
    def freedom(self) -> float:
        """How many independent errors of equal variance have sums of squares as spread as these.

        It is (tr C)² / tr C² of the covariance C, and at least 1.
        """
        variances = np.square(self.deviation)
        total, square = float(variances.sum()), float(np.square(variances).sum())
        if self.along is not None:
            together = self.along * self.deviation[:, None]
            squares = np.square(together).sum(axis=1)
            total += float(squares.sum())
            square += float(2 * (variances * squares).sum())
            square += float(np.square(together @ together.swapaxes(-1, -2)).sum())
        return max(total * total / square, 1.0) if square else 1.0

    def part(self, rows: NDArray[np.intp]) -> "Noise":
        """Return the noise of some rows, without the determinant."""
        along, middle, freedoms = (
            None if array is None else array[rows]
            for array in (self.along, self.middle, self.freedoms)
        )
        return replace(
            self, variance=self.variance[rows], log_determinant=0.0,
            deviation=self.deviation[rows], along=along, middle=middle, freedoms=freedoms,
        )  # fmt: skip


def noise(rows: FitRows, state: State, format: Format, path: Path) -> Noise:
    """Return the noise of a head's output under a path.

    Rounding one logit or weight pushes a row in one direction, so that the errors of the row's
    numbers are correlated. The few errors that push most keep their direction, as a term of low
    rank; the others are added to the diagonal, as if each number had its own error.
    """
    by_output, by_score, by_weight = _parts(rows, state, format, path)
    spread = _spread(by_score, by_weight, rows.inputs, state.mixed)
    variance = by_output if spread is None else by_output + spread
    pushes, others = _pushes(by_score, by_weight, rows.inputs, state.mixed)
    of_sums = np.zeros(0 if pushes is None else pushes.shape[1], bool)
    if path == "stepwise" or format.bits >= 24:
        common = _by_sum(rows, state, format)
        variance = variance + np.square(common)
        pushes = common[:, None] if pushes is None else np.hstack([pushes, common[:, None]])
        of_sums = np.append(of_sums, True)
    if pushes is None or not np.isfinite(variance).all():
        return Noise(variance, float(np.log(variance).sum()), np.sqrt(variance))
    left = np.maximum(variance - np.square(pushes).sum(axis=1), by_output)
    left = np.maximum(left, LEAST_LEFT * variance)
    deviation: Floats = np.sqrt(left)
    d_v = left.shape[1]
    shares = np.minimum(others / np.square(left.sum(axis=1)), 1.0)
    freedoms = d_v / (1 + SPREAD_OF_SQUARES * d_v * shares)
    along = pushes / deviation[:, None]
    # W = I − Aᵀ·Mᵀ·A has WᵀW = (I + Aᵀ·A)⁻¹ with M = (L·(I + L)ᵀ)⁻ᵀ, where L·Lᵀ = I + A·Aᵀ.
    one = np.eye(along.shape[1])
    lower = np.linalg.cholesky(one + along @ along.swapaxes(-1, -2))
    middle = np.linalg.inv(lower @ (one + lower.swapaxes(-1, -2))).swapaxes(-1, -2)
    diagonal = np.diagonal(lower, axis1=-2, axis2=-1)
    log_determinant = float(np.log(left).sum()) + 2 * float(np.log(diagonal).sum())
    return Noise(variance, log_determinant, deviation, along, middle, freedoms, of_sums)


def variance(rows: FitRows, state: State, format: Format, path: Path) -> Floats:
    """Return the variance of each number of the output, shape (r, d_v), without covariances."""
    by_output, by_score, by_weight = _parts(rows, state, format, path)
    if path == "stepwise" or format.bits >= 24:
        by_output += np.square(_by_sum(rows, state, format))
    spread = _spread(by_score, by_weight, rows.inputs, state.mixed)
    return by_output if spread is None else by_output + spread


def _parts(
    rows: FitRows, state: State, format: Format, path: Path
) -> tuple[Floats, Floats | None, Floats | None]:
    """Return the output's own rounding variance, c²p² times that of logits, and c² times weights'.

    The latter two are None if they are negligible beside the first.
    """
    parameters, p, mixed = state.parameters, state.weights, state.mixed
    c2 = parameters.value_scale * parameters.value_scale
    by_output = np.square(format.spacing(rows.output)) / 12
    # Numbers near 0 are rounded so finely that one of them would decide alone.
    by_output = np.maximum(by_output, by_output.mean(axis=1, keepdims=True) / 16)
    least = _UNSEEN * by_output.min(axis=1, initial=np.inf)
    largest = rows.inputs.largest
    squares = state.squares
    sums = max(SUMS, p.shape[1] / BLOCK) * c2 * np.square(2.0 ** -max(format.bits, 24))
    if not (sums * largest * squares.sum(axis=1) < least).all():
        by_output += sums * (np.square(mixed) + squares @ rows.inputs.squares)
    if format.bits >= 24:
        by_output += c2 * np.square(_repeated(rows, state, format, rows.values))
    if path == "tf32":
        by_output += c2 * (squares @ rows.lost[1])
    by_weight = weight_variance(state, format, path)
    if by_weight is not None:
        by_weight *= c2
    # No v_j − o is longer in any number than twice the largest value.
    unseen = least / (4 * c2 * largest) if c2 * largest else np.full(len(p), np.inf)
    if path in ("float32", "flash") and (_most_by_scores(rows, state, format) < unseen).all():
        return by_output, None, by_weight
    by_score = squares * score_variance(rows, state, format, path)
    if path == "stepwise":
        # The sum is that of rounded exponentials: an error of one moves weight as a logit's does.
        by_score += _exponential_variance(state, format)
    if (by_score.sum(axis=1) < unseen).all():
        return by_output, None, by_weight
    return by_output, c2 * by_score, by_weight


def _largest(state: State) -> Floats:
    """Return what softmax subtracts from logits, their largest or the sink, shape (r, 1)."""
    return np.maximum(state.top, state.parameters.sink_logit)


def _sum(state: State) -> Floats:
    """Return Σ e^(z − largest) with the sink's, shape (r, 1)."""
    return np.asarray(state.total * np.exp(state.top - _largest(state)))


def _repeated(rows: FitRows, state: State, format: Format, values: Floats) -> Floats:
    """Return the error of p·values, shape (r, columns), by terms that are equal; 0 without any."""
    repeats = rows.inputs.repeats
    if repeats is None:
        return np.zeros((1, 1))
    return np.asarray(REPEATED * 2.0**-format.bits * (state.weights * repeats @ values))


def _by_sum(rows: FitRows, state: State, format: Format) -> Floats:
    """Return how one standard error of the rounded sum of weights moves a row, shape (r, d_v)."""
    if format.bits >= 24:
        ones = np.ones((len(rows.values), 1))
        share = LOOSE * 2.0**-format.bits + _repeated(rows, state, format, ones)
        return np.asarray(state.output * share)
    total = _sum(state)
    # A sum next to 1 is rounded to 1, and errs by no more than what it has beyond that.
    step = np.minimum(format.spacing(total) / np.sqrt(12.0), total - 1.0)
    return np.asarray(state.output * step / total)


def _most_by_scores(rows: FitRows, state: State, format: Format) -> Floats:
    """Return an upper bound of Σp²·variance for logits that float32 rounds, shape (r,)."""
    parameters, (q, k) = state.parameters, rows.norms
    if parameters.curvature < 0:
        return np.full(len(q), np.inf)
    moved = state.weights * (state.logits - state.top)
    away = np.einsum("rn,rn->r", moved, moved)
    square = state.squares.sum(axis=1)
    largest = np.square(q * k.max()) + np.square(rows.common) * rows.d_k**2 / COMMON
    sums = parameters.multiplier**2 * largest * square / (4 * rows.d_k)
    # A logit is at most the largest one and its distance from that; with a cap it is more than
    # its slope times m·q·k.
    grown = max(1.0, rows.d_k / GROWING) / 2
    sums += ((1 + np.square(state.top[:, 0])) * square + away) * (1 / 3 + grown)
    return np.asarray(SUMS * 4.0 ** -max(format.bits, 24) * sums)


def _pushes(
    by_score: Floats | None, by_weight: Floats | None, inputs: Inputs, mixed: Floats
) -> tuple[Floats | None, Floats]:
    """Return how one standard error of each key that matters most moves a row, (r, k, d_v).

    Also returns the sum of squares of the variances by the other errors, over d_v, shape (r,).

    Args:
        by_score: Variances from rounded logits, shape (r, n), or None.
        by_weight: Variances from rounded weights, shape (r, n), or None.
        inputs: The keys and values; only V counts.
        mixed: p·V, shape (r, d_v).
    """
    kinds = [variances for variances in (by_weight, by_score) if variances is not None]
    if not kinds:
        return None, np.zeros(1)
    errors = np.concatenate(kinds, axis=1) if len(kinds) > 1 else kinds[0]
    matter = errors * np.tile(inputs.lengths, len(kinds))
    n = len(inputs.values)
    count = min(DIRECTIONS if len(matter) * n > SMALL else ALL_DIRECTIONS, matter.shape[1])
    most = np.argpartition(matter, -count, axis=1)[:, -count:]
    pushes = inputs.values[most % n].astype(np.float64)
    if by_score is not None:
        # An error of a logit moves weight from all keys to its own, one of a weight adds to it.
        moves = most >= n if by_weight is not None else np.ones(most.shape, bool)
        pushes -= moves[..., None] * mixed[:, None]
    pushes *= np.sqrt(np.take_along_axis(errors, most, 1))[..., None]
    np.put_along_axis(matter, most, 0.0, 1)
    # In float32 squares of tiny values would underflow.
    return pushes, np.einsum("rn,rn->r", matter, matter, dtype=np.float64)


def _spread(
    by_score: Floats | None, by_weight: Floats | None, inputs: Inputs, mixed: Floats
) -> Floats | None:
    """Return the variance from rounded logits and weights, shape (r, d_v), or None for 0."""
    if by_score is None:
        return None if by_weight is None else by_weight @ inputs.squares
    variances = (by_score if by_weight is None else by_score + by_weight) @ inputs.squares
    variances -= 2 * mixed * (by_score @ inputs.values)
    variances += np.square(mixed) * by_score.sum(axis=1, keepdims=True)
    return np.maximum(variances, 0.0)


STEPWISE: tuple[Path, ...] = ("eager", "stepwise", "scaled")
"""The paths that round every step from q·k to the logits."""
HALF = 0.5

GLANCE = 4
"""About this many rows are used first to tell paths apart."""
RULED_OUT = 40.0
"""A path is ruled out if its 2 ln L over these rows is this far below that of another."""


class Rounding:
    """The noise of a head at given parameters under each path; cached.

    Args:
        rows: The head's rows, under one mask.
        state: The head, computed with its parameters.
        format: The number format of the output.
    """

    def __init__(self, rows: FitRows, state: State, format: Format) -> None:
        self.rows, self.state, self.format = rows, state, format
        self._noises: dict[Path, Noise] = {}
        self._whitened: dict[Path, Floats] = {}
        count = len(rows.output)
        self._few = np.arange(count)[:: max(count // GLANCE, 1)]

    @cached_property
    def _glance(self) -> "Rounding":
        """The rounding of a few rows only."""
        few = self._few
        return Rounding(self.rows.part(few), self.state.part(few), self.format)

    def by(self, path: Path) -> Noise:
        """Return the noise under a path."""
        if path not in self._noises:
            self._noises[path] = noise(self.rows, self.state, self.format, path)
        return self._noises[path]

    @cached_property
    def slopes(self) -> Floats:
        """∂out along each parameter in the order of `NAMES`, shape (names, r, d_v)."""
        return slopes(self.rows, self.state, NAMES)

    def whitened(self, path: Path) -> Floats:
        """Return the slopes, whitened under a path; cached."""
        if path not in self._whitened:
            self._whitened[path] = self.by(path).whitened(self.slopes)
        return self._whitened[path]

    def likely(self, paths: tuple[Path, ...], state: State | None = None) -> tuple[Path, ...]:
        """Return the paths that a few rows of a state's residual do not rule out."""
        is_small = self.rows.scores.size <= SMALL or len(self._few) == len(self.rows.output)
        if len(paths) == 1 or is_small:
            return paths
        few, rest = self._few, self.rows.output - (state or self.state).output
        likelihoods = {path: _log_likelihood(self._glance.by(path), rest[few]) for path in paths}
        best = max(likelihoods.values())
        return tuple(path for path in paths if not likelihoods[path] < best - RULED_OUT)

    def likeliest(self, paths: tuple[Path, ...], state: State | None = None) -> Path:
        """Return the path under which the residual of a state, or of its own, is likeliest."""
        likely = self.likely(paths, state)
        if len(likely) == 1:
            return likely[0]
        rest = self.rows.output - (state or self.state).output
        return max(likely, key=lambda path: _log_likelihood(self.by(path), rest))

    def log_likelihood(self, path: Path) -> float:
        """Return 2 ln L of the residual of its state under a path, up to a constant."""
        return _log_likelihood(self.by(path), self.rows.output - self.state.output)

    def size(self, path: Path) -> float:
        """Return ‖noise‖/‖out‖ under a path; of a few rows only, if these ruled it out."""
        noise, output = self._noises.get(path), self.rows.output
        if noise is None:
            noise, output = self._glance.by(path), output[self._few]
        return relative_size(noise, output)


def relative_size(noise: Noise, output: Floats) -> float:
    """Return ‖noise‖/‖out‖ of the noise of an output's rows."""
    return float(np.sqrt(noise.variance.sum() / (np.square(output).sum() or 1.0)))


def _log_likelihood(noise: Noise, rest: Floats) -> float:
    """Return 2 ln L of a residual, up to a constant."""
    return -float(np.square(noise.whitened(rest)).sum()) - noise.log_determinant
