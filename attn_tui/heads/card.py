"""What five statistics say of a head: is it saturated, and does it matter?

Each word has a threshold with a reason, which `help/heads-card.md` gives. A word whose threshold
lies within the 95 % interval of what was sampled has a question mark.
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
from attn_tui.compute.heads.statistic import ALL, FLOAT16_LARGEST, SATURATED
from attn_tui.heads.words import UNCOUNTED
from attn_tui.report import words

Tone = Literal["calm", "warm", "alarm", "good", "aside"]
"""How grave a word is: grey, amber, red, green, or the muted colour of a sink."""

SHARP = 0.5
"""The largest weight from which on one key has more than all the others together."""

MOST = nextafter(0.5, 1.0)
"""The smallest share of rows, or of weight, that is most of it: more than half."""

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
    measures = (*_measures(partial),)
    if not partial.counts("max_weight"):
        return Card(MISSES if partial.misses("max_weight") else UNREAD, "alarm", measures)
    return Card(*_answer(partial, weight.value), measures)


def _answer(partial: Partial, weight: float) -> tuple[str, Tone]:
    dead = partial.value("dead_gradient_share").value
    share = percent(dead)
    if weight >= SATURATED and is_parked(partial):
        return (RESTING, "aside") if partial.first_value <= SMALL else (PARKED, "warm")
    if weight >= SATURATED:
        return (DEAD if dead >= MOST else ALIVE).format(share=share), "alarm"
    if dead >= MOST:
        return STUCK.format(share=share), "warm"
    if weight >= SHARP:
        return UNEVEN.format(weight=percent(weight)), "warm"
    keys = partial.value("effective_keys").value
    return SPREAD.format(keys=words.about(max(keys, 1.0))), "calm"


def is_parked(partial: Partial) -> bool:
    """Return whether most of the weight is on the first key."""
    return partial.value("first_key_mass").value >= MOST


Step = tuple[float, str, Tone]
"""From which value on a statistic has a word, and how grave that is."""

LARGEST: Sequence[Step] = ((SATURATED, "saturated", "alarm"), (SHARP, "sharp", "warm"))


def _word(value: Value, steps: Sequence[Step], word: str, tone: Tone) -> tuple[str, Tone]:
    """Return the word of the first step that a value reaches, else another.

    It has a question mark where a step lies within the interval of the value.
    """
    error = value.error or 0.0
    is_near = any(abs(value.value - step) < SPAN * error for step, *_ in steps)
    for step, own, own_tone in steps:
        if value.value >= step:
            word, tone = own, own_tone
            break
    return f"{word}?" if is_near else word, tone


def state(partial: Partial) -> tuple[str, Tone]:
    """Return a head in a word: ``saturated``, ``sink``, ``sharp`` or ``spread``."""
    weight = partial.value("max_weight")
    if isnan(weight.value):
        return "–", "calm"
    if is_parked(partial) and weight.value >= SHARP:
        return _word(partial.value("first_key_mass"), ((MOST, "sink", "aside"),), "", "calm")
    return _word(weight, LARGEST, "spread", "calm")


def _measures(partial: Partial) -> Iterator[Measure]:
    """Yield what the five statistics of a head are, and mean."""
    weight, keys, dead, first = (
        partial.value(name)
        for name in ("max_weight", "effective_keys", "dead_gradient_share", "first_key_mass")
    )
    yield _measure(
        partial, "max_weight", "largest weight", percent(weight.value), weight.value,
        *_word(weight, LARGEST, "spread", "calm"),
    )  # fmt: skip
    seen = partial.tallies["seen"].mean
    # The gauge is of what is not in use: fuller is sharper, as everywhere on the card.
    fewness = Value(-keys.value, keys.error)
    steps: Sequence[Step] = ((-ONE, "practically one", "alarm"), (-FEW * seen, "few", "warm"))
    text = f"{words.about(max(keys.value, 1.0))} of {words.about(max(seen, 1.0))}"
    yield _measure(
        partial, "effective_keys", "keys in use", text, 1.0 - keys.value / seen,
        *_word(fewness, steps, "many", "calm"),
    )  # fmt: skip
    steps = ((MOST, "dead in most rows", "alarm"),)
    if dead.value > 0.0:
        found = _word(dead, steps, "alive in most rows", "calm")
    elif partial.is_exact:
        found = "alive in every row", "good"
    else:
        found = _word(dead, steps, "alive in every row seen", "good")
    yield _measure(
        partial, "dead_gradient_share", "dead gradient", percent(dead.value), dead.value, *found
    )
    sink = "a sink at rest" if partial.first_value <= SMALL else "parked: a sink"
    yield _measure(
        partial, "first_key_mass", "on first key", percent(first.value), first.value,
        *_word(first, ((MOST, sink, "aside"),), "not parked", "calm"),
    )  # fmt: skip
    score = partial.value("largest_score").value
    sign = "" if partial.is_exact else "≥ "
    if score > FLOAT16_LARGEST:
        found = "too large for float16", "alarm"
    elif partial.is_exact or partial.score_bound <= FLOAT16_LARGEST:
        found = "safe in float16", "good"
    else:
        found = "safe as far as seen", "calm"
    yield _measure(
        partial, "largest_score", "largest q·k", sign + words.amount(score),
        score / FLOAT16_LARGEST, *found,
    )  # fmt: skip


def _measure(
    partial: Partial, name: str, title: str, text: str, share: float, word: str, tone: Tone
) -> Measure:
    """Return a measure; of a number that does not count it has no word but that."""
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


TONES: Mapping[Tone, float] = {"warm": 0.89, "alarm": 1.0}
"""Where on the warning ramp words have their colour."""

GAUGE, GAP = 6, 2
"""Columns of a gauge, and between a number and what follows."""

EIGHTHS = " ▏▎▍▌▋▊▉█"
"""Parts of a cell, from left to right."""


@dataclass(frozen=True, eq=False)
class CardDrawing:
    """The card of a head: the answer, and below it five numbers with a gauge and a word each.

    Attributes:
        card: What it says.
    """

    card: Card

    def draw(self, columns: int, lines: int, colours: Palette) -> Cells:
        """Draw as much as there is room for: first the gauges go, then words go a line below."""
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
        beside = titles + numbers + longest + GAP
        gauge = GAUGE if columns >= beside + GAUGE + 1 else 0
        is_beside = columns >= beside
        # Where there is no room for words, numbers have their colours.
        is_bare = not is_beside and lines - line < 2 * len(measures)
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
                whole, rest = divmod(eighths, 8)
                bar = EIGHTHS[8] * whole + EIGHTHS[rest].strip()
                cells.write(end + 1, line, TRACK * GAUGE, colours["muted"])
                cells.write(end + 1, line, bar, tone_colour(measure.tone, colours))
            column = end + 1 + (gauge + 1 if gauge else 0)
            if not is_beside:
                column, line = 2, line + 1
            cells.write(column, line, measure.word, tone_colour(measure.tone, colours))
            line += 1
        return cells


def tone_colour(tone: Tone, colours: Palette) -> str:
    """Return the colour of a word, legible on the background."""
    if tone == "good":
        return colours["larger"]
    if tone == "aside":
        return colours["scaled"]
    if tone == "calm" or colours.textured:
        return colours["text"]
    return level_colour(TONES[tone], colours)


def level_colour(level: float, colours: Palette) -> str:
    """Return the colour of a text about a place on the warning ramp, legible on the background."""
    if colours.textured:
        return colours["text"]
    steps = colours.ramp("saturation")
    own = steps[round(min(max(level, 0.0), 1.0) * (len(steps) - 1))]
    return legible(own, colours["background"], colours.depth)
