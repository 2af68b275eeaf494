"""A head with its question: its usable rows, and how well a model fits them."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite, nan

import numpy as np

from attn_tui.compute.fit.choose import (
    Choice,
    chosen,
    explains,
    hopeless,
    paths_for,
    undecided,
)
from attn_tui.compute.fit.differences import compared
from attn_tui.compute.fit.estimates import Cap, Estimate, Sink
from attn_tui.compute.fit.estimates import numbers as numbers_of
from attn_tui.compute.fit.head import (
    HELD,
    Floats,
    Parameters,
    Path,
    Rows,
    State,
    cleared,
    compute,
    rows_of,
    taken,
    usable,
)
from attn_tui.compute.fit.masks import open_masks
from attn_tui.compute.fit.model import LEARNED, SHOWN, Model, Part, Question, Test
from attn_tui.compute.fit.noise import Format, Noise, Rounding, coarsest, format_of, variance
from attn_tui.compute.fit.solve import aligned, refine, relative_residual
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

MOST_KEYS = 128
"""At most this many numbers of a row of captured weights are fitted."""
SMALL, LARGE = 1e-6, 1e6
"""Float32 is enough if the largest number of each tensor lies between these."""
HUGE = 1e150
"""Numbers beyond have squares beyond float64."""
EXTREME = "its numbers are too large or too small to be fitted"
LEAST_ROWS = 4
"""The number of rows that must see a key under a mask, if the head has as many."""
NEAR = 0.01
"""Numbers that miss at most this share of the output are near enough to be fitted."""
WIDE = 2.0
"""m is unknown if the top of its interval is more than this many times the bottom."""


@dataclass(frozen=True, eq=False)
class Case:
    """A head and the question about it.

    Attributes:
        head: Its usable rows.
        question: The expected model, and which of its parts are stated.
        format: The number format of the output.
        paths: The rounding paths that may have produced the output.
        notes: Remarks about rows that were left out, in sentences.
    """

    head: HeadRows
    question: Question
    format: Format
    paths: tuple[Path, ...]
    notes: tuple[str, ...]
    _made: dict[Model, Rounding] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, head: HeadRows, question: Question) -> "Case | str":
        """Return the case of a head, or the reason why it cannot be fitted."""
        captured = head = _answered(head)
        if head.output is None or head.values is None:
            return "neither output nor weights were captured"
        head, clear = cleared(head, question.model.mask)
        kept, notes = usable(captured, clear)
        if not len(kept):
            return f"no row can be used: {' '.join(notes)}".removesuffix(".")
        head = taken(head, kept)
        assert head.output is not None
        assert head.values is not None
        if head.largest["v"] == 0.0:
            return "all values are 0"
        if max(head.largest.values()) > HUGE:
            return EXTREME
        stored = format_of(coarsest(head.output, head.formats.get("out", "float32")))
        return cls(head, question, stored, paths_for(stored, question.tf32), notes)

    def bases(self) -> list[Model]:
        """Return the expected model; if no mask is stated, one for each plausible mask."""
        model = self.question.model
        if "mask" in self.question.said:
            return [model]
        masks = [HeadMask("given")] if self.head.seen is not None else open_masks(self.head)
        return [replace(model, mask=mask) for mask in masks]

    def counted(self, test: Test) -> tuple[Part, ...]:
        """Return the changes that count: those in stated parts, or all if no part is stated."""
        stated = self.question.said
        return tuple(part for part in test.changes if not stated or part in stated)

    @cached_property
    def _held(self) -> np.dtype[np.floating]:
        """The dtype of rows: float32 suffices for 16-bit numbers that are neither huge nor tiny."""
        head = self.head
        if self.format.bits >= 24 or head.keys.dtype.itemsize > 4:
            return HELD
        is_moderate = all(SMALL < size < LARGE for size in head.largest.values())
        return np.dtype(np.float32) if is_moderate else HELD

    @cached_property
    def _every(self) -> Rows:
        """All rows, without a mask."""
        return rows_of(self.head, HeadMask("none"), self._held)

    def rows(self, model: Model) -> Rows:
        """Return the rows under a model's mask and law, which do not depend on its numbers."""
        factors = model.factors(self.head)
        if factors is not None:
            return rows_of(self.head, model.mask, self._held, factors)
        return self._every.under(model.mask.seen(self.head))

    def made(self, model: Model) -> Rounding:
        """Return the model's output and its rounding on the rows that see a key; cached.

        Rows of padding, which see no key, are left out: models return anything for them.
        """
        if model not in self._made:
            rows = self.rows(model)
            sees = rows.seen.any(axis=1)
            if sees.any() and not sees.all():
                rows = rows.part(np.flatnonzero(sees))
            state = compute(rows, parameters_of(model))
            self._made[model] = Rounding(rows, state, self.format)
        return self._made[model]

    def is_near(self, rows: Rows, state: State) -> bool:
        """Return whether rounding, of m too, may account for the residual of a state."""
        made = variance(rows, state, self.format, self.paths[-1]).sum()
        size = float(np.square(rows.output).sum())
        off = float(np.square(rows.output - state.output).sum())
        return off < 9 * float(made) + NEAR**2 * size

    def is_far(self, rows: Rows, near: Parameters) -> bool:
        """Return whether no numbers near these can fit the directions of the output's rows."""
        near, off = aligned(rows, near)
        return hopeless(rows, near, off, self.format, self.paths[-1])

    def test(self, model: Model, near: Parameters | None = None) -> Test:
        """Return how well a model explains the head, with its numbers fitted.

        Args:
            model: The model, with a mask for this head.
            near: The numbers to start from; None starts from those of the model, as expected.
        """
        made = self.made(model)
        rows, start = made.rows, made.state.parameters
        every = len(self.head.rows)
        if not rows.seen.any() or len(rows.output) < min(LEAST_ROWS, every):
            return Test(model, False, nan)
        if near is not None:
            choice = chosen(rows, near, self.format, self.paths)
        else:
            choice = chosen(rows, start, self.format, self.paths, made)
            if not choice.fits and start.sink:
                bare = Rounding(rows, compute(rows, replace(start, sink=0.0)), self.format)
                choice = chosen(rows, bare.state.parameters, self.format, self.paths, bare)
        test = self._read(made, model, choice)
        sees_all = bool(rows.seen.all())
        test = replace(test, left_out=every - len(rows.output), sees_all=sees_all)
        return compared(test, self.question, self.head)

    def _read(self, made: Rounding, model: Model, choice: Choice) -> Test:
        """Return the test of a model, read off the fit of its numbers."""
        rows, fit, known = made.rows, choice.fit, choice.numbers
        estimates: dict[Part, Estimate] = {
            "multiplier": undecided(choice, "multiplier"),
            "value_scale": undecided(choice, "value_scale"),
            "softcap": Cap(known["curvature"], "curvature" in fit.names),
            "sink": Sink(known["sink"], fit.parameters.level, "sink" in fit.names),
        }
        unknown: dict[Part, str] = {}
        if reason := _unknown(estimates["multiplier"]):
            unknown |= {"multiplier": reason, "softcap": reason}
        sink_too = choice.beside.get("sink")
        is_alike = known["sink"].error == inf
        if is_alike or (sink_too and sink_too.takes("value_scale", known["value_scale"])):
            estimates["value_scale"] = self._beside_sink(rows, model, choice)
            unknown["sink"] = "it stretches all rows alike, as a value scale does"
        elif self.question.model.sink is None and "sink" in self.question.said:
            # A sink would leave c open, but none is expected.
            estimates["value_scale"] = known["value_scale"]
        fitted = replace(
            model,
            mask=model.mask.placed(self.head),
            multiplier=fit.parameters.multiplier,
            value_scale=_value(estimates["value_scale"]) or 1.0,
            softcap=_value(estimates["softcap"]),
            sink=model.sink if "sink" in unknown else _value(estimates["sink"]),
        )
        estimates = {part: estimate for part, estimate in estimates.items() if part not in unknown}
        return Test(
            fitted, choice.fits, relative_residual(rows, fit.state), choice.made,
            choice.paths if choice.fits else (), estimates, unknown,
            strain=strain(fit.noise, rows, made.state, fit.residual),
            chi_square=fit.chi_square,
        )  # fmt: skip

    def _beside_sink(self, rows: Rows, model: Model, choice: Choice) -> Estimate:
        """Return c with the sink held at its expected value, if rows cannot tell them apart."""
        fit = choice.fit
        if model.sink in (None, LEARNED) or not isfinite(float(model.sink or 0.0)):
            return choice.numbers["value_scale"]
        near = replace(fit.parameters, sink=1.0, level=float(model.sink or 0.0))
        held = tuple(name for name in fit.names if name != "sink")
        again_fit = refine(rows, compute(rows, near), held, self.format, fit.path)
        if explains(again_fit):
            return numbers_of(again_fit.products, fit.path)["value_scale"]
        return choice.numbers["value_scale"]


