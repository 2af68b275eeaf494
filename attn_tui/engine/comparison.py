"""Two captures side by side: by how much q, k, v and outputs differ, and where they first do."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError
from attn_tui.compute.fit.noise import coarsest, format_of
from attn_tui.compute.heads.blocks import row_statistics
from attn_tui.compute.heads.rows import HeadRows, Reals
from attn_tui.engine.making import FoundMask
from attn_tui.engine.plan import Plan, Question
from attn_tui.engine.running import Stop

PARTS: Mapping[str, str] = {"q": "queries", "k": "keys", "v": "values", "out": "output"}
"""What is compared, in the order in which a model computes it, with its name in `HeadRows`."""

ROUNDINGS, ARITHMETIC = 8.0, 1e-4
"""Two tensors agree if they differ by less than so many times what rounding their numbers makes,
or by less than this, which sums in another order make; both relative to the first."""


@dataclass(frozen=True)
class Difference:
    """How far two tensors of a head are apart.

    Attributes:
        size: ‖b − a‖/‖a‖ over the rows looked at; NaN if one has NaN or infinities the other
            has not.
        tolerance: What it may be.
    """

    size: float
    tolerance: float

    @property
    def parts(self) -> bool:
        """Whether they differ by more than that."""
        return not self.size <= self.tolerance


@dataclass(frozen=True)
class HeadPair:
    """One head of two captures.

    Attributes:
        head: Which.
        differences: By part: ``q``, ``k``, ``v`` and ``out``.
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
        computed: Whether outputs were computed from q, k and v, since one capture has none.
        total: How many heads there are to compare.
    """

    plans: tuple[Plan, Plan]
    pairs: tuple[HeadPair, ...] = ()
    alone: tuple[HeadId, ...] = ()
    computed: bool = False
    total: int = 0

    @property
    def progress(self) -> float:
        """The share of heads that are compared."""
        return len(self.pairs) / self.total if self.total else 1.0

    @property
    def parting(self) -> tuple[HeadPair, str] | None:
        """Where they first differ by more than rounding: the first layer, in it the first part."""
        found = [
            (pair.head.layer, place, pair.head.batch, pair.head.head, pair, part)
            for pair in self.pairs
            for place, part in enumerate(PARTS)
            if part in pair.differences and pair.differences[part].parts
        ]
        if not found:
            return None
        *_, pair, part = min(found, key=lambda each: each[:4])
        return pair, part

    @property
    def output_parting(self) -> HeadPair | None:
        """The first layer and head whose outputs differ by more than rounding."""
        return next(
            (
                pair
                for pair in sorted(self.pairs, key=lambda pair: (pair.head.layer, pair.head))
                if "out" in pair.differences and pair.differences["out"].parts
            ),
            None,
        )


def compared(
    one: Capture,
    other: Capture,
    question: Question,
    tolerance: float | None = None,
    stop: Stop = lambda: False,
) -> Iterator[Comparison]:
    """Yield what is known of two captures, a head more each time.

    The same rows are looked at in both.

    Args:
        one: The first capture.
        other: The second.
        question: Which heads and rows, and how weights are made.
        tolerance: What differences may be; None: what `ROUNDINGS` and `ARITHMETIC` say.
        stop: Whether to stop.

    Raises:
        InputError: If they have no head in common, or a file cannot be read.
    """
    plans = (Plan.of(one, question), Plan.of(other, question))
    heads, others = (list(dict.fromkeys(b.head for b in plan.blocks)) for plan in plans)
    there = {*others}
    common = [head for head in heads if head in there and _alike(one, other, head)]
    if not common:
        problem = "the captures have no head of one shape in common"
        raise InputError("capture", problem, "two captures of one model")
    computed = any("out" not in one.shape(h).has & other.shape(h).has for h in common)
    alone = sorted({*heads, *others} - {*common}, key=lambda head: (head.layer, head))
    found = Comparison(plans, (), tuple(alone), computed, len(common))
    for head in common:
        if stop():
            break
        rows = question.sample(one.shape(head).n_queries)
        a, b = (
            _rows(capture, plan.masks[head.layer], question, head, rows, computed)
            for capture, plan in zip((one, other), plans, strict=True)
        )
        found = replace(found, pairs=(*found.pairs, HeadPair(head, _apart(a, b, tolerance))))
        yield found
    yield found


def _alike(one: Capture, other: Capture, head: HeadId) -> bool:
    a, b = one.shape(head), other.shape(head)
    return (a.n_queries, a.n_keys, a.d_k, a.d_v) == (b.n_queries, b.n_keys, b.d_k, b.d_v)


def _rows(
    capture: Capture,
    known: FoundMask,
    question: Question,
    head: HeadId,
    rows: Sequence[int] | None,
    computed: bool,
) -> HeadRows:
    """Return the rows of one side, with an output if there are values."""
    reading = capture.readings(head.layer)[known.reading]
    found = capture.read(head, rows, reading)
    if computed:
        output = None
        if found.values is not None:
            weighing = question.making.weighing(found, known.mask)
            with one_thread():
                output = row_statistics(found, weighing, output=True).output
        formats = {part: name for part, name in found.formats.items() if part != "out"}
        found = replace(found, output=output, formats=formats)
    return found


def _apart(one: HeadRows, other: HeadRows, tolerance: float | None) -> dict[str, Difference]:
    found = {}
    for part, name in PARTS.items():
        a, b = getattr(one, name), getattr(other, name)
        if a is not None and b is not None:
            formats = (one.formats.get(part, "float32"), other.formats.get(part, "float32"))
            found[part] = difference(a, b, formats, tolerance)
    return found


def difference(
    one: Reals, other: Reals, formats: tuple[str, str], tolerance: float | None = None
) -> Difference:
    """Return how far two tensors of one shape are apart.

    Args:
        one: The first.
        other: The second.
        formats: The formats they were captured in.
        tolerance: What the difference may be; None: what rounding makes of it.
    """
    a, b = (each.astype(np.float64).ravel() for each in (one, other))
    finite = np.isfinite(a) & np.isfinite(b)
    odd = not np.array_equal(np.isfinite(a), np.isfinite(b))
    a, b = a[finite], b[finite]
    length = float(np.linalg.norm(a))
    apart = float(np.linalg.norm(b - a))
    size = nan if odd else apart / length if length else (0.0 if apart == 0.0 else np.inf)
    if tolerance is None:
        variance = _rounding(a, formats[0]) + _rounding(b, formats[1])
        rounding = float(np.sqrt(variance)) / length if length else 0.0
        tolerance = max(ROUNDINGS * rounding, ARITHMETIC)
    return Difference(float(size), tolerance)


def _rounding(values: NDArray[np.float64], named: str) -> float:
    """Return the variance of all numbers together from having been rounded."""
    spacing = format_of(coarsest(values, named)).spacing(values)
    return float(np.square(spacing).sum() / 12.0)


def largest(pairs: Sequence[HeadPair], part: str) -> HeadPair | None:
    """Return the pair that differs most in a part; one with NaN first."""
    known = [pair for pair in pairs if part in pair.differences]

    def size(pair: HeadPair) -> tuple[bool, float]:
        found = pair.differences[part].size
        return isnan(found), found

    return max(known, key=size, default=None)
