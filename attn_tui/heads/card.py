"""Judge a head by five statistics: is it saturated, and does it matter?

`help/heads-card.md` gives the threshold of each word, and the reason for it. A word gets a question
mark if its threshold lies within the 95 % interval of the sampled value.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nextafter
from textwrap import wrap
from typing import Literal

from attn_tui.charts.cells import Cells
from attn_tui.charts.colour import Palette, legible
from attn_tui.charts.glyphs import TRACK
from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.statistic import FLOAT16_LARGEST, SATURATED
from attn_tui.compute.numbers import about, amount, rough_percent
from attn_tui.heads.words import UNCOUNTED

Tone = Literal["calm", "warm", "alarm", "good", "aside"]
"""How grave a word is: grey, amber, red, green, or the muted colour of a sink."""

MOST = nextafter(0.5, 1.0)
"""The smallest share of rows, or of weight, that counts as most: more than half."""

SHARP = MOST
"""The largest weight from which on one key has more weight than all others together."""

ONE = 1.5
"""Fewer effective keys count as one: two keys with 86 % and 14 % of the weight make 1.5."""

FEW = 0.1
"""Fewer effective keys than this share of the keys a row sees count as few."""

SMALL = 0.5
"""A value vector of at most this share of the median length counts as small."""

SPAN = 1.96
"""Standard errors on either side of the mean that hold 95 % of a normal distribution."""


@dataclass(frozen=True)
class Measure:
    """One statistic of a card.

    Attributes:
        title: The name of the statistic.
        text: The number.
        share: The share of its gauge that is filled, from 0 to 1.
        word: The meaning of the number, in a word or two.
        tone: How grave the word is.
    """

    title: str
    text: str
    share: float
    word: str
    tone: Tone


@dataclass(frozen=True)
class Card:
    """The verdict on one head.

    Attributes:
        sentence: The verdict.
        tone: How grave it is.
        measures: The statistics it rests on; empty while nothing is known.
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
"""The verdicts, in the order in which they are tried."""


def card(partial: Partial | None) -> Card:
    """Return the card for a head's statistics so far, or for None before there are any."""
    if partial is None:
        return UNKNOWN
    weight = partial.value("max_weight")
    if isnan(weight.value):
        return Card(UNREAD if partial.not_finite else NOTHING, "calm")
    measures = (*_measures(partial),)
    if not partial.counts("max_weight"):
        return Card(MISSES if partial.misses("max_weight") else UNREAD, "alarm", measures)
    return Card(*_answer(partial, weight.value), measures)


def _answer(partial: Partial, weight: float) -> tuple[str, Tone]:
    dead = partial.value("dead_gradient_share").value
    share = rough_percent(dead)
    if weight >= SATURATED and is_parked(partial):
        return (RESTING, "aside") if partial.first_value <= SMALL else (PARKED, "warm")
    if weight >= SATURATED:
        return (DEAD if dead >= MOST else ALIVE).format(share=share), "alarm"
    if dead >= MOST:
        return STUCK.format(share=share), "warm"
    if weight >= SHARP:
        return UNEVEN.format(weight=rough_percent(weight)), "warm"
    keys = partial.value("effective_keys").value
    return SPREAD.format(keys=about(max(keys, 1.0))), "calm"


def is_parked(partial: Partial) -> bool:
    """Return whether the head puts most of its weight on the first key by choice.

    Under a causal mask, the first rows have no other key, or few: among few rows, equal weights
    put most of theirs on it, too.
    """
    is_sharp = partial.value("max_weight").value >= SHARP
    return is_sharp and partial.value("first_key_mass").value >= MOST


Threshold = tuple[float, str, Tone]
"""The value from which on a statistic has a word, the word, and how grave it is."""

LARGEST: Sequence[Threshold] = ((SATURATED, "saturated", "alarm"), (SHARP, "sharp", "warm"))


def _word(value: Value, steps: Sequence[Threshold], word: str, tone: Tone) -> tuple[str, Tone]:
    """Return the word and tone of the first step that a value reaches, else those given.

    The word ends in a question mark if a step lies within the 95 % interval of the value.
    """
    error = value.error or 0.0
    is_close = any(abs(value.value - step) < SPAN * error for step, *_ in steps)
    for step, step_word, step_tone in steps:
        if value.value >= step:
            word, tone = step_word, step_tone
            break
    return f"{word}?" if is_close else word, tone


def state(partial: Partial) -> tuple[str, Tone]:
    """Return a word for a head, ``saturated``, ``sink``, ``sharp`` or ``spread``, and its tone."""
    weight = partial.value("max_weight")
    if isnan(weight.value):
        return "–", "calm"
    if is_parked(partial):
        return _word(partial.value("first_key_mass"), ((MOST, "sink", "aside"),), "", "calm")
    return _word(weight, LARGEST, "spread", "calm")


