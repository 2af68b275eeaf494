"""Whether a model explains the output of a head, and if the expected one does not, which does."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf, isfinite, isnan, log, nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.choose import (
    FITS_BELOW,
    Choice,
    chosen,
    explains,
    hopeless,
    likeliest_path,
    paths_for,
    undecided,
)
from attn_tui.compute.fit.errors import numbers as numbers_of
from attn_tui.compute.fit.estimates import Cap, Estimate, Interval, Sink
from attn_tui.compute.fit.head import Floats, Parameters, Path, Rows, State, compute, rows_of
from attn_tui.compute.fit.masks import assumed_masks, distinct, open_masks, other_masks, windowed
from attn_tui.compute.fit.model import LAWS, LEARNED, PARTS, Law, Model, Part, Told
from attn_tui.compute.fit.noise import Format, Noise, coarsest, format_of, noise, variance
from attn_tui.compute.fit.scan import distinct as unlike
from attn_tui.compute.fit.scan import scan
from attn_tui.compute.fit.solve import aligned, refine, relative_residual
from attn_tui.compute.fit.twice import again, fitted_twice
from attn_tui.compute.fit.usable import cleared, taken, unusable, usable
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

MOST_VALUES = 512
"""Numbers of a row of the output that are fitted."""
MOST_KEYS = 128
"""Numbers of a row of captured weights that are fitted."""
LARGEST = float(np.finfo(np.float32).max)
"""Heads with larger numbers are left out: fits take fourth powers, which float64 has to hold."""
SHOWS = 5.0
"""A change shows if it is so many times what rounding makes along it."""
STRAIN = 20.0
"""Numbers differ only if 2 ln L rises by so much where they leave those that are expected."""
HOPELESS = 0.7
"""The scan's steps in m are so fine that what is there leaves a mean sine well below this."""
NEAR = 0.01
"""And so large a share of an output may be missed by numbers that are near, and are fitted then."""
WIDE = 2.0
"""An m of which the highest is so many times the lowest is not known."""
SHOWN = 0.95
"""The confidence of intervals that are shown."""


@dataclass(frozen=True)
class Question:
    """What a head is asked.

    Attributes:
        model: What it is expected to be computed with.
        said: Which parts of that somebody says; others may be anything, and are compared last.
        level: The confidence of intervals that decide.
        laws: Laws of m by position that may be there.
        tf32: Whether products may have been taken in TF32.
        format: The number format that m may have been rounded to.
    """

    model: Model
    said: frozenset[Part] = frozenset()
    level: float = 0.999
    laws: tuple[Law, ...] = LAWS
    tf32: bool = False
    format: str = "float32"


@dataclass(frozen=True, eq=False)
class Test:
    """A model that was fitted to a head.

    Attributes:
        model: With the numbers that fit best.
        explains: Whether rounding makes what is left.
        residual: ‖out − fit‖/‖out‖.
        rounding: The same as each path of rounding makes it.
        paths: Those that remain, the likeliest first.
        estimates: Numbers with their errors, by part; one that cannot be told is missing.
        unknown: Why a number cannot be told, by part.
        changes: What differs from what is expected.
        window: The shortest and the longest window that fit as well.
        strain: By how much 2 ln L is below its best with the numbers that were expected.
        chi_square: Of what is left, reduced.
        left_out: How many rows see no key, and may hold anything.
        sees_all: Whether every row used sees every key, as without a mask.
        bias_left_out: Whether a captured bias was left out.
    """

    model: Model
    explains: bool
    residual: float
    rounding: Mapping[Path, float] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()
    estimates: Mapping[Part, Estimate] = field(default_factory=dict)
    unknown: Mapping[Part, str] = field(default_factory=dict)
    changes: tuple[Part, ...] = ()
    window: tuple[int, int] | None = None
    strain: float = inf
    chi_square: float = inf
    left_out: int = 0
    sees_all: bool = False
    bias_left_out: bool = False

    @property
    def path(self) -> Path | None:
        """The path of rounding, if likelihood tells it."""
        return self.paths[0] if len(self.paths) == 1 else None


