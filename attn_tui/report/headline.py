"""A headline: what is said first, in two lengths, and its words for shares and factors."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, floor, inf, isnan, log, log10, nan
from textwrap import wrap

from attn_tui.compute.dead import DEAD
from attn_tui.compute.logit_map import LogitMap
from attn_tui.compute.sweep.summary import SPAN
from attn_tui.report.numbers import general
from attn_tui.report.rows import cells

FULL, SHORT = 78, 38
"""Columns of each of the two lines of a headline, at full length and where there is little room."""

ALL = 0.9995
"""A larger share is said to be practically all."""

_LARGEST = log(1e6)
"""Factors of which the logarithm is larger are not spelled out."""

SAME = log(1.05)
"""A factor of which the logarithm is smaller stays the same."""

ROUGH, WIDE = 0.05, log(1.5)
"""A factor with a larger relative error is said to be about so; of one whose 95 % interval spans
more than the other, by its logarithm, the interval is said."""

FEW, SOME = 0.2, 0.02
"""With a larger relative error a factor has one digit, or two."""

FAR = log(1.25)
"""A factor that may be so much above or below 1, by its logarithm, does not stay the same."""

DIVISORS = {"inverse-sqrt": "√d_k", "inverse": "d_k"}
"""What rules divide by, where there is a symbol for it."""

GRADIENTS: Mapping[str, str] = {
    **dict.fromkeys(("scores", "gradient"), "gradient"),
    **dict.fromkeys(("logits", "jacobian"), "gradient by logits"),
    "query_gradient": "gradient at the query",
    "trace": "trace of the Jacobian",
}
"""What gradients are called, by what they are with respect to and by statistics of Sweep."""

_TOGETHER = re.compile(r"(?<=[\d)]) (?=%|times\b)|(?<=[=±÷×]) | (?=[=±÷×])|(?<=[Kk]ey) (?=\d)")
"""Blanks at which no line ends."""


@dataclass(frozen=True)
class Headline:
    """One or two sentences in plain words, each length in two lines.

    Attributes:
        full: At most two lines of `FULL` columns.
        short: At most two lines of `SHORT` columns.
    """

    full: str
    short: str

    @classmethod
    def fitting(cls, fulls: Iterable[str], shorts: Iterable[str]) -> "Headline":
        """Return the first of each that fits; the last of each must."""
        return cls(_first(fulls, FULL), _first(shorts, SHORT))

    def text(self, width: int) -> str:
        """Return the lines as text that ends with a line break."""
        return "\n".join(self.lines(width)) + "\n"

    def lines(self, width: int) -> list[str]:
        """Return the longer one in lines of a width if it takes two at most, or else the shorter.

        Where even that takes more, it is cut with an ellipsis.
        """
        for text in (self.full, self.short):
            if len(lines := wrapped(text, width)) <= 2:
                first, stop, rest = text.partition(". ")
                apart = [first + stop.rstrip(), rest]
                # A sentence a line, where each has room.
                return apart if rest and max(map(cells, apart)) <= width else lines
        return wrapped(self.short, width, most=2)


def _first(texts: Iterable[str], width: int) -> str:
    last = ""
    for last in texts:
        if len(wrapped(last, width)) <= 2:
            return last
    return " ".join(wrapped(last, width, most=2))


def wrapped(text: str, width: int, most: int | None = None) -> list[str]:
    """Return text in lines, numbers with their units; of too many the rest is an ellipsis."""
    held = _TOGETHER.sub("\N{NO-BREAK SPACE}", text)
    lines = wrap(held, max(width, 10), max_lines=most, placeholder=" …", break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def percent(share: float) -> str:
    """Return a share as a person would say it: ``62 %``, ``99.9 %``, ``0.6 %``; never 100 or 0."""
    hundredths = 100.0 * share
    if share >= ALL:
        return "practically all"
    if hundredths > 99.0 or hundredths < 0.95:
        text = f"{hundredths:.1f}"
        return f"{text} %" if float(text) else "almost none"
    return f"{hundredths:.0f} %"


def rounded(value: float) -> str:
    """Return a number above 0 to two digits, with its thousands marked: ``6.5``, ``210``."""
    short = float(f"{value:.2g}")
    return f"{short:,.0f}" if short >= 10.0 else f"{short:g}"


def setting(value: float) -> str:
    """Return a setting to three digits, without a power of ten where it can be: ``1,024``."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else general(value, 3)