def _measures(partial: Partial) -> Iterator[Measure]:
    """Yield the five measures of a head, with their words."""
    weight, keys, dead, first = (
        partial.value(name)
        for name in ("max_weight", "effective_keys", "dead_gradient_share", "first_key_mass")
    )
    yield _measure(
        partial, "max_weight", "largest weight", rough_percent(weight.value), weight.value,
        *_word(weight, LARGEST, "spread", "calm"),
    )  # fmt: skip
    seen = partial.tallies["seen"].mean
    # The gauge shows the keys not in use: fuller means sharper, as everywhere on the card.
    fewness = Value(-keys.value, keys.error)
    steps: Sequence[Threshold] = ((-ONE, "practically one", "alarm"), (-FEW * seen, "few", "warm"))
    text = f"{about(max(keys.value, 1.0))} of {about(max(seen, 1.0))}"
    yield _measure(
        partial, "effective_keys", "keys in use", text, 1.0 - keys.value / seen,
        *_word(fewness, steps, "many", "calm"),
    )  # fmt: skip
    steps = ((MOST, "dead in most rows", "alarm"),)
    share = rough_percent(dead.value)
    if dead.value > 0.0:
        verdict = _word(dead, steps, "alive in most rows", "calm")
    elif partial.is_exact:
        verdict = "alive in every row", "good"
    else:
        verdict = _word(dead, steps, "alive in every row seen", "good")
    yield _measure(partial, "dead_gradient_share", "dead gradient", share, dead.value, *verdict)
    sink = "a sink at rest" if partial.first_value <= SMALL else "parked: a sink"
    steps = ((MOST, sink, "aside"),) if weight.value >= SHARP else ()
    yield _measure(
        partial, "first_key_mass", "on first key", rough_percent(first.value), first.value,
        *_word(first, steps, "not parked", "calm"),
    )  # fmt: skip
    score = partial.value("largest_score").value
    sign = "" if partial.is_exact else "≥ "
    if score > FLOAT16_LARGEST:
        verdict = "too large for float16", "alarm"
    elif partial.is_exact or partial.score_bound <= FLOAT16_LARGEST:
        verdict = "safe in float16", "good"
    else:
        verdict = "safe as far as seen", "calm"
    yield _measure(
        partial, "largest_score", "largest q·k", sign + amount(score),
        score / FLOAT16_LARGEST, *verdict,
    )  # fmt: skip


def _measure(
    partial: Partial, name: str, title: str, text: str, share: float, word: str, tone: Tone
) -> Measure:
    """Return a measure; a number that does not count gets no other word than that."""
    if not partial.counts(name):
        text, word, tone = text + UNCOUNTED, "does not count", "calm"
    return Measure(title, text, min(max(share, 0.0), 1.0), word, tone)


TONES: Mapping[Tone, float] = {"warm": 0.89, "alarm": 1.0}
"""The places on the warning ramp, from 0 to 1, that give words their colour."""

GAUGE, GAP = 6, 2
"""The width of a gauge, and of the gap after a number, in columns."""

EIGHTHS = " ▏▎▍▌▋▊▉█"
"""Parts of a cell, from left to right."""


@dataclass(frozen=True, eq=False)
class CardDrawing:
    """The card of a head: the verdict, and below it five numbers with a gauge and a word each.

    Attributes:
        card: The card that is drawn.
    """

    card: Card

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw what fits: gauges are dropped first, then words move to lines of their own or go."""
        cells = Cells(columns, lines)
        line = 0
        for text in wrap(self.card.sentence, max(columns, 1)):
            cells.write(0, line, text, tone_colour(self.card.tone, colours))
            line += 1
        measures = self.card.measures
        if not measures:
            return cells
        # A blank line, if there is one to spare.
        line += int(line + len(measures) < lines)
        titles, numbers, longest = (
            max(len(getattr(measure, part)) for measure in measures)
            for part in ("title", "text", "word")
        )
        wide = titles + numbers + longest + GAP
        gauge = GAUGE if columns >= wide + GAUGE + 1 else 0
        is_wide = columns >= wide
        # Without room for words, the numbers take the colours of the words.
        is_bare = not is_wide and lines - line < 2 * len(measures)
        end = titles + 1 + numbers
        for measure in measures:
            cells.write(0, line, measure.title, colours["muted"])
            colour = tone_colour(measure.tone, colours) if is_bare else colours["text"]
            cells.write(end - len(measure.text), line, measure.text, colour)
            if is_bare:
                line += 1
                continue
            if gauge:
                eighths = max(round(measure.share * GAUGE * 8), int(measure.share > 0.0))
                full, rest = divmod(eighths, 8)
                bar = EIGHTHS[8] * full + EIGHTHS[rest].strip()
                cells.write(end + 1, line, TRACK * GAUGE, colours["muted"])
                cells.write(end + 1, line, bar, tone_colour(measure.tone, colours))
            column = end + 1 + (gauge + 1 if gauge else 0)
            if not is_wide:
                column, line = 2, line + 1
            cells.write(column, line, measure.word, tone_colour(measure.tone, colours))
            line += 1
        return cells


def tone_colour(tone: Tone, colours: Palette) -> str:
    """Return the colour of a tone, legible on the background."""
    if tone == "good":
        return colours["larger"]
    if tone == "aside":
        return colours["scaled"]
    if tone == "calm" or colours.textured:
        return colours["text"]
    return level_colour(TONES[tone], colours)


def level_colour(level: float, colours: Palette) -> str:
    """Return the colour of a place on the warning ramp, from 0 to 1, legible as text."""
    if colours.textured:
        return colours["text"]
    steps = colours.ramp("saturation")
    colour = steps[round(min(max(level, 0.0), 1.0) * (len(steps) - 1))]
    return legible(colour, colours["background"], colours.depth)