@dataclass(frozen=True, eq=False)
class Explained:
    """What is known of a head.

    Attributes:
        expected: The expected model, its numbers fitted.
        best: Of what explains the output, those with the fewest changes, the likeliest first;
            if nothing does, what comes nearest.
        residual: ‖out − expected‖/‖out‖, nothing fitted.
        rounding: What rounding makes of that, by the likeliest path.
        told: How finely each part would have shown, had it been another; what is missing is
            silent, what is not needed is in neither.
        needed: The parts that the expected model has.
        used: The rows that were used.
        keys: The fewest and the most keys that one of them sees.
        where: Where the residual of the expected model lies: by row, key and channel, as shares of
            the largest.
        notes: What else is to be said.
        problem: Why nothing can be said at all, or empty.
    """

    expected: Test
    best: tuple[Test, ...]
    residual: float = nan
    rounding: float = nan
    told: Mapping[Part, Told] = field(default_factory=dict)
    needed: tuple[Part, ...] = ()
    used: tuple[int, ...] = ()
    keys: tuple[int, int] = (0, 0)
    where: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def test(self) -> Test:
        """The likeliest model."""
        return self.best[0]

    @property
    def explains(self) -> bool:
        """Whether anything explains the output."""
        return self.test.explains

    @property
    def silent(self) -> tuple[Part, ...]:
        """What is needed, and would not have shown had it been another."""
        return tuple(part for part in self.needed if part not in self.told)


def explain(
    head: HeadRows,
    question: Question,
    others: Sequence[HeadRows] = (),
    search: bool = True,
) -> Explained:
    """Return whether the expected model explains a head, or which others do.

    Args:
        head: Some of its rows; 8 to 64 are usual.
        question: What is expected.
        others: The head with other keys and values, in which order of heads they may be.
        search: Whether to search far from what is expected, where nothing near it fits.
    """
    with np.errstate(all="ignore"):
        case = Case.of(head, question)
        if isinstance(case, str):
            nothing = Test(question.model, False, nan)
            return Explained(nothing, (nothing,), problem=case)
        try:
            return case.explained(others, search)
        except np.linalg.LinAlgError:
            nothing = Test(question.model, False, nan)
            problem = "its numbers are too large or too small to be fitted"
            return Explained(nothing, (nothing,), problem=problem)


def _too_large(head: HeadRows) -> str:
    """Return the name of a tensor that holds a number beyond `LARGEST`, or nothing."""
    tensors = {"q": head.queries, "k": head.keys, "v": head.values, "out": head.output}
    for name, tensor in tensors.items():
        if tensor is not None:
            size = np.abs(tensor)
            if ((size > LARGEST) & (size < inf)).any():
                return name
    return ""


def _answered(head: HeadRows) -> HeadRows:
    """Return a head whose captured weights stand for its output, if it has none."""
    if (head.output is not None and head.values is not None) or head.weights is None:
        return head
    n = head.n_keys
    some = np.linspace(0, n - 1, min(n, MOST_KEYS)).round().astype(np.intp)
    formats = {**head.formats, "out": head.formats.get("weights", "float32")}
    values = np.eye(n, dtype=np.float32)[:, some]
    return replace(head, values=values, output=head.weights[:, some], formats=formats)


