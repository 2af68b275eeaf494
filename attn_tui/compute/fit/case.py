"""A head with the model it is compared with: its rows, and how well other models fit them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite, nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.fit.choose import (
    Choice,
    chosen,
    explains,
    hopeless,
    paths_for,
    single_step,
    stepped,
    undecided,
)
from attn_tui.compute.fit.comparison import Comparison, Prediction, predicted
from attn_tui.compute.fit.differences import compared, holds
from attn_tui.compute.fit.estimates import Cap, Estimate, Sink, allowed
from attn_tui.compute.fit.estimates import numbers as numbers_of
from attn_tui.compute.fit.head import (
    FLOAT64,
    FitRows,
    Floats,
    Name,
    Parameters,
    Path,
    State,
    cleared,
    compute,
    rows_of,
    taken,
)
from attn_tui.compute.fit.masks import open_masks
from attn_tui.compute.fit.model import SHOWN, Candidate, Counts, Reference
from attn_tui.compute.fit.noise import (
    RULED_OUT,
    STEPWISE,
    Format,
    Noise,
    Rounding,
    coarsest,
    format_of,
    is_inexact,
    variance,
)
from attn_tui.compute.fit.solve import Fit, aligned, refine, relative_residual
from attn_tui.compute.fit.staircase import outputs_by_steps, shifts_by_steps
from attn_tui.compute.heads.head_model import LEARNED, HeadModel, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.numbers import interval

MOST_KEYS = 128
"""At most this many numbers of a row of captured weights are fitted."""
SMALL, LARGE = 1e-6, 1e6
"""Float32 is enough if the largest number of each tensor lies between these."""
HUGE = 1e150
"""Numbers beyond have squares beyond float64."""
EXTREME = "its numbers are too large or too small to be compared"
NO_SCORES = "every q·k is 0"
"""Why no multiplier of a head shows, whatever is compared."""
LEAST_ROWS = 4
"""The number of rows that must see a key under a mask, if the head has as many."""
CLOSE = 0.01
"""Numbers that miss at most this share of the output are near enough to be fitted."""
WIDE = 2.0
"""m is unknown if the top of its interval is more than this many times the bottom."""
FOLDED = 4 * 2.0**-24
"""The share by which m may be off after it was folded into q or into an exponential."""
SEARCHED = 32
"""The most rows that a search for other models uses."""


@dataclass(frozen=True, eq=False)
class HeadCase:
    """A head and the model that it is compared with.

    Attributes:
        head: The rows that can be compared; their output may be NaN.
        reference: The model, and which of its parts are stated.
        format: The number format of the arithmetic.
        paths: The rounding paths that may have produced the output.
        counts: How many rows there are, and why some cannot be compared.
        full: The case with all rows, if this one has some of them.
        ranges: The least and the largest number of all keys of its layer, as ``k``, and of all
            values, as ``v``; empty if they were not read.
    """

    head: HeadRows
    reference: Reference
    format: Format
    paths: tuple[Path, ...]
    counts: Counts = Counts()
    full: "HeadCase | None" = None
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    _roundings: dict[HeadModel, Rounding] = field(default_factory=dict, init=False)
    _predictions: dict[HeadModel, Prediction] = field(default_factory=dict, init=False)
    _seen: dict[HeadMask, NDArray[np.bool_]] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, head: HeadRows, reference: Reference) -> "HeadCase | str":
        """Return the case of a head, or the reason why it cannot be compared."""
        head = _answered(head)
        if head.output is None or head.values is None:
            return "neither output nor weights were captured"
        queries, has_output = len(head.rows), np.isfinite(head.output).all(axis=1)
        head, clear = cleared(head, reference.model.mask)
        is_finite = clear & np.isfinite(head.queries).all(axis=1)
        if head.bias is not None:
            is_finite &= ~np.isnan(head.bias).any(axis=1)
        is_padding = padding_queries(head, reference.model.mask)
        kept = np.flatnonzero(is_finite & ~is_padding)
        if not len(kept):
            return "every row has NaN or infinity in q, k or v, or is padding"
        head = taken(head, kept)
        assert head.values is not None
        if head.largest["v"] == 0.0:
            return "all values are 0"
        if max(head.largest.values()) > HUGE:
            return EXTREME
        stored = format_of(arithmetic(head))
        spoilt = ~is_finite & ~is_padding
        # A mask that is not promised may hide what is not finite.
        is_number = has_output & ("mask" in reference.stated)
        counts = Counts(
            len(kept), queries, padding=int(is_padding.sum()), spoilt=int(spoilt.sum()),
            unspoilt=int((spoilt & is_number).sum()),
        )  # fmt: skip
        return cls(head, reference, stored, paths_for(stored, reference.tf32), counts)

    @cached_property
    def sample(self) -> "HeadCase":
        """The case of some rows whose output is finite and not 0, evenly spread."""
        output = self.head.output
        assert output is not None
        usable = np.flatnonzero(np.isfinite(output).all(axis=1) & output.any(axis=1))
        some = usable[_spread(len(usable), SEARCHED)]
        return replace(self, head=taken(self.head, some), full=self)

    def altered(self, change: Callable[[HeadRows], HeadRows]) -> "HeadCase":
        """Return the case of a changed head, and of all its rows changed likewise."""
        full = None if self.full is None else self.full.altered(change)
        return replace(self, head=change(self.head), full=full)

    def asking(self, reference: Reference) -> "HeadCase":
        """Return the case with another reference."""
        full = None if self.full is None else self.full.asking(reference)
        return replace(self, reference=reference, full=full)

    def ways(self) -> "Iterator[HeadCase]":
        """Yield the case with its paths, then with the path that is tried only where these fail.

        Some programs multiply q, or q and k, before the product, in 16 bits.
        """
        yield self
        if self.format.bits < 24 and is_inexact(abs(self.reference.model.multiplier) ** 0.5):
            yield replace(self, paths=("scaled",))

    @property
    def is_empty(self) -> bool:
        """Whether no row is left."""
        return not len(self.head.rows)

    def bases(self) -> list[HeadModel]:
        """Return the reference; if no mask is stated, it under each plausible mask."""
        model = self.reference.model
        if "mask" in self.reference.stated:
            return [model]
        if self.head.seen is not None:
            return [replace(model, mask=HeadMask("given"))]
        # Padding and packed texts were captured, whatever else the mask is.
        hidden, packed = model.mask.hidden, model.mask.packed
        masks = [replace(mask, hidden=hidden, packed=packed) for mask in open_masks(self.head)]
        return [replace(model, mask=mask) for mask in masks]

    def counted(self, candidate: Candidate) -> tuple[Part, ...]:
        """Return the changes that count: those in stated parts, or all if no part is stated."""
        stated = self.reference.stated
        return tuple(part for part in candidate.changes if not stated or part in stated)

    @property
    def _dtype(self) -> np.dtype[np.floating]:
        """The dtype of rows: float32 suffices for 16-bit numbers that are neither huge nor tiny."""
        head = self.head
        if self.format.bits >= 24 or head.keys.dtype.itemsize > 4:
            return FLOAT64
        is_moderate = all(SMALL < size < LARGE for size in head.largest.values())
        return np.dtype(np.float32) if is_moderate else FLOAT64

    @cached_property
    def _every(self) -> FitRows:
        """All rows, without a mask."""
        return rows_of(self.head, HeadMask("none"), self._dtype)

    def rows(self, model: HeadModel) -> FitRows:
        """Return the rows under a model's mask, bias and law: what its numbers do not change."""
        head = self.head
        factors = model.factors(head)
        if model.bias is not None and model.bias != LEARNED:
            bias = model.bias.bias(head, model.mask)
            head = replace(head, bias=bias.astype(self._dtype))
        if factors is None and head is self.head:
            return self._every.under(self.seen(model.mask))
        return rows_of(head, model.mask, self._dtype, factors)

    def seen(self, mask: HeadMask) -> NDArray[np.bool_]:
        """Return which keys each row sees under a mask, shape (r, n); cached."""
        if mask not in self._seen:
            self._seen[mask] = mask.seen(self.head)
        return self._seen[mask]

    def seeing(self, model: HeadModel) -> NDArray[np.intp]:
        """Return the places of the rows that see a key under the mask of a model."""
        return np.flatnonzero(self.seen(model.mask).any(axis=1))

    def rounding(self, model: HeadModel) -> Rounding:
        """Return a model's output and its rounding on the rows that see a key; cached."""
        if model not in self._roundings:
            rows = self.rows(model)
            sees = rows.seen.any(axis=1)
            if sees.any() and not sees.all():
                rows = rows.part(np.flatnonzero(sees))
            state = compute(rows, parameters_of(model))
            self._roundings[model] = Rounding(rows, state, self.format)
        return self._roundings[model]

    def prediction(self, model: HeadModel) -> Prediction:
        """Return what a model predicts of the rows that see a key; cached."""
        if model not in self._predictions:
            self._predictions[model] = self._predicted(model)
        return self._predictions[model]

    def _predicted(self, model: HeadModel) -> Prediction:
        # Kernels of float32 fold m into q, or into exponentials of base 2, and round it again.
        margins: dict[Name, float] = {"multiplier": FOLDED * abs(model.multiplier)}
        return predicted(self.rounding(model), self.paths, self.reference.level, margins)

    def rounded_multipliers(self, m: float) -> Iterator[float]:
        """Yield m, and the square of its root, rounded to the format that m may have."""
        kind = dtype_of(self.reference.format)
        with np.errstate(all="ignore"):
            root = float(np.sqrt(abs(m)).astype(kind))
            candidates = (float(np.float64(m).astype(kind)), float(np.copysign(root * root, m)))
        for rounded in candidates:
            if abs(rounded - m) > FOLDED * abs(m):
                yield rounded

    def comparison(self, model: HeadModel) -> Comparison:
        """Return how far the output of the rows that see a key is from a model's."""
        return self.prediction(model).comparison

    def is_outdone(self, model: HeadModel) -> bool:
        """Return whether other numbers give the output with much less rounding than a model needs.

        Scores that were rounded leave room for another m or cap; an output that was rounded only
        later does not need that room. An honest one has no numbers that do so much better, unless
        its steps give it as well: where a key has almost all of the weight, or there are no more
        keys than numbers, few numbers fit what rounding makes.
        """
        path, rounding = self.prediction(model).path, self.rounding(model)
        if path not in STEPWISE:
            return False
        likelihood = rounding.log_likelihood(path)
        finer = [other for other in paths_for(self.format) if other not in STEPWISE]
        fits = [single_step(rounding, other) for other in finer]
        better = [
            fit for fit in fits
            if explains(fit) and 2 * fit.log_likelihood - likelihood > RULED_OUT
        ]  # fmt: skip
        if not better:
            return False
        shifts = [*shifts_by_steps(rounding.rows, rounding.state, self.format, path)]
        other = [fit for fit in better if not self._holds(fit, rounding, shifts)]
        return any(not self._is_stepped(fit, rounding) for fit in other)

    def _holds(self, fit: Fit, rounding: Rounding, shifts: Sequence[Floats]) -> bool:
        """Return whether the intervals of a fit hold the promised numbers, rounded or not.

        Steps may have moved the fit.
        """
        numbers = numbers_of(fit.products, fit.path)
        numbers = allowed(fit, numbers, [fit.noise.whitened(shift) for shift in shifts])
        level, stored = 1.0 - self.reference.level, self.reference.format
        return all(
            holds(numbers[name].at(level), getattr(rounding.state.parameters, name), stored)
            for name in fit.names
        )

    def _is_stepped(self, fit: Fit, rounding: Rounding) -> bool:
        """Return whether the promised numbers give the output, step by step, as well as a fit."""
        for output in outputs_by_steps(rounding.rows, rounding.state, self.format):
            rest = fit.noise.whitened(rounding.rows.output - output)
            stepped_fit = replace(fit, residual=rest)
            if 2 * (fit.log_likelihood - stepped_fit.log_likelihood) <= RULED_OUT:
                return True
        return False

    def idle(self, model: HeadModel) -> tuple[int, tuple[int, ...]]:
        """Return how many rows see no key, and which of these are not 0, NaN or the mean of V.

        Their output depends on the program: PyTorch's scaled_dot_product_attention gives 0,
        softmax of −∞ alone NaN, and that of equal finite numbers the mean.
        """
        head = self.head
        assert head.output is not None
        assert head.values is not None
        hidden = np.flatnonzero(~self.seen(model.mask).any(axis=1))
        if not len(hidden):
            return 0, ()
        output = head.output[hidden].astype(np.float64)
        mean = model.value_scale * head.values.astype(np.float64).mean(axis=0)
        is_close = np.abs(output - mean).max(axis=1, initial=0.0) <= 0.01 * np.abs(mean).max()
        is_usual = is_close | ~np.isfinite(output).all(axis=1) | ~output.any(axis=1)
        return len(hidden), tuple(int(row) for row in head.rows[hidden[~is_usual]])

    def is_close(self, rows: FitRows, state: State) -> bool:
        """Return whether rounding, of m too, may account for the residual of a state."""
        noise = variance(rows, state, self.format, self.paths[-1]).sum()
        size = float(np.square(rows.output).sum())
        off = float(np.square(rows.output - state.output).sum())
        return off < 9 * float(noise) + CLOSE**2 * size

    def is_far(self, rows: FitRows, parameters: Parameters) -> bool:
        """Return whether no numbers near these can fit the directions of the output's rows."""
        parameters, off = aligned(rows, parameters)
        return hopeless(rows, parameters, off, self.format, self.paths[-1])

    def test(self, model: HeadModel, initial: Parameters | None = None) -> Candidate:
        """Return how well a model explains the head, with its numbers fitted.

        Args:
            model: The model, with a mask for this head.
            initial: The numbers to start from; None starts from those of the model, as promised.
        """
        rounding = self.rounding(model)
        rows, start = rounding.rows, rounding.state.parameters
        every = len(self.head.rows)
        if not rows.seen.any() or len(rows.output) < min(LEAST_ROWS, every):
            return Candidate(model, False, nan)
        if initial is not None:
            choice = chosen(rows, initial, self.format, self.paths)
        else:
            choice = chosen(rows, start, self.format, self.paths, rounding)
            if not choice.fits and start.sink:
                bare = Rounding(rows, compute(rows, replace(start, sink=0.0)), self.format)
                choice = chosen(rows, bare.state.parameters, self.format, self.paths, bare)
        return self.candidate(rounding, model, choice)

    def candidate(self, rounding: Rounding, model: HeadModel, choice: Choice) -> Candidate:
        """Return a model with the numbers of a fit, and the parts in which it differs."""
        rows = rounding.rows
        candidate = self._read(rounding, model, choice)
        sees_all, left_out = bool(rows.seen.all()), len(self.head.rows) - len(rows.output)
        candidate = replace(candidate, left_out=left_out, sees_all=sees_all)
        if candidate.explains and self.full is not None:
            parameters = choice.fit.parameters
            candidate = replace(candidate, explains=self.full.gives(model, parameters))
        return compared(candidate, self.reference, self.head)

    def gives(self, model: HeadModel, parameters: Parameters) -> bool:
        """Return whether every row is what a model gives with numbers near these."""
        rows = self.rounding(model).rows
        rounding = Rounding(rows, compute(rows, parameters), self.format)
        choice = stepped(rounding, self.paths)
        nearest = Rounding(rows, compute(rows, choice.fit.parameters), self.format)
        prediction = predicted(nearest, self.paths, self.reference.level, {})
        return prediction.compared(rows.output, is_fitted=True).passes

    def _read(self, rounding: Rounding, model: HeadModel, choice: Choice) -> Candidate:
        """Return a model with the numbers of a fit and their intervals."""
        rows, fit, fitted_numbers = rounding.rows, choice.fit, choice.numbers
        estimates: dict[Part, Estimate] = {
            "multiplier": undecided(choice, "multiplier"),
            "value_scale": undecided(choice, "value_scale"),
            "softcap": Cap(fitted_numbers["curvature"], "curvature" in fit.names),
            "sink": Sink(fitted_numbers["sink"], fit.parameters.level, "sink" in fit.names),
        }
        unknown: dict[Part, str] = {}
        if reason := _unknown(estimates["multiplier"], rows):
            unknown |= {"multiplier": reason, "softcap": reason}
        sink_too = choice.extras.get("sink")
        is_alike = fitted_numbers["sink"].error == inf
        if is_alike or (sink_too and sink_too.takes("value_scale", fitted_numbers["value_scale"])):
            estimates["value_scale"] = self._with_fixed_sink(rows, model, choice)
            unknown["sink"] = "it stretches all rows alike, as a value scale does"
        elif self.reference.model.sink is None and "sink" in self.reference.stated:
            # A sink would leave c open, but none is promised.
            estimates["value_scale"] = fitted_numbers["value_scale"]
        fitted = replace(
            model,
            mask=model.mask.placed(self.head),
            multiplier=fit.parameters.multiplier,
            value_scale=_value(estimates["value_scale"]) or 1.0,
            softcap=_value(estimates["softcap"]),
            sink=model.sink if "sink" in unknown else _value(estimates["sink"]),
        )
        estimates = {part: estimate for part, estimate in estimates.items() if part not in unknown}
        return Candidate(
            fitted, choice.fits, relative_residual(rows, fit.state), choice.noise_sizes,
            choice.paths if choice.fits else (), estimates, unknown,
            strain=strain(fit.noise, rows, rounding.state, fit.residual),
            chi_square=fit.chi_square,
        )  # fmt: skip

    def _with_fixed_sink(self, rows: FitRows, model: HeadModel, choice: Choice) -> Estimate:
        """Return c with the sink held at its promised value, if rows cannot tell them apart."""
        fit = choice.fit
        if model.sink in (None, LEARNED) or not isfinite(float(model.sink or 0.0)):
            return choice.numbers["value_scale"]
        parameters = replace(fit.parameters, sink=1.0, level=float(model.sink or 0.0))
        fixed = tuple(name for name in fit.names if name != "sink")
        again_fit = refine(rows, compute(rows, parameters), fixed, self.format, fit.path)
        if explains(again_fit):
            return numbers_of(again_fit.products, fit.path)["value_scale"]
        return choice.numbers["value_scale"]


