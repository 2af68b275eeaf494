"""The smallest inputs that show a fault: sizes shrink one after another as long as it stays."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from attn_tui.compute.errors import InputError
from attn_tui.diagnosis.call import CallShape
from attn_tui.probing.beyond import Fault
from attn_tui.probing.function_call import CallPromise, FunctionCall
from attn_tui.probing.inputs import SPREADS, CallInputs, ProbePlan
from attn_tui.probing.judging import Faults, faults_of
from attn_tui.probing.probed import smallness

MOST_TRIED = 60
"""How many smaller calls are tried at most; a function that is compiled for each takes its time."""

TELLING = (2, 1, 3, 0)
"""Places in `SPREADS` in the order in which most faults show in them."""


def smallest(
    inputs: CallInputs,
    faults_of: Callable[[CallInputs], Faults],
    stays_right: Callable[[CallShape], bool],
) -> CallInputs:
    """Return the smallest inputs that are wrong in the same way.

    Args:
        inputs: Those of a call that is wrong.
        faults_of: Makes a call, and says what is wrong with it.
        stays_right: Whether a call that is right stays so with the heads, d_k and d_v of a shape:
            a function that takes no others is not to be taken for one with this fault.
    """
    faults = faults_of(inputs)
    tries = 0
    for smaller in (_plainer, _shorter, _fewer_heads, _narrower, _shorter):
        is_smaller = True
        while is_smaller:
            is_smaller = False
            for one in smaller(inputs):
                tries += 1
                if tries > MOST_TRIED:
                    return inputs
                found = faults_of(one)
                if found and found <= faults and stays_right(one.shape):
                    inputs, is_smaller = one, True
                    break
    return inputs


def _plainer(inputs: CallInputs) -> Iterator[CallInputs]:
    """Yield the inputs with one sequence, and with contiguous arrays."""
    if inputs.shape.batch > 1:
        yield replace(inputs, shape=replace(inputs.shape, batch=1))
    if inputs.is_strided:
        yield replace(inputs, is_strided=False)


def _shorter(inputs: CallInputs) -> Iterator[CallInputs]:
    """Yield the inputs with fewer keys, and as many queries fewer where there are so many."""
    shape = inputs.shape
    for keys in dict.fromkeys((shape.keys // 2, 3 * shape.keys // 4, shape.keys - 1)):
        queries = keys if shape.queries == shape.keys else min(shape.queries, keys)
        if 1 <= keys < shape.keys:
            yield replace(inputs, shape=replace(shape, keys=keys, queries=queries))


def _fewer_heads(inputs: CallInputs) -> Iterator[CallInputs]:
    """Yield the inputs with fewer heads, the fewest first; few heads have one spread or another."""
    shape = inputs.shape
    group = shape.heads // shape.kv_heads
    counts = {
        (kv_heads * of_each, kv_heads)
        for kv_heads in {1, 2, shape.kv_heads}
        for of_each in {1, 2, group}
        if kv_heads <= shape.kv_heads and of_each <= group
    }
    for heads, kv_heads in sorted(counts):
        if heads < shape.heads:
            fewer = replace(shape, heads=heads, kv_heads=kv_heads)
            for number in _numbers(inputs.number) if heads == 1 else [inputs.number]:
                yield replace(inputs, shape=fewer, number=number)


def _numbers(first: int) -> list[int]:
    """Return numbers of calls whose only head has logits of each spread, the most telling first."""
    numbers = range(first, first + len(SPREADS))
    return sorted(numbers, key=lambda number: TELLING.index((number + 1) % len(SPREADS)))


def _narrower(inputs: CallInputs) -> Iterator[CallInputs]:
    """Yield the inputs with shorter vectors, the shortest first."""
    shape = inputs.shape
    for d_k in (2, 4, 8, 16, 32):
        if d_k < shape.d_k:
            yield replace(inputs, shape=replace(shape, d_k=d_k, d_v=d_k + _sign(shape)))


def _sign(shape: CallShape) -> int:
    """Return 1 where values are longer than keys, −1 where they are shorter, and else 0."""
    return (shape.d_v > shape.d_k) - (shape.d_v < shape.d_k)


def smallest_wrong(
    wrong: FunctionCall, right: Sequence[FunctionCall], promise: CallPromise, plan: ProbePlan
) -> CallInputs:
    """Return the smallest inputs that are wrong as those of a call are."""

    def faults_at(inputs: CallInputs) -> Faults:
        try:
            return faults_of(FunctionCall.of(wrong.caller, inputs, promise, plan), promise)
        except (InputError, ValueError):
            # What is promised, such as a mask or a sink a head, is of other sizes.
            return frozenset()

    def stays_right(shape: CallShape) -> bool:
        d_v = shape.d_k if usual.d_v == usual.d_k else usual.d_v
        kept = replace(usual, heads=shape.heads, kv_heads=shape.kv_heads, d_k=shape.d_k, d_v=d_v)
        return kept == usual or not faults_at(replace(least.inputs, shape=kept))

    if not right:
        return smallest(wrong.inputs, faults_at, lambda shape: True)
    least = min(right, key=lambda case: (case.inputs.shape.keys < 2, smallness(case.inputs)))
    usual = least.inputs.shape
    return smallest(wrong.inputs, faults_at, stays_right)


def smallest_fault(
    cases: Sequence[FunctionCall],
    fault: Fault,
    found: Callable[[FunctionCall], list[Fault]],
    promise: CallPromise,
    plan: ProbePlan,
) -> tuple[CallInputs, Fault]:
    """Return the smallest inputs with a fault that the output alone does not show, and the fault.

    Args:
        cases: Calls that were made.
        fault: The fault.
        found: Returns what is wrong with a call besides its output.
        promise: What is meant.
        plan: The format, and the seed.
    """

    def likeness(inputs: CallInputs) -> Fault | None:
        try:
            case = FunctionCall.of(cases[0].caller, inputs, promise, plan)
            every = found(case) if case.called.out is not None else []
        except (InputError, ValueError):
            # What is promised, such as a mask or a sink a head, is of other sizes.
            return None
        return next((one for one in every if one.shared == fault.shared), None)

    def faults_at(inputs: CallInputs) -> Faults:
        one = likeness(inputs)
        return frozenset() if one is None else frozenset({one.shared})

    # With one or two keys several causes look alike.
    order = sorted(cases, key=lambda case: (case.inputs.shape.keys <= 2, smallness(case.inputs)))
    for case in order:
        if faults_at(case.inputs):
            inputs = smallest(case.inputs, faults_at, lambda shape: True)
            return inputs, likeness(inputs) or fault
    return order[0].inputs, fault