@dataclass(frozen=True, eq=False)
class Case:
    """A head that is asked: rows that can be used, and how they may have been rounded."""

    head: HeadRows
    question: Question
    format: Format
    paths: tuple[Path, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, head: HeadRows, question: Question) -> "Case | str":
        """Return the case of a head, or why it has none."""
        if large := _too_large(head):
            return f"{large} holds numbers beyond float32: too large to be fitted"
        captured = head = _answered(head)
        if head.output is None or head.values is None:
            return "neither output nor weights were captured"
        head, clear = cleared(head, question.model.mask)
        kept, notes = usable(captured, clear)
        if not len(kept):
            return unusable(captured)
        head = taken(head, kept)
        assert head.output is not None
        assert head.values is not None
        if not head.values.any():
            return "all values are 0"
        if (d_v := head.values.shape[1]) > MOST_VALUES:
            some = np.linspace(0, d_v - 1, MOST_VALUES).astype(int)
            head = replace(head, values=head.values[:, some], output=head.output[:, some])
            notes = (*notes, f"Of each row of the output {MOST_VALUES} of {d_v:,} numbers tell.")
        assert head.output is not None
        stored = format_of(coarsest(head.output, head.formats.get("out", "float32")))
        return cls(head, question, stored, paths_for(stored, question.tf32), notes)

    def explained(self, others: Sequence[HeadRows], search: bool) -> Explained:
        """Return what explains the head, the expected model first."""
        first, *bases = self.bases()
        tests = [self.test(first)]
        for base in bases:
            tests += self._tried(base)
        expected = min(tests, key=self._rank)
        agrees = [test for test in tests if test.explains and not self._counted(test)]
        best = sorted(agrees, key=self._rank) if agrees else self._best(tests, others, search)
        return self._known(expected, tuple(best))

    def bases(self) -> list[Model]:
        """Return the expected model, under each mask that may be where none is said."""
        model = self.question.model
        if "mask" in self.question.said:
            return [model]
        masks = [HeadMask("given")] if self.head.seen is not None else open_masks(self.head)
        return [replace(model, mask=mask) for mask in masks]

    def _counted(self, test: Test) -> tuple[Part, ...]:
        """Return the changes that count: those of what is said, or of all where nothing is."""
        said = self.question.said
        return tuple(part for part in test.changes if not said or part in said)

    def _rank(self, test: Test) -> tuple[bool, int, int, int, float]:
        """Return what orders tests: what explains, by the fewest changes, then the likeliest.

        What leaves out rows, as those of padding, comes behind what explains all.
        """
        if not test.explains:
            return True, 0, 0, 0, inf if isnan(test.residual) else test.residual
        counted = len(self._counted(test))
        return False, counted, test.left_out, len(test.changes), test.chi_square

    def _best(self, tests: list[Test], others: Sequence[HeadRows], search: bool) -> list[Test]:
        """Return what explains the head by the fewest changes; else what comes nearest."""
        stages: list[Callable[[], Iterator[Test]]] = [
            partial(self._near, [*tests], others),
            self._two,
        ]
        if search:
            stages.append(self._far)
        for stage in stages:
            with suppress(np.linalg.LinAlgError):
                # Numbers that cannot be fitted end a stage, and not the head.
                for test in stage():
                    tests.append(test)
            best = min(tests, key=self._rank)
            if best.explains and len(self._counted(best)) < 2:
                break
            if best.explains and stage == self._two:
                break
        if not best.explains:
            return [best]
        fewest = self._rank(best)[:4]
        alike: dict[object, Test] = {}
        for test in sorted(tests, key=self._rank):
            if self._rank(test)[:4] == fewest:
                alike.setdefault((test.changes, test.model.mask, test.model.law), test)
        return [*alike.values()]

    def _near(self, tests: Sequence[Test], others: Sequence[HeadRows]) -> Iterator[Test]:
        """Yield models that are one change from what is expected."""
        model = self.question.model
        tests = list(tests)
        if not any(test.explains for test in tests):
            for base in self.bases():
                tests += self._numbers(base)
        if not any(test.explains for test in tests):
            # A law is more than another m, and not looked for where that is enough.
            tests += self._by_position(model)
        yield from tests
        for base in self.bases():
            yield from self._twice(base, near=True)
        for other in others:
            case = Case.of(other, self.question)
            if not isinstance(case, str):
                test = case.test(model)
                yield replace(test, changes=_ordered({*test.changes, "kv_head"}))
        yield from self._masked(model, near=True)
        if self.head.bias is not None:
            bare = replace(self, head=replace(self.head, bias=None))
            for test in bare._tried(model):
                yield replace(test, changes=_ordered({*test.changes, "mask"}), bias_left_out=True)

    def _two(self) -> Iterator[Test]:
        """Yield models that are two changes away: another mask, or softmax twice, and numbers."""
        for base in self.bases():
            yield from self._twice(base)
        yield from self._masked(self.question.model)

    def is_near(self, rows: Rows, state: State) -> bool:
        """Return whether rounding, and an m that was rounded, may make what a state leaves."""
        made = variance(rows, state, self.format, self.paths[-1]).sum()
        size = float(np.square(rows.output).sum())
        off = float(np.square(rows.output - state.output).sum())
        return off < 9 * float(made) + NEAR**2 * size

    def _by_position(self, model: Model) -> Iterator[Test]:
        """Yield models whose m grows with the position otherwise than is expected."""
        for law in (*self._laws(), *([None] if model.law else [])):
            if law != model.law:
                yield from self._tried(replace(model, law=law))

    def _laws(self) -> Iterator[Law]:
        """Yield laws that these rows would tell from a constant."""
        own = self.question.model.mask.own(self.head)
        for law in self.question.laws:
            if np.ptp(law.factors(own)) > 1e-6:
                yield law

    def _masked(self, model: Model, near: bool = False) -> Iterator[Test]:
        """Yield models with another mask; a captured one is left out.

        Args:
            model: What is expected.
            near: Whether all numbers are to be those that are expected.
        """
        bare = replace(self.head, seen=None)
        expected = model.mask.seen(self.head)
        case = replace(self, head=bare)
        at = parameters_of(model)
        rows = rows_of(bare, HeadMask("none"), factors=model.factors(bare))
        for mask in distinct(bare, [*other_masks(self.head, model.mask)]):
            seen = mask.seen(bare)
            if np.array_equal(seen, expected):
                continue
            there = rows.under(seen)
            if case.is_near(there, compute(there, at)) if near else not _far_off(case, there, at):
                yield case.test(replace(model, mask=mask))
        starts = [at]
        if not near:
            starts = [replace(at, multiplier=at.multiplier * by) for by in (0.25, 4.0)]
        by_position = [model.mask] if model.mask.by_position else []
        for mask in dict.fromkeys([*by_position, *open_masks(bare)]):
            plain = replace(mask, kind="causal", window=None) if mask.kind == "window" else mask
            for start in starts:
                found = [windowed(rows, bare, plain, start)]
                found += assumed_masks(self.head, mask, rows, start)
                for other in filter(None, found):
                    yield case.moved(case.test(replace(model, mask=other)))

    def _tried(self, model: Model) -> Iterator[Test]:
        """Yield the test of a model that is not hopeless."""
        rows = rows_of(self.head, model.mask, factors=model.factors(self.head))
        if not _far_off(self, rows, parameters_of(model)):
            yield self.test(model)

    def _numbers(self, model: Model) -> Iterator[Test]:
        """Yield a model with other numbers, from a few starts."""
        rows = rows_of(self.head, model.mask, factors=model.factors(self.head))
        best: tuple[float, Parameters] | None = None
        for power in (0, 1, -1, 2, -2, 3, -3):
            start = replace(parameters_of(model), multiplier=model.multiplier * 4.0**power)
            names = ("multiplier", "curvature") if start.curvature else ("multiplier",)
            near, off = aligned(rows, start, names)  # type: ignore[arg-type]
            if best is None or off < best[0]:
                best = off, near
            if not hopeless(rows, near, off, self.format, self.paths[-1]):
                test = self.test(model, near)
                yield test
                if test.explains:
                    return

    def _twice(self, model: Model, near: bool = False) -> Iterator[Test]:
        """Yield models whose weights are softmaxed again: what was masked weighs e⁰, or nothing.

        Args:
            model: With a mask.
            near: Whether m is to be that which is expected.
        """
        rows = rows_of(self.head, model.mask)
        at = replace(parameters_of(model), sink=0.0)
        ways = [rows.seen]
        if not rows.seen.all():
            ways.append(np.ones_like(rows.seen))
        for there in ways:
            second, at_expected, _ = again(rows, at, there)
            if near and not self.is_near(second, at_expected):
                continue
            second, fit = fitted_twice(rows, at, there, self.format, self.paths)
            if not explains(fit) and fit.chi_square > 4 * FITS_BELOW:
                continue
            known = numbers_of(fit)
            found = replace(
                model, multiplier=known["multiplier"].value, softmax_twice=True,
                value_scale=known["value_scale"].value, sink=None,
            )  # fmt: skip
            estimates: dict[Part, Estimate] = {
                "multiplier": known["multiplier"], "value_scale": known["value_scale"],
            }  # fmt: skip
            size = float(np.square(rows.output).sum()) or 1.0
            made = float(np.sqrt(fit.noise.variance.sum() / size))
            test = Test(
                found, explains(fit), relative_residual(second, fit.state), {fit.path: made},
                (fit.path,), estimates, chi_square=fit.chi_square,
                strain=_strain(fit.noise, rows, at_expected, fit.residual),
            )  # fmt: skip
            yield self._compared(test)

    def _far(self) -> Iterator[Test]:
        """Yield models that a scan of m, caps and windows finds under each mask."""
        model = self.question.model
        given = [model.mask, *([HeadMask("given")] if self.head.seen is not None else [])]
        bare = replace(self.head, seen=None)
        masks = [(mask, self.head) for mask in dict.fromkeys(given)]
        masks += [(mask, bare) for mask in open_masks(bare)]
        for mask, head in masks:
            case = replace(self, head=head)
            rows = rows_of(head, mask)
            own = mask.own(head) if mask.kind == "causal" else None
            for one in unlike(scan(rows, own))[:3]:
                if one.off > HOPELESS:
                    break
                near = one.near
                windows = mask
                if one.window is not None:
                    windows = replace(mask, kind="window", window=one.window)
                there = rows.under(windows.seen(head))
                names = ("multiplier", "curvature") if near.curvature else ("multiplier",)
                near, off = aligned(there, near, names)  # type: ignore[arg-type]
                if hopeless(there, near, off, self.format, self.paths[-1]) and not one.window:
                    continue
                yield case.moved(case.test(replace(model, mask=windows), near))
            if mask.by_position and head.seen is None and rows.seen.any():
                near, _ = aligned(rows, parameters_of(model))
                for assumed in assumed_masks(head, mask, rows, near):
                    yield case.test(replace(model, mask=assumed), near)

    def test(self, model: Model, near: Parameters | None = None) -> Test:
        """Return how well a model explains the head, with its numbers fitted.

        Args:
            model: With a mask of the head.
            near: Numbers to begin with, which are not expected; None for those of the model.
        """
        head = self.head
        sees = model.mask.seen(head).any(axis=1)
        if not sees.all():
            # A model returns anything for rows of padding, which see no key.
            if sees.sum() < min(4, len(head.rows)):
                return Test(model, False, nan)
            head = taken(head, np.flatnonzero(sees))
        rows = rows_of(head, model.mask, factors=model.factors(head))
        start = parameters_of(model)
        choice = chosen(rows, near or start, self.format, self.paths, warm=near is None)
        if not choice.fits and near is None and start.sink:
            choice = chosen(rows, replace(start, sink=0.0), self.format, self.paths)
        left_out = int((~sees).sum())
        test = self._read(rows, model, choice, start)
        sees_all = bool(rows.seen.all())
        return self._compared(replace(test, left_out=left_out, sees_all=sees_all))

    def _read(self, rows: Rows, model: Model, choice: Choice, start: Parameters) -> Test:
        """Return what a fit says of a model."""
        fit, known = choice.fit, choice.numbers
        estimates: dict[Part, Estimate] = {
            "multiplier": undecided(choice, "multiplier"),
            "value_scale": undecided(choice, "value_scale"),
            "softcap": Cap(known["curvature"], "curvature" in fit.names),
            "sink": Sink(known["sink"], fit.parameters.level, "sink" in fit.names),
        }
        unknown: dict[Part, str] = {}
        if reason := _unknown(rows, fit.state, estimates["multiplier"]):
            unknown |= {"multiplier": reason, "softcap": reason}
        sink_too = choice.beside.get("sink")
        is_alike = known["sink"].error == inf
        if is_alike or (sink_too and sink_too.takes("value_scale", known["value_scale"])):
            estimates["value_scale"] = self._beside_sink(rows, model, choice)
            unknown["sink"] = "it stretches all rows alike, as a value scale does"
        elif self.question.model.sink is None and "sink" in self.question.said:
            # What a sink would leave open is not: there is to be none.
            estimates["value_scale"] = known["value_scale"]
        found = replace(
            model,
            mask=model.mask.placed(self.head),
            multiplier=fit.parameters.multiplier,
            value_scale=_value(estimates["value_scale"]) or 1.0,
            softcap=_value(estimates["softcap"]),
            sink=None if "sink" in unknown else _value(estimates["sink"]),
        )
        if "sink" in unknown:
            found = replace(found, sink=model.sink)
        estimates = {part: each for part, each in estimates.items() if part not in unknown}
        at_expected = compute(rows, start)
        return Test(
            found, choice.fits, relative_residual(rows, fit.state), choice.rounding(rows),
            choice.paths if choice.fits else (), estimates, unknown,
            strain=_strain(fit.noise, rows, at_expected, fit.residual),
            chi_square=fit.chi_square,
        )  # fmt: skip

    def _beside_sink(self, rows: Rows, model: Model, choice: Choice) -> Estimate:
        """Return c where the expected sink has its part, which rows do not tell from c."""
        fit = choice.fit
        if model.sink in (None, LEARNED) or not isfinite(float(model.sink or 0.0)):
            return choice.numbers["value_scale"]
        near = replace(fit.parameters, sink=1.0, level=float(model.sink or 0.0))
        held = tuple(name for name in fit.names if name != "sink")
        again_fit = refine(rows, compute(rows, near), held, self.format, fit.path)
        if explains(again_fit):
            return numbers_of(again_fit)["value_scale"]
        return choice.numbers["value_scale"]

    def _compared(self, test: Test) -> Test:
        """Return a test with what of it differs from what is expected."""
        expected, found = self.question.model, test.model
        changes: set[Part] = set()
        if self._is_other_mask(found.mask):
            changes.add("mask")
        if found.softmax_twice != expected.softmax_twice:
            changes.add("softmax_twice")
        if found.law != expected.law:
            changes.add("law")
        if test.strain > STRAIN or found.law != expected.law:
            changes.update(self._other_numbers(test))
        return replace(test, changes=_ordered(changes))

    def _is_other_mask(self, mask: HeadMask) -> bool:
        """Return whether the rows used see other keys than is expected."""
        expected, head = self.question.model.mask, self.head
        if expected.kind == "given" and head.seen is None:
            return True  # A captured mask was left out.
        if "mask" not in self.question.said:
            is_open = mask.kind in ("causal", "none", "given")
            return bool(not is_open or mask.hidden or mask.packed or mask.prefix or mask.chunk)
        seen = mask.seen(head)
        sees = seen.any(axis=1)
        if mask.hidden and not sees.all():
            return True
        return not np.array_equal(seen[sees], expected.seen(head)[sees])

    def _other_numbers(self, test: Test) -> Iterator[Part]:
        """Yield numbers whose intervals do not hold what is expected."""
        expected, known = self.question.model, test.estimates
        level, stored = self.question.level, self.question.format
        multiplier = expected.multiplier
        if test.model.law is not None and test.model.law.name == "log n":
            multiplier = expected.multiplier / log(512.0)
        m, c = known.get("multiplier"), known.get("value_scale")
        if m is not None and not holds(m.at(level), multiplier, stored):
            yield "multiplier"
        if c is not None and not holds(c.at(level), expected.value_scale, stored):
            # A learned sink, of which nobody knows how large it is, only shortens rows.
            may_be_sink = expected.sink == LEARNED and "sink" in test.unknown
            if not may_be_sink or (c.at(level).low or 0.0) > expected.value_scale:
                yield "value_scale"
        if _extra_differs(known.get("softcap"), expected.softcap, level, stored):
            yield "softcap"
        if _sink_differs(known.get("sink"), expected.sink, level, stored):
            yield "sink"

    def moved(self, test: Test) -> Test:
        """Return a test with its window moved to the likeliest near it, and those as likely."""
        if test.model.mask.window is None or test.model.softmax_twice or not test.estimates:
            return test
        head, mask, near = self.head, test.model.mask, parameters_of(test.model)
        rows = rows_of(head, mask, factors=test.model.factors(head))
        path = likeliest_path(rows, compute(rows, near), self.format, self.paths)
        costs: dict[int, float] = {}
        at = mask.window or 1
        for _ in range(4):
            weighed = noise(rows, compute(rows, near), self.format, path)
            costs = _costs(head, rows, near, weighed, mask, at)
            best = min(costs, key=costs.__getitem__)
            if costs[best] >= costs[at]:
                break
            at = best
            mask = replace(mask, window=at)
            rows = rows.under(mask.seen(head))
            near, _ = aligned(rows, near)
        if at != test.model.mask.window:
            test = self.test(replace(test.model, mask=mask), near)
        causal = replace(mask, kind="causal", window=None)
        if np.array_equal(causal.seen(head), mask.seen(head)):
            return self._compared(replace(test, model=replace(test.model, mask=causal)))
        # Costs that are NaN are like none.
        alike = [at, *(each for each, cost in costs.items() if cost < costs[at] + STRAIN)]
        least, most = min(alike), max(alike)
        found = replace(test, window=(least, most))
        expected = self.question.model.mask
        if expected.window is not None and least <= expected.window <= most:
            kept = replace(mask, window=expected.window)
            if kept == expected:
                changes = tuple(part for part in found.changes if part != "mask")
                return replace(found, model=replace(found.model, mask=kept), changes=changes)
        return found

    def _known(self, expected: Test, best: tuple[Test, ...]) -> Explained:
        """Return what is known of the head: what fits it, and whether it could have told."""
        model, head = self.question.model, self.head
        if "mask" not in self.question.said:
            model = replace(model, mask=expected.model.mask)
        sees = model.mask.seen(head).any(axis=1)
        head = taken(head, np.flatnonzero(sees)) if sees.sum() else head
        rows = rows_of(head, model.mask, factors=model.factors(head))
        at = parameters_of(model)
        state = compute(rows, at)
        path = best[0].paths[0] if best[0].paths else None
        path = path or likeliest_path(rows, state, self.format, self.paths)
        weighed = noise(rows, state, self.format, path)
        size = float(np.square(rows.output).sum()) or 1.0
        needed, told = self._told(head, rows, model, expected, state, weighed)
        keys = rows.seen.sum(axis=1)
        where = {} if not self._counted(best[0]) and best[0].explains else _where(rows, state)
        return Explained(
            expected, best, relative_residual(rows, state),
            float(np.sqrt(weighed.variance.sum() / size)), told, needed,
            tuple(int(row) for row in self.head.rows), (int(keys.min()), int(keys.max())),
            where, self.notes,
        )  # fmt: skip

    def _told(
        self,
        head: HeadRows,
        rows: Rows,
        model: Model,
        expected: Test,
        state: State,
        weighed: Noise,
    ) -> tuple[tuple[Part, ...], dict[Part, Told]]:
        """Return which parts are needed, and how finely each of them would have shown."""
        at = parameters_of(model)
        said = self.question.said
        told: dict[Part, Told] = {}
        needed: list[Part] = ["multiplier"]

        def shows(other: State) -> bool:
            change = weighed.freed(other.output - state.output)
            return float(np.square(change).sum()) > SHOWS**2

        # An m that may have been rounded is no other.
        ulp = 2 * half_ulp(at.multiplier, self.question.format) / max(abs(at.multiplier), 1e-300)
        steps: tuple[tuple[Told, float], ...] = (("ulp", 1 + ulp), ("5 %", 1.05), ("2×", 2.0))
        for name, by in steps:
            if shows(compute(rows, replace(at, multiplier=at.multiplier * by))):
                told["multiplier"] = name
                break
        if model.softcap is not None and "softcap" in said:
            needed.append("softcap")
            if shows(compute(rows, replace(at, curvature=0.0))):
                told["softcap"] = "yes"
        if model.sink is not None and "sink" in said:
            needed.append("sink")
            sink = expected.estimates.get("sink")
            found = sink is not None and sink.at(self.question.level).value is not None
            captured = model.sink != LEARNED and shows(compute(rows, replace(at, sink=0.0)))
            if found or captured:
                told["sink"] = "yes"
        if "mask" in said:
            bare = replace(head, seen=None)
            others = [each.seen(bare) for each in open_masks(bare)]
            if model.mask.window is not None:
                longer = replace(model.mask, window=model.mask.window + 1)
                others.append(longer.seen(bare))
            others = [seen for seen in others if not np.array_equal(seen, rows.seen)]
            if others:
                needed.append("mask")
                if all(shows(compute(rows.under(seen), at)) for seen in others):
                    told["mask"] = "yes"
        return tuple(needed), told


