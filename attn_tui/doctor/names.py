"""The usual name of a multiplier, and the usual causes if it is not the expected one."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import e, inf, log2

from attn_tui.compute.fit.estimates import CHANCE, Estimate, closest_dimension, of_size
from attn_tui.compute.fit.explain import half_ulp
from attn_tui.compute.numbers import fixed, general
from attn_tui.compute.scale import as_root
from attn_tui.files.models.promise import NOTHING_EXPECTED, Expectation

LOG2_E = log2(e)
SAME = 1e-9
"""The relative difference of two multipliers that are one number."""
_THREADS = {"the absorbed MLA dimension": "ollama 13893"}


@dataclass(frozen=True)
class Span:
    """The range of a multiplier.

    Attributes:
        value: The fitted value.
        low: The least value it may have.
        high: The largest value it may have.
        margin: How far both ends were moved outwards, since m may have been rounded.
    """

    value: float
    low: float
    high: float
    margin: float = 0.0

    def holds(self, value: float) -> bool:
        """Return whether the range holds a value."""
        return self.low <= value <= self.high


def span(estimate: Estimate, format: str, level: float) -> Span:
    """Return an interval, widened by half an ulp of its value in the capture's format."""
    interval = estimate.at(level)
    value = 0.0 if interval.value is None else interval.value
    margin = half_ulp(value, format)
    low = -inf if interval.low is None else interval.low - margin
    high = inf if interval.high is None else interval.high + margin
    return Span(value, low, high, margin)


@dataclass(frozen=True)
class HeadPlace:
    """The place of a multiplier in a model.

    Attributes:
        d_k: The length of queries, as captured.
        layer: Counted from 0.
        heads: The number of captured query heads of the layer.
        head: The number of the head.
        kv_heads: The number of captured KV heads of the layer; 0 if it does not matter.
        is_padded: Whether the last columns of q and k are 0 in every row.
        d_v: The length of values; 0 if it does not matter.
        keys: The number of keys; 0 if it does not matter.
    """

    d_k: int
    layer: int = 0
    heads: int = 1
    head: int = 0
    kv_heads: int = 0
    is_padded: bool = False
    d_v: int = 0
    keys: int = 0


@dataclass(frozen=True)
class Miss:
    """A wrong multiplier that comes from a common mistake.

    Attributes:
        value: The multiplier.
        form: How it is written: ``1/√576``; empty if it is only a multiple of the expected one.
        meaning: The mistake that it usually means.
        thread: A thread that reports the mistake, or empty.
    """

    value: float
    form: str
    meaning: str
    thread: str = ""


def names(
    interval: Span,
    place: HeadPlace,
    model: Expectation = NOTHING_EXPECTED,
    form: str = "",
    other_than: float = 0.0,
) -> tuple[str, ...]:
    """Return the names of a multiplier, as ``--rule`` spells them if there is such a rule.

    An expected multiplier is named by its ``form``; one that is not what is promised has no name of
    what it should be, ``other_than``, though its interval may hold that.

    >>> names(Span(0.125, 0.1249, 0.1251), HeadPlace(64))
    ('inverse-sqrt',)
    >>> names(Span(1 / 24, 0.041666, 0.041667), HeadPlace(256))
    ('fixed:a=576',)
    """
    d_k = float(place.d_k)
    multipliers = of_size(d_k)
    if place.layer:
        multipliers[f"per-layer:layer={place.layer}"] = d_k**-0.5 / (place.layer + 1.0)
    if model.yarn != 1.0:
        multipliers["yarn"] = model.yarn**2 * d_k**-0.5
    labels = [
        name
        for name, value in multipliers.items()
        if interval.holds(value) and not _is_same(value, other_than)
    ]
    _, _, meant = form.partition("1/√")
    if meant and float(meant) != d_k:
        labels.insert(0, f"fixed:a={meant}")
    if not labels:
        dimensions = _dimensions_inside(interval, model)
        labels = [
            f"fixed:a={repr(a).removesuffix('.0')}"
            for a in dimensions
            if not _is_same(a**-0.5, other_than)
        ]
    return tuple(labels)


def _dimensions_inside(interval: Span, model: Expectation) -> tuple[float, ...]:
    """Return each a such that the multiplier may be 1/√a: a dimension of the model, or 8k.

    A multiple of 8 that the model does not name is a guess, made only if the fit's own interval,
    without the margin for rounding of m, leaves room for no other.
    """
    every = [
        hint.value for hint in model.hints if hint.value > 0 and interval.holds(hint.value**-0.5)
    ]
    low, high = interval.low + interval.margin, interval.high - interval.margin
    guess = closest_dimension(interval.value)
    if guess and low <= guess**-0.5 <= high and low > 0.0 and low**-2 - high**-2 < CHANCE:
        every.insert(0, guess)
    return tuple(dict.fromkeys(every))


