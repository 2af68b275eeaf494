"""What five statistics say of a head: is it saturated, and does it matter?

Each word has a threshold with a reason, which `help/heads-card.md` gives. A word whose threshold
lies within the 95 % interval of what was sampled has a question mark.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal

from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.statistic import ALL, FLOAT16_LARGEST, SATURATED
from attn_tui.heads.words import UNCOUNTED
from attn_tui.report import words

Tone = Literal["calm", "warm", "alarm", "good", "aside"]
"""How grave a word is: grey, amber, red, green, or the muted colour of a sink."""

SHARP = 0.5
"""The largest weight from which on one key has more than all the others together."""

MOST = 0.5
"""A larger share of rows, or of weight, is most of it."""

ONE = 1.5
"""Fewer effective keys are practically one: two keys that share as 86 % to 14 % make 1.5."""

FEW = 0.1
"""Fewer effective keys than this share of those that are seen are few."""

SMALL = 0.5
"""A value no longer than this share of the median one is small."""

SPAN = 1.96
"""Standard errors on either side in which 95 % of numbers lie."""


@dataclass(frozen=True)
class Measure:
    """One statistic of a card.

    Attributes:
        title: What it is.
        text: The number.
        share: How much of its gauge is filled, from 0 to 1.
        word: What the number means.
        tone: How grave that is.
    """

    title: str
    text: str
    share: float
    word: str
    tone: Tone


@dataclass(frozen=True)
class Card:
    """What is said of one head.

    Attributes:
        sentence: The answer.
        tone: How grave that is.
        measures: What it rests on; none while nothing is known.
    """

    sentence: str
    tone: Tone
    measures: Sequence[Measure] = ()


UNKNOWN = Card("Not looked at yet.", "calm")

MISSES = "Its weights miss the captured output, so these numbers may not be those of the model."
UNREAD = "Most of its rows meet NaN or infinity, so nothing can be said of it."
NOTHING = "No row of it sees several keys, so there is nothing to choose."
RESTING = "Saturated, but parked on the first key, whose value is small: a sink, so little is lost."
PARKED = "Saturated and parked on the first key: a sink, but one whose value is not small."
DEAD = "Saturated, and it matters: in {share} of its rows the gradient is dead."
ALIVE = "Saturated, yet it can still learn: the gradient is dead in {share} of its rows."
STUCK = "Not saturated on average, yet the gradient is dead in {share} of its rows."
UNEVEN = "Sharp, not saturated: a row puts {weight} on one key and the rest on others."
SPREAD = "Not saturated: a row shares its weight among about {keys} keys."
"""What is answered, in the order in which it is tried."""


def card(partial: Partial | None) -> Card:
    """Return what is said of a head of which so much is known."""
    if partial is None:
        return UNKNOWN
    weight = partial.value("max_weight")
    if isnan(weight.value):
        return Card(UNREAD if partial.not_finite else NOTHING, "calm")
    measures = (
        _largest(partial, weight), _keys(partial), _dead(partial), _first(partial), _score(partial),
    )  # fmt: skip
    if not partial.counts("max_weight"):
        return Card(MISSES if partial.misses("max_weight") else UNREAD, "alarm", measures)
    return Card(*_answer(partial, weight.value), measures)


def _answer(partial: Partial, weight: float) -> tuple[str, Tone]:
    dead = partial.value("dead_gradient_share").value
    share = percent(dead)
    if weight >= SATURATED and is_parked(partial):
        return (RESTING, "aside") if partial.first_value <= SMALL else (PARKED, "warm")
    if weight >= SATURATED:
        return (DEAD if dead > MOST else ALIVE).format(share=share), "alarm"
    if dead > MOST:
        return STUCK.format(share=share), "warm"
    if weight >= SHARP:
        return UNEVEN.format(weight=percent(weight)), "warm"
    keys = partial.value("effective_keys").value
    return SPREAD.format(keys=words.about(max(keys, 1.0))), "calm"


def is_parked(partial: Partial) -> bool:
    """Return whether most of the weight is on the first key."""
    return partial.value("first_key_mass").value > MOST


def state(partial: Partial) -> tuple[str, Tone]:
    """Return a head in a word: ``saturated``, ``sink``, ``sharp`` or ``spread``."""
    weight = partial.value("max_weight")
    if isnan(weight.value):
        return "–", "calm"
    if is_parked(partial) and weight.value >= SHARP:
        return _sure("sink", partial.value("first_key_mass"), MOST), "aside"
    if weight.value >= SATURATED:
        return _sure("saturated", weight, SATURATED), "alarm"
    if weight.value >= SHARP:
        return _sure(_sure("sharp", weight, SATURATED), weight, SHARP), "warm"
    return _sure("spread", weight, SHARP), "calm"


def _sure(word: str, value: Value, *limits: float) -> str:
    """Return a word, with a question mark where a limit lies within the interval of a value."""
    error = value.error or 0.0
    is_near = any(abs(value.value - limit) < SPAN * error for limit in limits)
    return f"{word}?" if is_near and not word.endswith("?") else word


def _largest(partial: Partial, weight: Value) -> Measure:
    tone: Tone
    if weight.value >= SATURATED:
        word, tone = "saturated", "alarm"
    elif weight.value >= SHARP:
        word, tone = "sharp", "warm"
    else:
        word, tone = "spread", "calm"
    word = _sure(word, weight, SATURATED, SHARP)
    return _measure(partial, "max_weight", "largest weight", weight.value, word, tone)


def _keys(partial: Partial) -> Measure:
    tone: Tone
    found, seen = partial.value("effective_keys"), partial.tallies["seen"].mean
    keys = found.value
    if keys < ONE:
        word, tone = "practically one", "alarm"
    elif keys < FEW * seen:
        word, tone = "few", "warm"
    else:
        word, tone = "many", "calm"
    word = _sure(word, found, ONE, FEW * seen)
    # The gauge is of what is not in use: fuller is sharper, as everywhere on the card.
    measure = _measure(partial, "effective_keys", "keys in use", 1.0 - keys / seen, word, tone)
    text = f"{words.about(max(keys, 1.0))} of {words.about(max(seen, 1.0))}"
    return Measure(measure.title, text, measure.share, measure.word, measure.tone)


def _dead(partial: Partial) -> Measure:
    tone: Tone
    share = partial.value("dead_gradient_share")
    if share.value > MOST:
        word, tone = "dead in most rows", "alarm"
    elif share.value > 0.0:
        word, tone = "alive in most rows", "calm"
    else:
        word, tone = "alive in every row", "good"
    if share.value == 0.0 and not partial.is_exact:
        word = "alive in every row seen"
    word = _sure(word, share, MOST)
    return _measure(partial, "dead_gradient_share", "dead gradient", share.value, word, tone)


def _first(partial: Partial) -> Measure:
    tone: Tone
    mass, small = partial.value("first_key_mass"), partial.first_value <= SMALL
    if mass.value <= MOST:
        word, tone = "not parked", "calm"
    elif small:
        word, tone = "a sink at rest", "aside"
    else:
        word, tone = "parked: a sink", "aside"
    word = _sure(word, mass, MOST)
    return _measure(partial, "first_key_mass", "on first key", mass.value, word, tone)


def _score(partial: Partial) -> Measure:
    tone: Tone
    score, bound = partial.value("largest_score").value, partial.score_bound
    if score > FLOAT16_LARGEST:
        word, tone = "too large for float16", "alarm"
    elif partial.is_exact or bound <= FLOAT16_LARGEST:
        word, tone = "safe in float16", "good"
    else:
        word, tone = "safe as far as seen", "calm"
    share = score / FLOAT16_LARGEST
    measure = _measure(partial, "largest_score", "largest q·k", share, word, tone)
    sign = "" if partial.is_exact else "≥ "
    return Measure(measure.title, sign + words.amount(score), share, measure.word, measure.tone)


def _measure(
    partial: Partial, name: str, title: str, share: float, word: str, tone: Tone
) -> Measure:
    """Return a measure; of a number that does not count it has no word but that."""
    text = percent(share)
    if not partial.counts(name):
        text, word, tone = text + UNCOUNTED, "does not count", "calm"
    return Measure(title, text, min(max(share, 0.0), 1.0), word, tone)


def percent(share: float) -> str:
    """Return a share: ``62 %``, ``99.9 %``, ``~100 %``, and ``100 %`` only where it is exact."""
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    if share >= ALL:
        return "~100 %"
    hundredths = 100.0 * share
    if hundredths < 0.05:
        return "~0 %"
    return f"{hundredths:.0f} %" if 0.95 <= hundredths <= 99.0 else f"{hundredths:.1f} %"