def _far_off(case: Case, rows: Rows, near: Parameters) -> bool:
    """Return whether no numbers near some can make directions of rows fit."""
    near, off = aligned(rows, near)
    return hopeless(rows, near, off, case.format, case.paths[-1])


def _ordered(parts: Collection[Part]) -> tuple[Part, ...]:
    return tuple(part for part in PARTS if part in parts)


def parameters_of(model: Model) -> Parameters:
    """Return a model's numbers as a fit takes them; a sink that nobody knows is of logit 0."""
    curvature = 0.0 if model.softcap is None else model.softcap**-2
    near = Parameters(model.multiplier, model.value_scale, curvature)
    if model.sink is None:
        return near
    logit = 0.0 if model.sink == LEARNED else float(model.sink)
    return replace(near, sink=1.0, level=logit) if isfinite(logit) else near


def _value(found: Estimate | None) -> float | None:
    return None if found is None else found.at(SHOWN).value


def _strain(weighed: Noise, rows: Rows, state: State, residual: Floats) -> float:
    """Return by how much χ² is larger in a state than in the fit that left a residual."""
    other = weighed.freed(rows.output - state.output)
    strain = float(np.square(other).sum() - np.square(residual).sum())
    return inf if np.isnan(strain) else strain


def _costs(
    head: HeadRows, rows: Rows, near: Parameters, weighed: Noise, mask: HeadMask, at: int
) -> dict[int, float]:
    """Return χ² with each window near one, until it grows."""
    costs: dict[int, float] = {}

    def cost(window: int) -> float:
        state = compute(rows.under(replace(mask, window=window).seen(head)), near)
        return float(np.square(weighed.freed(rows.output - state.output)).sum())

    costs[at] = cost(at)
    for side in (-1, 1):
        for away in range(1, 33):
            window = at + side * away
            if not 1 <= window <= head.n_keys:
                break
            costs[window] = cost(window)
            if costs[window] > costs[at] + 2 * STRAIN and away >= 2:
                break
    return costs


