"""Two captures side by side: by how much q, k, v and outputs differ, and where they first do."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isinf, sqrt

import numpy as np

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.readings import Reading
from attn_tui.compute.arrays import Floats
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError, Stopped
from attn_tui.compute.experiment import Stop, never
from attn_tui.compute.fit.noise import Format, coarsest, format_of
from attn_tui.compute.heads.rows import Reals
from attn_tui.engine.finding import miss, of_head, sampled
from attn_tui.engine.plan import Plan, Question

PARTS = ("q", "k", "v", "out")
"""What is compared, in the order in which a model computes it."""

ROUNDINGS, ARITHMETIC = 8.0, 1e-4
"""Two tensors agree if they differ by less than so many times what rounding their numbers makes,
or by less than this, which sums in another order make, relative to what is rounded: as a whole the
tensor, of one entry the largest number of its row."""

_TYPICAL = 2.0**0.5 / 25.97**0.5
"""Over numbers whose logarithms are spread evenly, what rounding two of them makes, relative to
their size and in units of the spacing at 1: 12·3/(2 ln 2) is 25.97."""

_BLOCK = 2**17
"""Numbers of a tensor that are compared at a time."""

_FORMATS = ("bfloat16", "float16", "float32", "float64")


@dataclass(frozen=True)
class Entry:
    """One number of both tensors.

    Attributes:
        row: Which position.
        column: Which of its numbers.
        a: The number in the first.
        b: In the second.
        spacings: |b − a| in spacings of the format at the largest number of the row; infinite if
            one is NaN or infinite.
        format: The coarser of the formats of both.
    """

    row: int
    column: int
    a: float
    b: float
    spacings: float
    format: str


@dataclass(frozen=True)
class Difference:
    """How far two tensors of a head are apart.

    Attributes:
        size: ‖b − a‖/‖a‖; infinite where NaN or infinity stands in one of them.
        tolerance: What rounding may make of it.
        entries: How many numbers each has.
        differ: How many of them are not equal.
        beyond: How many differ by more than one may.
        most: The one that differs most.
        is_rounded: Whether both are outputs that one rule makes, but for rounding inside attention.
    """

    size: float
    tolerance: float
    entries: int
    differ: int
    beyond: int
    most: Entry | None
    is_rounded: bool = False

    @property
    def parts(self) -> bool:
        """Whether they differ by more than they may, as a whole or in an entry."""
        return not self.is_rounded and (bool(self.beyond) or self.size > self.tolerance)

    @property
    def is_odd(self) -> bool:
        """Whether NaN or infinity stands in one of them."""
        return self.most is not None and isinf(self.most.spacings)


@dataclass(frozen=True)
class HeadPair:
    """One head of two captures.

    Attributes:
        head: Which.
        differences: By part: ``q``, ``k``, ``v`` and ``out``, as far as both have it.
    """

    head: HeadId
    differences: Mapping[str, Difference]


@dataclass(frozen=True, eq=False)
class Comparison:
    """What is known of two captures.

    Attributes:
        plans: What is asked of each.
        pairs: The heads compared so far, by sequence, layer and head.
        alone: Heads that only one of the captures has, or in another shape.
        total: How many heads there are to compare.
    """

    plans: tuple[Plan, Plan]
    pairs: tuple[HeadPair, ...] = ()
    alone: tuple[HeadId, ...] = ()
    total: int = 0

    @property
    def progress(self) -> float:
        """The share of heads that are compared."""
        return len(self.pairs) / self.total if self.total else 1.0

    def parting_in(self, part: str) -> tuple[HeadPair, ...]:
        """Return the heads that differ in a part by more than rounding, by layer and head."""
        found = [
            pair for pair in self.pairs if part in pair.differences and pair.differences[part].parts
        ]
        return tuple(sorted(found, key=lambda pair: (pair.head.layer, pair.head)))

    @cached_property
    def parting(self) -> tuple[HeadPair, str] | None:
        """The first layer and head that differ by more than rounding, and in what they first do."""
        firsts = [(pair, part) for part in PARTS for pair in self.parting_in(part)[:1]]
        return min(firsts, key=lambda each: (each[0].head.layer, each[0].head), default=None)


def compared(
    one: Capture,
    other: Capture,
    question: Question,
    stop: Stop = never,
) -> Iterator[Comparison]:
    """Yield what is known of two captures, a head more each time.

    All entries of q, k, v and outputs are compared, a block of each at a time.

    Args:
        one: The first capture.
        other: The second.
        question: Which heads, and how weights are made.
        stop: Whether to stop.

    Raises:
        InputError: If they have no head in common, or a file cannot be read.
    """
    plans = (Plan.of(one, question, stop), Plan.of(other, question, stop))
    heads, others = ({block.head: None for block in plan.blocks} for plan in plans)
    if stop():
        yield Comparison(plans, total=len(heads))
        return
    common = [head for head in heads if head in others and _alike(one, other, head)]
    if not common:
        problem = "the captures have no head of one shape in common"
        raise InputError("capture", problem, "two captures of one model")
    alone = sorted({*heads, *others} - {*common}, key=lambda head: (head.layer, head))
    found = Comparison(plans, (), tuple(alone), len(common))
    sides = _Sides((one, other), plans, stop)
    for head in common:
        try:
            pair = HeadPair(head, sides.differences(head))
        except Stopped:
            break
        found = replace(found, pairs=(*found.pairs, pair))
        yield found
    yield found


def _alike(one: Capture, other: Capture, head: HeadId) -> bool:
    a, b = one.shape(head), other.shape(head)
    return (a.n_queries, a.n_keys, a.d_k, a.d_v) == (b.n_queries, b.n_keys, b.d_k, b.d_v)


class _Sides:
    """Two captures, with what is asked of them.

    Args:
        captures: Both.
        plans: What is asked of each.
        stop: Whether to stop.
    """

    def __init__(
        self, captures: tuple[Capture, Capture], plans: tuple[Plan, Plan], stop: Stop
    ) -> None:
        self.captures, self.plans, self.stop = captures, plans, stop
        self.known: dict[object, Difference] = {}

    def differences(self, head: HeadId) -> dict[str, Difference]:
        """Return how far each tensor of a head is apart; what heads share is compared once."""
        readings = [
            capture.readings(head.layer)[plan.masks[head.layer].reading]
            for capture, plan in zip(self.captures, self.plans, strict=True)
        ]
        shape = self.captures[0].shape(head)
        there = shape.has & self.captures[1].shape(head).has
        found = {}
        for part in PARTS:
            if part not in there:
                continue
            is_key = part in ("k", "v")
            places = [each.kv_head(head.head) if is_key else head.head for each in readings]
            key = (head.batch, head.layer, part, *places)
            if key not in self.known:
                rows = shape.n_keys if is_key else shape.n_queries
                at_once = max(_BLOCK // max(shape.d_k if part in "qk" else shape.d_v, 1), 1)
                blocks = self._blocks(head, part, readings, rows, at_once)
                one, other = (each.tensors(head.layer)[part].format for each in self.captures)
                self.known[key] = difference(blocks, (one, other))
            found[part] = self.known[key]
        agree = not any(each.parts for part, each in found.items() if part != "out")
        if agree and "out" in found and found["out"].parts:
            is_rounded = self._is_rounded(head, found["out"], readings)
            found["out"] = replace(found["out"], is_rounded=is_rounded)
        return found

    def _blocks(
        self, head: HeadId, part: str, readings: Sequence[Reading], rows: int, at_once: int
    ) -> Iterator[tuple[range, Reals, Reals]]:
        for start in range(0, rows, at_once):
            if self.stop():
                raise Stopped
            run = range(start, min(start + at_once, rows))
            one, other = (
                capture.vectors(head, part, reading, run)
                for capture, reading in zip(self.captures, readings, strict=True)
            )
            yield run, one, other

    def _is_rounded(self, head: HeadId, found: Difference, readings: Sequence[Reading]) -> bool:
        """Whether the rule of one side makes both outputs, but for rounding inside attention.

        A few rows tell, and the one that differs most.
        """
        if found.most is None or found.is_odd:
            return False
        few = sampled(self.captures[0].shape(head).n_queries)
        rows = [
            capture.read(head, wanted, reading)
            for capture, reading in zip(self.captures, readings, strict=True)
            for wanted in (few, [found.most.row])
        ]
        with one_thread():
            for capture, plan in zip(self.captures, self.plans, strict=True):
                known = of_head(capture, plan.masks[head.layer], head)
                if known.fits and all(miss(known, each).is_rounding for each in rows):
                    return True
        return False


@np.errstate(all="ignore")
def difference(
    blocks: Iterable[tuple[Sequence[int], Reals, Reals]],
    formats: tuple[str, str],
) -> Difference:
    """Return how far two tensors of one shape are apart.

    Args:
        blocks: Their rows, some at a time: which, and these of both, shape (r, d).
        formats: The formats they were captured in.
    """
    entries = differ = beyond = 0
    square = apart_square = 0.0
    form: Format | None = None
    most: Entry | None = None
    rank = (False, -inf)
    for rows, one, other in blocks:
        a, b = one.astype(np.float64), other.astype(np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        finite = np.isfinite(a) & np.isfinite(b)
        entries += a.size
        square += float(np.square(a[finite]).sum())
        if same.all():
            continue
        # NaN or infinity in one is as far as can be.
        apart = np.where(same, 0.0, np.where(finite, np.abs(b - a), inf))
        form = form or _coarser(a[finite], b[finite], formats)
        top = np.where(finite, np.maximum(np.abs(a), np.abs(b)), 0.0).max(axis=1, keepdims=True)
        unit = form.spacing(top)
        allowed = np.maximum(ROUNDINGS * unit, ARITHMETIC * top)
        over = apart > allowed
        differ += int(np.count_nonzero(~same))
        beyond += int(np.count_nonzero(over))
        apart_square += float(np.square(apart).sum())
        # An entry beyond what it may be goes before one that is not.
        is_beyond = bool(over.any())
        ranked = np.where(over if is_beyond else ~same, apart, -1.0)
        row, column = divmod(int(np.argmax(ranked)), ranked.shape[1])
        if (is_beyond, ranked[row, column]) > rank:
            rank = is_beyond, float(ranked[row, column])
            spacings = float(apart[row, column] / unit[row, 0])
            numbers = float(a[row, column]), float(b[row, column])
            most = Entry(rows[row], column, *numbers, spacings, form.name)
    size = inf if apart_square else 0.0
    if square:
        size = sqrt(apart_square / square)
    tolerance = ARITHMETIC
    if form is not None and square:
        # Numbers too small for the format are a step of it apart.
        step = 2.0 ** (form.least - form.bits + 1) * sqrt(entries / 6.0 / square)
        tolerance = max(ROUNDINGS * max(_TYPICAL * 2.0 ** (1 - form.bits), step), ARITHMETIC)
    return Difference(size, tolerance, entries, differ, beyond, most)


def _coarser(one: Floats, other: Floats, formats: tuple[str, str]) -> Format:
    """Return the coarser of the formats that two tensors hold numbers of."""
    found = {coarsest(each, name) for each, name in zip((one, other), formats, strict=True)}
    return format_of(min(found, key=_FORMATS.index))