def _answered(head: HeadRows) -> HeadRows:
    """Return the head; without an output, its captured weights stand in for one."""
    if (head.output is not None and head.values is not None) or head.weights is None:
        return head
    n = head.n_keys
    some = np.linspace(0, n - 1, min(n, MOST_KEYS)).round().astype(np.intp)
    formats = {**head.formats, "out": head.formats.get("weights", "float32")}
    values = np.eye(n, dtype=np.float32)[:, some]
    return replace(head, values=values, output=head.weights[:, some], formats=formats)


def parameters_of(model: Model) -> Parameters:
    """Return a model's numbers as parameters of a fit; a sink of unknown logit starts at 0."""
    curvature = 0.0 if model.softcap is None else model.softcap**-2
    near = Parameters(model.multiplier, model.value_scale, curvature)
    if model.sink is None:
        return near
    logit = 0.0 if model.sink == LEARNED else float(model.sink)
    return replace(near, sink=1.0, level=logit) if isfinite(logit) else near


def strain(weighed: Noise, rows: Rows, state: State, residual: Floats) -> float:
    """Return how much larger χ² is at a state than at the fit with this residual."""
    other = weighed.freed(rows.output - state.output)
    more = float(np.square(other).sum() - np.square(residual).sum())
    return inf if np.isnan(more) else more


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.at(SHOWN).value


def _unknown(m: Estimate) -> str:
    """Return why the multiplier is unknown, or an empty text."""
    interval = m.at(SHOWN)
    if interval.value is None or interval.low is None or interval.high is None:
        return "the output does not depend on it"
    if interval.low <= 0.0 < interval.high or interval.high > WIDE * interval.low > 0.0:
        return f"anything from {interval.low:.3g} to {interval.high:.3g} fits"
    return ""
