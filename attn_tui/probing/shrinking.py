"""The smallest inputs that show a fault: sizes shrink one after another as long as it stays."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace

from attn_tui.diagnosis.call import CallShape
from attn_tui.probing.inputs import SPREADS, CallInputs

MOST_TRIED = 60
"""How many smaller calls are tried at most; a function that is compiled for each takes its time."""

TELLING = (2, 1, 3, 0)
"""Places in `SPREADS` in the order in which most faults show in them."""

Faults = frozenset[Hashable]
"""What is wrong with a call: an error, or parts that differ, with causes; empty if nothing is."""


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
