"""The models that common mistakes make of a promised one, each to be compared with the output."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import e, log, log2

from attn_tui.compute.fit.model import Variant
from attn_tui.compute.heads.head_model import LEARNED, Alibi, HeadModel
from attn_tui.doctor.names import Place, mistakes
from attn_tui.files.models.promise import Expectation

TWICE = log(2.0)
LOG2_E = log2(e)


def variants(
    model: HeadModel, place: Place, expectation: Expectation, sinks: Sequence[float | None]
) -> Iterator[Variant]:
    """Yield the models of common mistakes, the likeliest first.

    Args:
        model: The promised model of a head.
        place: Its place in the capture.
        expectation: What is promised of the whole model.
        sinks: The captured sinks of the heads of its layer, or nothing.
    """
    m = model.multiplier
    yield Variant(replace(model, multiplier=0.0), "multiplier", ZERO)
    for miss in mistakes(m, place, expectation):
        yield Variant(replace(model, multiplier=miss.value), "multiplier", miss.meaning)
    yield Variant(replace(model, multiplier=-m), "multiplier", "the sign is turned")
    if model.softcap is not None:
        yield Variant(replace(model, softcap=None), "softcap", "dropped (as in sglang 33915)")
    yield from _sinks(model, place, sinks)
    for value_scale, cause in (
        (2.0**-0.5, "a scale of v too many (as in Megatron-Bridge 4155)"),
        (2.0**0.5, "a scale of v dropped (as in Megatron-Bridge 4155)"),
    ):
        scaled = replace(model, value_scale=model.value_scale * value_scale)
        yield Variant(scaled, "value_scale", cause)
    after = replace(model, multiplier=1.0, value_scale=m * model.value_scale)
    if m != 1.0:
        yield Variant(after, "multiplier", "the scale stands after the softmax")
    if model.bias == LEARNED:
        yield Variant(replace(model, bias=None), "bias", "no bias: was it dropped?")
    if isinstance(model.bias, Alibi):
        yield from _slopes(model, model.bias, place)


ZERO = "every seen key has the same weight"
NEIGHBOURS = {1: "the sink is that of the next head", -1: "the sink is that of the head before"}


def _sinks(model: HeadModel, place: Place, sinks: Sequence[float | None]) -> Iterator[Variant]:
    """Yield other sinks than the promised one."""
    if model.sink is None:
        return
    dropped = "the sinks are dropped (as in transformers 42736)"
    yield Variant(replace(model, sink=None), "sink", dropped)
    if model.sink == LEARNED:
        return
    b = float(model.sink)
    for other, cause in (
        (b + TWICE, "the sink counts twice (b + ln 2)"),
        (b * LOG2_E, "the sink is multiplied by log₂e (b·log₂e)"),
        (b / LOG2_E, "the sink is divided by log₂e (b·ln 2)"),
        (b * model.multiplier, "the sink is multiplied by the scale (b·m)"),
    ):
        yield Variant(replace(model, sink=other), "sink", cause)
    for number, sink in enumerate(sinks):
        if sink is not None and number != place.head:
            cause = f"the sink is that of head {number}"
            cause = NEIGHBOURS.get(number - place.head, cause)
            yield Variant(replace(model, sink=sink), "sink", cause)


def _slopes(model: HeadModel, rule: Alibi, place: Place) -> Iterator[Variant]:
    """Yield other slopes than the promised one."""
    root = float(place.d_k) ** 0.5
    for times, cause in (
        (0.0, "no slope: was the bias dropped?"),
        (2.0, "the slopes are added twice, or belong to the head before"),
        (0.5, "the slopes are halved, or belong to the next head"),
        (root, "the slopes are √d_k times too large: added after the scale?"),
        (1 / root, "the slopes are √d_k times too small: multiplied by the scale?"),
    ):
        bias = replace(rule, factor=rule.factor * times)
        yield Variant(replace(model, bias=bias), "bias", cause)
