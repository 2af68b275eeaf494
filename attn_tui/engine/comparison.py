"""Two captures side by side: by how much q, k, v and outputs differ, and where they first do."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isclose, isnan

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.readings import Reading
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError, Stopped
from attn_tui.compute.experiment import Stop, never
from attn_tui.compute.heads.blocks import row_statistics
from attn_tui.compute.logit_map import LogitMap
from attn_tui.engine.entries import Block, Difference, difference
from attn_tui.engine.found import ALIKE, FoundMask, of_head, sampled
from attn_tui.engine.plan import Plan, Question

PARTS = ("q", "k", "v", "out")
"""What is compared, in the order in which a model computes it."""

_Made = tuple[FoundMask, LogitMap, NDArray[np.bool_]]
"""What is found of a head, how its weights are made, and which keys some of its rows see."""

BLOCK = 2**17
"""Numbers of a tensor that are compared at a time."""


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
        tolerance: What differences may be, if that was asked.
    """

    plans: tuple[Plan, Plan]
    pairs: tuple[HeadPair, ...] = ()
    alone: tuple[HeadId, ...] = ()
    computed: bool = False
    total: int = 0
    tolerance: float | None = None

    @property
    def progress(self) -> float:
        """The share of heads that are compared."""
        return len(self.pairs) / self.total if self.total else 1.0

    def differences(self, part: str) -> tuple[Difference, ...]:
        """Return those of a part; what heads share stands there once."""
        every = (pair.differences.get(part) for pair in self.pairs)
        return tuple(dict.fromkeys(each for each in every if each is not None))

    @cached_property
    def parting(self) -> tuple[HeadPair, str] | None:
        """The first layer and head that differ by more than rounding, and in what they first do."""
        found = [
            (pair.head.layer, pair.head.batch, pair.head.head, place, pair, part)
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
    stop: Stop = never,
) -> Iterator[Comparison]:
    """Yield what is known of two captures, a head more each time.

    All entries of q, k, v and captured outputs are compared, a block of each at a time; outputs
    that have to be computed, of the rows that the question draws.

    Args:
        one: The first capture.
        other: The second.
        question: Which heads and rows, and how weights are made.
        tolerance: What differences may be; None: what rounding makes of it, as `difference` has it.
        stop: Whether to stop.

    Raises:
        InputError: If they have no head in common, or a file cannot be read.
    """
    plans = (Plan.of(one, question, stop), Plan.of(other, question, stop))
    if stop():
        total = len({block.head for block in plans[0].blocks})
        yield Comparison(plans, total=total, tolerance=tolerance)
        return
    heads, others = (list(dict.fromkeys(b.head for b in plan.blocks)) for plan in plans)
    there = {*others}
    common = [head for head in heads if head in there and _alike(one, other, head)]
    if not common:
        problem = "the captures have no head of one shape in common"
        raise InputError("capture", problem, "two captures of one model")
    computed = any("out" not in one.shape(h).has & other.shape(h).has for h in common)
    alone = sorted({*heads, *others} - {*common}, key=lambda head: (head.layer, head))
    found = Comparison(plans, (), tuple(alone), computed, len(common), tolerance)
    sides = _Sides((one, other), plans, computed, stop)
    known: dict[object, Difference] = {}
    for head in common:
        try:
            differences = sides.apart(head, tolerance, known)
        except Stopped:
            break
        found = replace(found, pairs=(*found.pairs, HeadPair(head, differences)))
        yield found
    yield found


def _alike(one: Capture, other: Capture, head: HeadId) -> bool:
    a, b = one.shape(head), other.shape(head)
    return (a.n_queries, a.n_keys, a.d_k, a.d_v) == (b.n_queries, b.n_keys, b.d_k, b.d_v)