def done(
    to_logits: LogitMap,
    write: Callable[[float], str] = setting,
    words: Sequence[str] = ("Divided by", "Multiplied by", "Capped at", "With a sink"),
) -> str:
    """Return what was done to the scores: ``Divided by 32 and capped at 50``.

    Args:
        to_logits: What was done.
        write: Returns a number as text.
        words: What stands before each number, and what is said where there is none.
    """
    m, (divided, multiplied, capped, otherwise) = to_logits.multiplier, words
    parts = [f"{multiplied} {write(m)}"] if m != 1.0 else []
    if 0.0 < m < 1.0 and 1.0 / m < inf:
        parts = [f"{divided} {write(1.0 / m)}"]
    if to_logits.softcap is not None:
        parts.append(f"{capped} {write(to_logits.softcap)}")
    return " and ".join(parts).capitalize() or otherwise


@dataclass(frozen=True)
class Factor:
    """What something does to a number.

    Attributes:
        log: The logarithm of the number afterwards less that before; NaN if unknown.
        error: Its standard error; 0 if it is exact, NaN if that is not known.
        after: The logarithm of the number afterwards, where that is known.
    """

    log: float
    error: float = 0.0
    after: float = nan

    @classmethod
    def between(cls, before: float, after: float) -> "Factor":
        """Return the factor between two numbers whose logarithms are given; NaN from 0 to 0."""
        change = after - before if -inf not in (before, after) else _from_zero(before, after)
        return cls(change, after=after)

    @property
    def known(self) -> bool:
        """Whether there is a factor."""
        return not isnan(self.log)

    @property
    def stays(self) -> bool:
        """Whether it changes the number by less than 5 %, or by less than can be told."""
        low, high = self.ends
        return not (abs(self.log) > SAME and (low > 0.0 or high < 0.0))

    @property
    def ends(self) -> tuple[float, float]:
        """Where its logarithm lies, 95 times in 100."""
        apart = SPAN * self.error
        return self.log - apart, self.log + apart

    @property
    def is_open(self) -> bool:
        """Whether what can be told leaves it open that the number becomes larger, or smaller."""
        return self.known and self.stays and max(map(abs, self.ends)) > FAR

    @property
    def back(self) -> bool:
        """Whether the number becomes over a million times larger."""
        return self.log > _LARGEST

    @property
    def many(self) -> str:
        """How many times, as far as the error tells: ``24``, ``about 26``, ``6.7 to 23``."""
        size = abs(self.log)
        low, top = sorted(map(abs, self.ends))
        if size > _LARGEST:
            return "over a million"
        if not top - low > WIDE:
            rough = top - low >= 2.0 * SPAN * ROUGH
            return "about " * rough + rounded(exp(size))
        least = rounded(exp(low))
        return f"over {least}" if top > _LARGEST else f"{least} to {rounded(exp(top))}"

    @property
    def digits(self) -> int:
        """How many digits its error leaves: one to three, but two below 2, for 1.4 is not 1."""
        if abs(self.log) < log(1.95):
            return 2
        if self.error <= SOME:
            return 3
        return 2 if self.error <= FEW else 1

    @property
    def size(self) -> float:
        """How many times, 1 or more, with so many digits; infinite where float64 ends."""
        size = exp(abs(self.log)) if abs(self.log) < 700.0 else inf
        return float(f"{size:.{self.digits}g}")

    @property
    def way(self) -> str:
        """Its direction: ``larger``."""
        return "larger" if self.log > 0 else "smaller"

    @property
    def times(self) -> str:
        """How many times, with its direction: ``24 times larger``."""
        return f"{self.many} times {self.way}"

    @property
    def at_least(self) -> str:
        """How many times, of a factor that others exceed: ``over 6.7 times``."""
        size = exp(abs(self.log)) if abs(self.log) < _LARGEST else inf
        least = "a million"
        if size < inf:
            short = float(f"{size:.2g}")
            step = 10.0 ** (floor(log10(size)) - 1)
            least = rounded(short if short <= size else short - step)
        return f"over {least} times"

    @property
    def word(self) -> str:
        """What the number is afterwards, in as few words as can be: ``back``, ``the same``."""
        if not self.known:
            return "unknown"
        if self.many == "over a million":
            if self.log < 0:
                return "gone"
            if self.after < -_LARGEST:
                return "still almost nothing"
            return "larger, but still small" if self.after < log(DEAD) else "back"
        if not self.is_open:
            return "about the same" if self.stays else self.times
        if max(map(abs, self.ends)) > _LARGEST:
            return "far smaller or larger"
        low, high = (rounded(exp(end)) for end in self.ends)
        return f"{low} to {high} times as large"

    @property
    def verb(self) -> str:
        """What goes before the word: ``is`` back, ``stays`` about the same."""
        return "stays" if self.stays and not self.is_open else "is"

    @property
    def becomes(self) -> str:
        """The same with its verb: ``is 24 times larger``, ``stays about the same``."""
        return f"{self.verb} {self.word}"


def _from_zero(before: float, after: float) -> float:
    if before == after:
        return float("nan")
    return inf if before == -inf else -inf
