"""The headline of Attention: how queries spread their weight, unscaled and under the scale.

Each sentence is one literal with named slots. Typical means the median over the queries that see
several keys: the first query of a causal head has nothing to choose.
"""

import re
from dataclasses import dataclass
from math import exp, expm1, inf, isinf, isnan, log, log10, nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.attention.answer import MOVED, Answer, log_factors, moved
from attn_tui.compute.attention.rows import Side
from attn_tui.compute.numbers import about, whole
from attn_tui.report.words import ALL, LONGEST, SAME, UNTOLD, done, why_undivided

MOST_NUMBERS = 5
"""The most numbers that a headline may have, not counting the name of a key."""

NUMBER, KEY = re.compile(r"[0-9][0-9,.]*"), re.compile(r"key [0-9,]+")

NOTHING_TO_CHOOSE = "{subject}, and every gradient is 0: there is nothing to choose."
NO_NUMBERS = "Every query meets NaN or infinity, or overflows its format, and has no weights."
SOME_NUMBERS = (
    "{odd} of {n} queries meet NaN or infinity, or overflow their format, and have no weights. "
    "Unscaled, {before} {give} {one} practically all."
)
PINNED = (
    "Pinned, {subject} {first_keys} of the keys it sees. Now it uses {keys}; the "
    "largest weight moves by over {points} points in {moved} of {n} queries."
)
UNDIVIDED = (
    "Nothing is divided here ({why}), so both maps are the same: {before} {give} {one} practically "
    "all the weight."
)
SATURATED = (
    "Unscaled, {before} {give} {one} practically all. {done} {again} {keys} {keys_word}; "
    "{gradients}."
)
SHARED = "{even} {subject} {first_keys} of the keys it sees. {done} it uses {keys}; {gradients}."
"""The sentences, in the order in which they are tried."""


@dataclass(frozen=True)
class Phrases:
    """What sentences say of queries with a choice.

    Attributes:
        subject: Who uses keys.
        again: The same, where the sentence before is about it.
        stays_0: That gradients are 0 on both sides.
        stays: That they do not change.
        leaves_0: That they were 0.
        becomes_0: That they become 0.
        becomes: By how much they change.
    """

    subject: str
    again: str
    stays_0: str
    stays: str
    leaves_0: str
    becomes_0: str
    becomes: str


OF_MANY = Phrases(
    subject="a query typically uses",
    again="a query typically uses",
    stays_0="every gradient stays 0",
    stays="gradients typically stay about the same",
    leaves_0="most gradients are no longer exactly 0",
    becomes_0="most gradients become exactly 0",
    becomes="most gradients become over {least} {way}",
)
OF_ONE = Phrases(
    subject="the one query with a choice uses",
    again="it uses",
    stays_0="its gradient stays 0",
    stays="its gradient stays about the same",
    leaves_0="its gradient is no longer exactly 0",
    becomes_0="its gradient becomes exactly 0",
    becomes="its gradient becomes over {least} {way}",
)


@dataclass(frozen=True, eq=False)
class Sharing:
    """How the queries that have a choice share their weight on one side.

    Attributes:
        side: The side.
        rows: The queries that have a choice, shape (n,).
        attended: The number of keys that each query sees, shape (n_q,).
    """

    side: Side
    rows: NDArray[np.intp]
    attended: NDArray[np.intp]

    @property
    def _single(self) -> NDArray[np.intp]:
        """The queries that give one key practically all their weight."""
        return self.rows[self.side.largest[self.rows] >= ALL]

    @property
    def single(self) -> int:
        """The number of queries that give one key practically all their weight."""
        return int(self._single.size)

    @property
    def is_saturated(self) -> bool:
        """Whether most queries give one key practically all their weight."""
        return 2 * self.single > self.rows.size

    @property
    def is_shared(self) -> bool:
        """Whether a query typically uses at least half of the keys it sees."""
        return median(self.side.effective_keys[self.rows] / self.attended[self.rows]) >= 0.5

    @property
    def effective(self) -> float:
        """The median of the effective keys."""
        return median(self.side.effective_keys[self.rows])

    @property
    def one(self) -> str:
        """The words for the key that takes it all, by name if it is the same in several queries."""
        keys = np.unique(self.side.key[self._single])
        return f"key {keys[0]:,}" if keys.size == 1 < self.single else "one key"

    @property
    def keys(self) -> str:
        """The number of keys a query typically uses, as text; whole from 3 on."""
        value = self.effective
        if value < 1.05:
            return "about one"
        return f"about {about(round(value) if value >= 2.95 else value)}"