def padding_queries(head: HeadRows, mask: HeadMask) -> NDArray[np.bool_]:
    """Return whether each row is that of a padding query, shape (r,).

    Where there are as many queries as keys, the query of a padding key is padding, too.
    """
    if mask.hidden is None or head.n_queries != head.n_keys:
        return np.zeros(len(head.rows), bool)
    first, last = mask.hidden
    return np.asarray((head.rows >= first) & (head.rows <= last))


def arithmetic(head: HeadRows) -> str:
    """Return the number format of the arithmetic: that of the output, as far as inputs have it.

    An output in float64 of tensors in float32 was computed in float32, at least in part.
    """
    assert head.output is not None
    assert head.values is not None
    named = head.formats.get("out", "float32")
    output = head.output[np.isfinite(head.output).all(axis=1) & head.output.any(axis=1)]
    stored = coarsest(output, named) if len(output) else named
    if stored != "float64":
        return stored
    tensors = {"q": head.queries, "k": head.keys, "v": head.values}
    formats = {coarsest(tensor, head.formats.get(part, "")) for part, tensor in tensors.items()}
    return "float64" if "float64" in formats else "float32"


def _spread(count: int, most: int) -> NDArray[np.intp]:
    """Return the places of evenly spread things, the first and the last among them."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, most)).round().astype(np.intp))


def _answered(head: HeadRows) -> HeadRows:
    """Return the head; without an output, its captured weights stand in for one."""
    if (head.output is not None and head.values is not None) or head.weights is None:
        return head
    n = head.n_keys
    some = np.linspace(0, n - 1, min(n, MOST_KEYS)).round().astype(np.intp)
    formats = {**head.formats, "out": head.formats.get("weights", "float32")}
    values = np.eye(n, dtype=np.float32)[:, some]
    return replace(head, values=values, output=head.weights[:, some], formats=formats)


def parameters_of(model: HeadModel) -> Parameters:
    """Return a model's numbers as parameters of a fit; a sink of unknown logit starts at 0."""
    curvature = 0.0 if model.softcap is None else model.softcap**-2
    parameters = Parameters(model.multiplier, model.value_scale, curvature)
    if model.sink is None:
        return parameters
    logit = 0.0 if model.sink == LEARNED else float(model.sink)
    return replace(parameters, sink=1.0, level=logit) if isfinite(logit) else parameters


def strain(noise: Noise, rows: FitRows, state: State, residual: Floats) -> float:
    """Return how much larger χ² is at a state than at the fit with this residual."""
    other = noise.whitened(rows.output - state.output)
    more = float(np.square(other).sum() - np.square(residual).sum())
    return inf if np.isnan(more) else more


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.at(SHOWN).value


def _unknown(m: Estimate, rows: FitRows) -> str:
    """Return why the multiplier is unknown, or an empty text."""
    if not rows.scores.any():
        return NO_SCORES
    ends = m.at(SHOWN)
    if ends.value is None or ends.low is None or ends.high is None:
        return "the output does not depend on it"
    if ends.low <= 0.0 < ends.high or ends.high > WIDE * ends.low > 0.0:
        return f"anything from {interval(ends.low, ends.high)} fits"
    return ""