def misses(
    interval: Span, expected: float, place: HeadPlace, model: Expectation = NOTHING_EXPECTED
) -> tuple[Miss, ...]:
    """Return the mistakes that may have led to a wrong multiplier, the likeliest first."""
    # What is promised is no mistake, though an interval may hold it.
    others = (
        miss for miss in mistakes(expected, place, model) if not _is_same(miss.value, expected)
    )
    every = [miss for miss in others if interval.holds(miss.value)]
    if not every:
        every = [
            Miss(a**-0.5, f"1/√{general(a)}", f"a dimension of {general(a)}")
            for a in _dimensions_inside(interval, model)
            if not _is_same(a**-0.5, expected)
        ]
    # Each value is named once, with its likeliest meaning.
    seen: dict[float, Miss] = {}
    for miss in every:
        if not any(abs(miss.value - value) < 1e-9 * value for value in seen):
            seen[miss.value] = miss
    return tuple(seen.values())


def _is_same(one: float, other: float) -> bool:
    """Return whether two multipliers are one number."""
    return abs(one - other) <= SAME * abs(other)


def mistakes(
    expected: float, place: HeadPlace, model: Expectation = NOTHING_EXPECTED
) -> Iterator[Miss]:
    """Yield the multipliers that common mistakes make of a promised one, the likeliest first."""
    d_k, written = float(place.d_k), f"{place.d_k}"
    if model.yarn != 1.0:
        mu, square = model.yarn, f"YaRN's mscale² = {fixed(model.yarn**2, 4)}"
        once = f"YaRN's mscale = {fixed(mu, 4)} once"
        yield Miss(expected / mu**2, "", f"{square} is missing", "mobius 548")
        yield Miss(expected * mu**2, "", f"{square} once too often", "exllamav3 259")
        yield Miss(expected / mu, "", f"{once}, where its square belongs")
        yield Miss(expected * mu, "", f"{once} too often")
    if len({layer.multiplier for layer in model.layers}) > 1:
        yield from _layer(expected, place.layer)
    if expected == 1.0:
        yield Miss(d_k**-0.5, f"1/√{written}", "the scale twice, for q carries it already")
    yield Miss(1.0, "1", "no scale at all, or one that q carries already", "llama.cpp 14892")
    default = "the default 1/√d_k of the captured d_k"
    if place.is_padded:
        default = f"the length {written} that q and k are padded to with zeros"
    yield Miss(d_k**-0.5, f"1/√{written}", default)
    for hint in model.hints:
        if hint.value > 0.0:
            yield Miss(
                hint.value**-0.5, f"1/√{general(hint.value)}",
                hint.meaning, _THREADS.get(hint.meaning, ""),
            )  # fmt: skip
    # MLA of DeepSeek and of GLM absorbs 512 + 64.
    yield Miss(576.0**-0.5, "1/√576", "the absorbed MLA dimension", "ollama 13893")
    if place.heads > 1:
        width = place.heads * place.d_k
        yield Miss(float(width) ** -0.5, f"1/√{width}", "√d_model for √d_head")
    if place.kv_heads:
        for heads in (place.heads + 2 * place.kv_heads, 3):
            width = heads * place.d_k
            meaning = "the width of q, k and v in one projection"
            yield Miss(float(width) ** -0.5, f"1/√{width}", meaning)
    yield Miss(d_k**0.5, f"√{written}", "multiplied by √d_k, not divided", "maxtext 1370")
    if abs(expected * expected * d_k - 1.0) < 1e-9:
        yield Miss(1.0 / d_k, f"1/{written}", "the scale twice, or µP's 1/d_k")
    else:
        yield Miss(expected * abs(expected), "", "the scale twice")
        yield Miss(1.0 / d_k, f"1/{written}", "µP's 1/d_k")
    yield Miss(d_k**-0.25, f"1/⁴√{written}", "⁴√d_k on one side of the two", "guided-diffusion 38")
    yield Miss(expected * LOG2_E, "", "a factor log₂e that belongs to exponentials of base 2")
    yield Miss(expected / LOG2_E, "", "log₂e left out before exponentials of base 2")
    yield Miss((2.0 * d_k) ** -0.5, f"1/√{2 * place.d_k}", "twice the dimension of a head")
    yield Miss((d_k / 2.0) ** -0.5, f"1/√{general(place.d_k / 2)}", "half the dimension of a head")
    yield Miss(2.0 * expected, as_root(2.0 * expected), "twice what is promised")
    yield Miss(0.5 * expected, as_root(0.5 * expected), "half of what is promised")
    for length, meaning in (
        (place.d_v, "√d_v for √d_k"),
        (place.keys, "√n of the number of keys for √d_k"),
    ):
        if length not in (0, 1, place.d_k):
            yield Miss(float(length) ** -0.5, f"1/√{length}", meaning)
    # Last, since in layer 1 these are a factor of 2, like the two before.
    yield from _layer(expected, place.layer)


def _layer(expected: float, layer: int) -> Iterator[Miss]:
    if layer:
        for power, meaning in ((-1, "the layer's scale twice"), (1, "the layer's scale missing")):
            yield Miss(expected * (layer + 1.0) ** power, "", meaning, "Megatron-LM 175")