@dataclass(frozen=True, eq=False)
class _Sides:
    """Two captures, with what is asked of them.

    Attributes:
        captures: Both.
        plans: What is asked of each.
        computed: Whether outputs are computed from q, k and v.
        stop: Whether to stop.
    """

    captures: tuple[Capture, Capture]
    plans: tuple[Plan, Plan]
    computed: bool
    stop: Stop

    def apart(
        self, head: HeadId, tolerance: float | None, known: dict[object, Difference]
    ) -> dict[str, Difference]:
        """Return how far each tensor of a head is apart; what heads share is compared once."""
        there = self.captures[0].shape(head).has & self.captures[1].shape(head).has
        found = {}
        for part in PARTS:
            is_computed = part == "out" and self.computed
            if ("v" if is_computed else part) not in there:
                continue
            key = (head.batch, head.layer, part, self._places(head, part))
            if key not in known:
                blocks, formats = self._outputs(head), ("float32", "float32")
                if not is_computed:
                    blocks = self._blocks(head, part)
                    one, other = (each.tensors(head.layer)[part] for each in self.captures)
                    formats = one.format, other.format
                known[key] = difference(blocks, formats, tolerance)
            found[part] = known[key]
        out = found.get("out")
        if out and not self.computed and tolerance is None and out.parts:
            agree = not any(each.parts for part, each in found.items() if part != "out")
            found["out"] = replace(out, is_rounded=agree and self._is_rounded(head, out))
        return found

    def _is_rounded(self, head: HeadId, found: Difference) -> bool:
        """Whether both outputs are what one rule makes of their own q, k and v, but for rounding.

        A few rows tell, and the one that differs most.
        """
        if found.most is None or isnan(found.size):
            return False
        sides = zip(self.captures, self.plans, self._readings(head), strict=True)
        made = [self._made(head, found.most.row, *side) for side in sides]
        one, other = made
        return one is not None and other is not None and _is_one_rule(one, other)

    def _made(
        self, head: HeadId, row: int, capture: Capture, plan: Plan, reading: Reading
    ) -> _Made | None:
        """Return how weights are made, and what rows see; None if the output is another."""
        making = plan.question.making
        known = of_head(capture, making, plan.masks[head.layer], head)
        few = sampled(capture.shape(head).n_queries)
        some, most = (capture.read(head, rows, reading) for rows in (few, [row]))
        with one_thread():
            if not (known.fits and all(known.miss(making, each).fits for each in (some, most))):
                return None
        weighing = known.weighing(making, some)
        return known, weighing.map, weighing.mask.seen(some)

    def _readings(self, head: HeadId) -> tuple[Reading, Reading]:
        one, other = (
            capture.readings(head.layer)[plan.masks[head.layer].reading]
            for capture, plan in zip(self.captures, self.plans, strict=True)
        )
        return one, other

    def _places(self, head: HeadId, part: str) -> tuple[int, ...]:
        if part in ("q", "out"):
            return (head.head,)
        return tuple(each.kv_head(head.head) for each in self._readings(head))

    def _blocks(self, head: HeadId, part: str) -> Iterator[Block]:
        shape = self.captures[0].shape(head)
        rows = shape.n_keys if part in ("k", "v") else shape.n_queries
        at_once = max(BLOCK // max(shape.d_k if part in ("q", "k") else shape.d_v, 1), 1)
        readings = self._readings(head)
        for start in range(0, rows, at_once):
            if self.stop():
                raise Stopped
            run = range(start, min(start + at_once, rows))
            one, other = (
                capture.vectors(head, part, reading, run)
                for capture, reading in zip(self.captures, readings, strict=True)
            )
            yield run, one, other

    def _outputs(self, head: HeadId) -> Iterator[Block]:
        """Yield P·V of the rows that are sampled, of both."""
        question = self.plans[0].question
        rows = question.sample(self.captures[0].shape(head).n_queries)
        outputs = []
        for capture, plan, reading in zip(
            self.captures, self.plans, self._readings(head), strict=True
        ):
            found = capture.read(head, rows, reading)
            layer = plan.masks[head.layer]
            known = of_head(capture, question.making, layer, head)
            weighing = known.weighing(question.making.at_layer(head.layer), found)
            with one_thread():
                output = row_statistics(found, weighing, output=True).output
            assert output is not None
            outputs.append(output)
        yield found.rows.tolist(), outputs[0], outputs[1]


def _is_one_rule(one: _Made, other: _Made) -> bool:
    """Whether weights are made in one way, as near as a fit tells."""
    (a, first, seen), (b, second, also) = one, other
    pairs = (
        (first.multiplier, second.multiplier),
        (a.value_scale, b.value_scale),
        (first.softcap, second.softcap),
        (first.sink, second.sink),
    )
    return np.array_equal(seen, also) and all(
        x is y or (x is not None and y is not None and isclose(x, y, rel_tol=ALIKE, abs_tol=ALIKE))
        for x, y in pairs
    )


def largest(pairs: Sequence[HeadPair], part: str) -> HeadPair | None:
    """Return the pair that differs most in a part; one with NaN first."""
    known = [pair for pair in pairs if part in pair.differences]

    def size(pair: HeadPair) -> tuple[bool, bool, float]:
        found = pair.differences[part]
        return isnan(found.size), bool(found.beyond), found.size

    return max(known, key=size, default=None)