def _unknown(rows: Rows, state: State, m: Estimate) -> str:
    """Return why a multiplier cannot be known, or nothing."""
    if int(rows.seen.sum(axis=1).max()) < 2:
        return "every row used sees one key"
    low = np.where(rows.seen, rows.scores, inf).min(axis=1)
    high = np.where(rows.seen, rows.scores, -inf).max(axis=1)
    if (high - low <= 1e-6 * rows.norms[0] * rows.norms[1].max()).all():
        return "the keys that a row sees are equal"
    used = rows.values[rows.seen.any(axis=0)]
    if np.ptp(used, axis=0).max() <= 1e-6 * np.abs(used).max():
        return "the values are equal"
    shown = m.at(SHOWN)
    if shown.value is None or shown.low is None or shown.high is None:
        return "the output does not depend on it"
    if shown.low <= 0.0 < shown.high or shown.high > WIDE * shown.low > 0.0:
        return f"anything from {shown.low:.3g} to {shown.high:.3g} fits"
    return ""


def half_ulp(value: float, format: str) -> float:
    """Return half the distance between neighbours of a value in a number format.

    >>> half_ulp(1.0, "bfloat16")
    0.00390625
    """
    known = format_of(format)
    _, exponent = np.frexp(abs(value))
    return float(2.0 ** (int(exponent) - 1 - known.bits)) if value else 0.0