def headline(answer: Answer) -> str:
    """Return the headline for the rows known so far."""
    answered = answer.answered
    if not answer.attended[answered].any():
        return NOTHING_TO_CHOOSE.format(subject="Every key is masked for every query")
    is_undefined = np.isnan(answer.unscaled.largest) | np.isnan(answer.scaled.largest)
    odd = int((answer.odd | is_undefined)[answered].sum())
    rows = answer.choosing[~is_undefined[answer.choosing]]
    if not (rows.size or odd):
        return NOTHING_TO_CHOOSE.format(subject="No query sees more than one key")
    if odd == answer.done:
        return NO_NUMBERS
    first, second = (Sharing(side, rows, answer.attended) for side in answer.sides)
    phrases = OF_ONE if answer.is_of_one else OF_MANY
    slots = {
        "subject": phrases.subject, "again": phrases.again,
        "odd": f"{odd:,}", "n": f"{answer.done:,}",
        "one": first.one if first.single else "one key",
        "before": among(first.single, rows.size),
        "give": "give" if first.single > 1 else "gives",
        "first_keys": first.keys, "keys": second.keys,
        "keys_word": "key" if second.keys == "about one" else "keys",
        "why": why_undivided(answer.head.setup.scale), "points": whole(100.0 * MOVED),
        "moved": f"{moved(answer):,}" if moved(answer) else "none", "gradients": gradients(answer),
        "even": "Even unscaled" if first.is_shared else "Unscaled,",
    }  # fmt: skip
    if odd:
        sentence = SOME_NUMBERS
    elif answer.pinned is not None:
        sentence = PINNED
    elif answer.nothing_is_done:
        sentence = UNDIVIDED
    elif first.is_saturated:
        sentence = SATURATED
    else:
        sentence = SHARED
    text = sentence.format(**slots, done=done_to(answer))
    if len(text) <= LONGEST and len(NUMBER.findall(KEY.sub("", text))) <= MOST_NUMBERS:
        return text
    return sentence.format(**slots, done="Scaled")


def among(number: int, of: int) -> str:
    """Return a number of the queries with a choice as words: ``9 of 11 queries with a choice``."""
    if not number:
        return "no query with a choice"
    if of == 1:
        return "the one query with a choice"
    if number == of:
        return f"all {of:,} queries with a choice"
    return f"{number:,} of {of:,} queries with a choice"


def median(values: NDArray[np.float64]) -> float:
    """Return the median, halfway between two middle values; NaN if there are no values.

    >>> median(np.array([11.0, 5.66])), median(np.array([-inf, inf]))
    (8.33, -inf)
    """
    if not values.size:
        return nan
    ordered = np.sort(values)
    low, high = float(ordered[(values.size - 1) // 2]), float(ordered[values.size // 2])
    # Halfway between two infinities there is no number.
    return low if low == high or isinf(low) else (low + high) / 2.0


def gradients_span(answer: Answer) -> tuple[float, float, float] | None:
    """Return the quartiles of ln of the factor by which the gradient changes.

    None if the gradient is 0 on both sides in every query that has a choice.
    """
    logs = np.sort(log_factors(answer))
    logs = logs[~np.isnan(logs)]
    if not logs.size:
        return None
    quarter = (logs.size - 1) // 4
    return float(logs[quarter]), median(logs), float(logs[-1 - quarter])


def gradients(answer: Answer) -> str:
    """Return how at least three gradients in four change, or the only one, as a clause."""
    span = gradients_span(answer)
    phrases = OF_ONE if answer.is_of_one else OF_MANY
    if span is None:
        return phrases.stays_0
    low, middle, high = span
    least = low if middle > 0.0 else high
    if abs(middle) < SAME:
        return phrases.stays
    if least * middle <= 0.0 or abs(least) < SAME:
        return "some gradients grow, others shrink"
    if least == inf:
        return phrases.leaves_0
    if least == -inf:
        return phrases.becomes_0
    way = "larger" if least > 0.0 else "smaller"
    return phrases.becomes.format(least=_at_least(least), way=way)


def _at_least(log_factor: float) -> str:
    """Return the size of a change from its logarithm, rounded down to two digits.

    >>> _at_least(log(510.6)), _at_least(log(1.25)), _at_least(-log(1.25)), _at_least(20.0)
    ('510 times', '25 %', '20 %', 'a million times')
    """
    if abs(log_factor) > UNTOLD:
        return "a million times"
    if abs(log_factor) < log(2.0):
        return f"{whole(int(100.0 * abs(expm1(log_factor)) + 1e-9))} %"
    size = exp(abs(log_factor))
    unit = 10.0 ** (int(log10(size)) - 1)
    return f"{about(int(size / unit + 1e-9) * unit)} times"


def done_to(answer: Answer) -> str:
    """Return what the scale did to the scores, with the number itself if all rows share one."""
    setup = answer.head.setup
    scale = setup.scale
    ms = {*answer.scaled.multiplier[answer.choosing].tolist()}
    text = f"Multiplied by {scale.formula}"
    if len(ms) == 1 and not isnan(next(iter(ms))):
        n_keys = int(answer.attended[answer.choosing[0]])
        text = done(scale.logit_map(setup.d_k, n_keys))
    has_sink = scale.sink is not None and text != "With a sink"
    return f"{text} with a sink" if has_sink else text
