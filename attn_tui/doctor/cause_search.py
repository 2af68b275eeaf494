"""The search for the cause where a head is not as promised: other heads, mistakes, other keys."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from attn_tui.captures.capture import HeadId
from attn_tui.captures.readings import Reading
from attn_tui.compute.fit.explain import Explanation, Reference, explain
from attn_tui.compute.fit.model import FITS, Suspect, Variant
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.doctor.across import MOST_HEADS, MOST_NUMBERS, across_heads
from attn_tui.doctor.call import PromisedHead, slope_mistakes
from attn_tui.doctor.promised_heads import PromisedHeads, place_of
from attn_tui.doctor.variants import variants


def searched(
    heads: PromisedHeads,
    id: HeadId,
    head: PromisedHead,
    reference: Reference,
    reading: Reading,
    explanation: Explanation,
) -> Explanation:
    """Return the explanation of a head that is not as promised, after a search for causes."""
    if "multiplier" in head.comparable.stated:
        other_head = _other_head(heads, id, head.rows, reading)
        together = other_head or _across(heads, id, head, reading)
        if together is not None:
            return replace(explanation, suspect=together)
    mistakes = [*_variants(heads, id, head, reading)]
    others = partial(_others, heads, id, head.rows, reading)
    return explain(head.rows, reference, others, True, head.calls, mistakes)


def _other_head(
    heads: PromisedHeads, id: HeadId, head: HeadRows, reading: Reading
) -> Suspect | None:
    """Return that a head has the output that another of its layer is promised, or None."""
    count = reading.dims.heads
    if head.output is None or head.values is None:
        return None
    for by in range(1, count):
        heads.check_stop()
        number = (id.head + by) % count
        place = replace(id, head=number)
        other = heads.capture.read(place, [int(row) for row in head.rows], reading)
        swapped = heads.completed(place, replace(other, output=head.output), reading)
        if not explain(swapped.rows, heads.reference(swapped), search=False).passes:
            continue
        called = {1: "the next head", count - 1: "the head before"}.get(by, f"head {number}")
        return Suspect(f"the output is that of {called}", FITS)
    return None


def _across(
    heads: PromisedHeads, id: HeadId, head: PromisedHead, reading: Reading
) -> Suspect | None:
    """Return what was done to all heads of a layer together, or None."""
    rows, count = head.rows, reading.dims.heads
    is_small = count * rows.n_queries * rows.n_keys <= MOST_NUMBERS and count <= MOST_HEADS
    if not is_small or len(rows.rows) < rows.n_queries or rows.values is None:
        return None
    every = []
    for number in range(count):
        heads.check_stop()
        place = replace(id, head=number)
        every.append(heads.completed(place, heads.capture.read(place, None, reading), reading))

    def passes(other: PromisedHead) -> bool:
        return explain(other.rows, heads.reference(other), search=False).passes

    return across_heads(every, id.head, passes)


def _variants(
    heads: PromisedHeads, id: HeadId, head: PromisedHead, reading: Reading
) -> Iterator[Variant]:
    """Yield the models that common mistakes make of the promise of a head."""
    place = place_of(id, head.rows, reading)
    if "multiplier" in head.comparable.stated:
        sinks = _sinks(heads, id, reading)
        slopes = [*slope_mistakes(heads.promise(id, place.d_k), heads.number(id), place.d_k)]
        yield from variants(head.comparable.model, place, heads.expectation, sinks, slopes)


def _sinks(heads: PromisedHeads, id: HeadId, reading: Reading) -> list[float | None]:
    """Return the captured sinks of the heads of a layer; empty without any."""
    if "sink" not in heads.capture.tensors(id.layer):
        return []
    every = (replace(id, head=number) for number in range(reading.dims.heads))
    return [heads.capture.read(head, [0], reading).sink for head in every]


def _others(
    heads: PromisedHeads, id: HeadId, head: HeadRows, reading: Reading
) -> Iterator[tuple[int, HeadRows]]:
    """Yield the head with the keys and values of each other KV head, by its number."""
    expected = reading.kv_head(id.head)
    firsts: dict[int, int] = {}
    for number in range(reading.dims.heads):
        firsts.setdefault(reading.kv_head(number), number)
    for kv_head, number in firsts.items():
        if kv_head != expected:
            heads.check_stop()
            other = heads.read(replace(id, head=number), reading)
            yield kv_head, replace(head, keys=other.keys, values=other.values)