def holds(found: Interval, value: float, format: str) -> bool:
    """Return whether an interval holds a number, which may have been rounded to a format."""
    margin = half_ulp(found.value or 0.0, format)
    low = -inf if found.low is None else found.low - margin
    high = inf if found.high is None else found.high + margin
    return low <= value <= high


def _extra_differs(
    found: Estimate | None, expected: float | None, level: float, format: str
) -> bool:
    """Return whether a cap differs, of which none is the end of an interval."""
    if found is None:
        return False
    sure = found.at(level)
    if expected is None:
        return sure.value is not None and sure.high is not None
    return not holds(replace(sure, value=expected), expected, format)


def _sink_differs(
    found: Estimate | None, expected: float | str | None, level: float, format: str
) -> bool:
    """Return whether a sink differs, of which none is the end of an interval."""
    if found is None or expected == LEARNED:
        return False
    sure = found.at(level)
    if expected is None:
        return sure.value is not None and sure.low is not None
    return not holds(replace(sure, value=float(expected)), float(expected), format)


def _where(rows: Rows, state: State) -> dict[str, tuple[float, ...]]:
    """Return where what a state leaves of the output lies, as shares of the largest."""
    rest = rows.output - state.output
    by_key = np.abs(rest @ rows.values.T) / np.maximum(
        np.linalg.norm(rows.values, axis=1)[None], 1e-300
    )
    by_key = np.where(rows.seen, by_key, 0.0).mean(axis=0)
    each = {
        "row": np.linalg.norm(rest, axis=1), "key": by_key, "channel": np.linalg.norm(rest, axis=0)
    }  # fmt: skip
    return {name: _cells(values) for name, values in each.items()}


def _cells(values: NDArray[np.floating]) -> tuple[float, ...]:
    """Return values as at most 48 shares of the largest."""
    parts = np.array_split(values, min(len(values), 48))
    means = np.array([part.mean() for part in parts])
    most = float(means.max()) or 1.0
    return tuple(float(mean / most) for mean in means)
