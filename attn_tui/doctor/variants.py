"""The models that common mistakes make of a promised one, each to be compared with the output."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log

from attn_tui.compute.fit.model import Variant
from attn_tui.compute.heads.head_model import LEARNED, Alibi, HeadModel
from attn_tui.compute.numbers import general
from attn_tui.doctor.call import SlopeMistake
from attn_tui.doctor.causes import VALUE_SCALES
from attn_tui.doctor.names import LOG2_E, HeadPlace, mistakes
from attn_tui.files.models.promise import Expectation

TWICE = log(2.0)
SAME = 1e-9


def variants(
    model: HeadModel,
    place: HeadPlace,
    expectation: Expectation,
    sinks: Sequence[float | None],
    slopes: Sequence[SlopeMistake] = (),
) -> Iterator[Variant]:
    """Yield the models of common mistakes, the likeliest first, each model once.

    Args:
        model: The promised model of a head.
        place: Its place in the capture.
        expectation: What is promised of the whole model.
        sinks: The captured sinks of the heads of its layer, or nothing.
        slopes: The slopes that mistakes make of the promised one.
    """
    before: list[HeadModel] = [model]
    for variant in _every(model, place, expectation, sinks, slopes):
        if not any(_is_same(variant.model, other) for other in before):
            before.append(variant.model)
            yield variant


def _is_same(model: HeadModel, other: HeadModel) -> bool:
    """Return whether two models differ at most by the rounding of m."""
    is_close = abs(model.multiplier - other.multiplier) <= SAME * abs(other.multiplier)
    return is_close and replace(model, multiplier=0.0) == replace(other, multiplier=0.0)


def _every(
    model: HeadModel,
    place: HeadPlace,
    expectation: Expectation,
    sinks: Sequence[float | None],
    slopes: Sequence[SlopeMistake],
) -> Iterator[Variant]:
    """Yield the models of common mistakes, the likeliest first."""
    m = model.multiplier
    yield Variant(replace(model, multiplier=0.0), "multiplier", ZERO)
    for miss in mistakes(m, place, expectation):
        thread = f"? (as in {miss.thread})" if miss.thread else "?"
        cause = f"{miss.meaning}{thread}"
        yield Variant(replace(model, multiplier=miss.value), "multiplier", cause)
    yield Variant(replace(model, multiplier=-m), "multiplier", "the sign is turned")
    if model.softcap is not None:
        yield Variant(replace(model, softcap=None), "softcap", "dropped? (as in sglang 33915)")
        c = general(model.softcap)
        cause = f"the cap is {c}·tanh(z) in place of {c}·tanh(z/{c})"
        yield Variant(replace(model, multiplier=m * model.softcap), "softcap", cause)
        cause = f"the cap is tanh(z/{c}) in place of {c}·tanh(z/{c})"
        bare = replace(model, multiplier=m / model.softcap, softcap=1.0)
        yield Variant(bare, "softcap", cause)
        cause = f"the cap of {c} stands before the scale"
        early = replace(model, softcap=abs(m) * model.softcap)
        yield Variant(early, "softcap", cause)
    yield from _sinks(model, place, sinks)
    for factor, meaning in VALUE_SCALES.items():
        cause = f"{meaning}? (as in Megatron-Bridge 4155)"
        scaled = replace(model, value_scale=model.value_scale * factor)
        yield Variant(scaled, "value_scale", cause)
    after = replace(model, multiplier=1.0, value_scale=m * model.value_scale)
    if m != 1.0:
        yield Variant(after, "multiplier", "the scale stands after the softmax")
    if model.bias == LEARNED:
        yield Variant(replace(model, bias=None), "bias", "was the bias dropped?")
    if isinstance(model.bias, Alibi):
        for rule, cause in slopes:
            yield Variant(replace(model, bias=rule), "bias", cause)


ZERO = "every seen key has the same weight"


def _sinks(model: HeadModel, place: HeadPlace, sinks: Sequence[float | None]) -> Iterator[Variant]:
    """Yield other sinks than the promised one."""
    if model.sink is None:
        return
    yield Variant(replace(model, sink=None), "sink", "the sinks are dropped")
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
    # After the last head comes the first: sinks are rolled more often than one is lost.
    neighbours = {1: "the next head", len(sinks) - 1: "the head before"}
    for by in range(1, len(sinks)):
        number = (place.head + by) % len(sinks)
        sink = sinks[number]
        if sink is not None:
            whose = neighbours.get(by, f"head {number}")
            yield Variant(replace(model, sink=sink), "sink", f"the sink is that of {whose}")
