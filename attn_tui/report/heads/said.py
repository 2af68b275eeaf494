"""What the headline of Heads says of each statistic, and the facts it is said of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, isfinite, isnan

from attn_tui.compute.counted import counted
from attn_tui.compute.heads.statistic import FLOAT16_LARGEST, SATURATED
from attn_tui.report.headline import percent, rounded

MOST = 0.5
"""A larger share of rows is most of them."""


@dataclass(frozen=True)
class Facts:
    """What a headline says of the heads that are known.

    Attributes:
        known: How many heads these are.
        all: How many there are.
        count: In how many of the known ones the statistic is beyond where it matters.
        head: The one that is first by the statistic.
        value: Its value.
        typical: The median of all values.
        sampled: Whether only some rows were looked at.
        same: Whether all values are one number.
    """

    known: int
    all: int
    count: int
    head: str
    value: float
    typical: float
    sampled: bool
    same: bool = False

    @property
    def of(self) -> str:
        """The heads, as a sentence begins with them."""
        heads = f"{self.known:,} heads" if self.known != 1 else "one head"
        return f"So far, of {heads}" if self.known < self.all else f"Of {heads}"

    @property
    def rows(self) -> str:
        """The rows that were looked at."""
        return "most sampled rows" if self.sampled else "most rows"


Said = tuple[str, str]


def _weight(found: Facts, tau: float, keys: float) -> Said:
    row = "sampled row" if found.sampled else "row"
    if not found.count:
        text = f"{found.of} none saturates: even in {found.head}, the sharpest, a {row} puts"
        share = percent(found.value)
        short = f"None of {found.known:,} heads saturates; {found.head} is the sharpest: {share}."
        if found.known > 1 and found.same:
            text = f"{found.of} none saturates: in each a {row} puts"
            short = f"None of {found.known:,} heads saturates; each puts {share} on one key."
        if found.known == 1:
            short = f"{found.head} does not saturate: {share} on one key.".capitalize()
        return f"{text} {share} of its weight on one key on average.", short
    begin = f"{found.of} {found.count:,} saturate"
    short = f"{found.count:,} of {found.known:,} heads saturate"
    if found.count == 1:
        begin, short = f"{found.of} one saturates", f"{short}s"
    elif found.count == found.known:
        start = "So far all" if found.known < found.all else "All"
        begin, short = f"{start} {found.known:,} heads saturate", f"All {found.known:,} saturate"
    whose = "its" if found.count == 1 else "their"
    does = f"{whose} {row}s put over {percent(SATURATED)} of the weight on one key on average"
    sharpest = f"{found.head} is the sharpest"
    return f"{begin}: {does}; {sharpest}.", f"{short}; {sharpest}."


def _saturated(found: Facts, tau: float, keys: float) -> Said:
    sharpest = f"{found.head} is the sharpest"
    does = f"practically all weight on one key in {found.rows}"
    if found.known == found.count > 1:
        start = "So far all" if found.known < found.all else "All"
        text = f"{start} {found.known:,} heads put {does}; {sharpest}."
        return text, f"All {found.known:,} on one key in most rows; {sharpest}."
    if found.count:
        number = "one puts" if found.count == 1 else f"{found.count:,} put"
        text = f"{found.of} {number} {does}; {sharpest}."
        return text, f"{found.count:,} of {found.known:,} on one key in most rows; {sharpest}."
    shares = f"about {_plain(keys)} effective keys"
    text = f"{found.of} none puts {does}; {sharpest}, with {shares}."
    return text, f"None of {found.known:,} on one key in most rows; {sharpest}."


def _dead(found: Facts, tau: float, keys: float) -> Said:
    if not found.count:
        text = f"{found.of} none has a dead gradient in {found.rows}"
        end = f"; {found.head} comes nearest." if found.value else "."
        return text + end, f"Gradient dead in none of {found.known:,}."
    number = "one has" if found.count == 1 else f"{found.count:,} have"
    share = "all" if found.value == 1.0 else percent(found.value)
    text = f"{found.of} {number} a dead gradient in {found.rows}; {found.head} in {share}."
    return text, f"Gradient dead in {found.count:,} of {found.known:,}; {found.head} in {share}."


def _mass(what: str) -> Callable[[Facts, float, float], Said]:
    def said(found: Facts, tau: float, keys: float) -> Said:
        if found.value == 0.0:
            text = f"{found.of} none gives {what} any weight."
            return text, f"No weight on {what} in {counted(found.known, 'head')}."
        share, head = percent(found.value), found.head
        number = {0: "none gives", 1: "one gives"}.get(found.count, f"{found.count:,} give")
        text = f"{found.of} {number} {what} more than half of the weight; {head} most: {share}."
        return text, f"{what.capitalize()} has half in {found.count:,}; most: {head}."

    return said


def _float16(found: Facts, tau: float, keys: float, score: float) -> Said:
    begin = "The largest sampled q·k" if found.sampled else "The largest q·k"
    here = f"{begin} is {_plain(score)}, in {found.head}" if score else f"{begin} is 0"
    if found.count:
        heads = "one head" if found.count == 1 else f"{found.count:,} heads"
        text = f"In {heads} q·k is too large for float16, most in {found.head}: {_plain(score)}."
        return text, f"Too large for float16 in {heads}."
    if not score:
        return f"{here}.", f"{here}."
    times = _plain(FLOAT16_LARGEST / score)
    return f"{here}: float16 reaches {times} times as far.", f"{here}."


def _score(found: Facts, tau: float, keys: float) -> Said:
    return _float16(found, tau, keys, found.value)


def _margin(found: Facts, tau: float, keys: float) -> Said:
    score = FLOAT16_LARGEST / found.value if isfinite(found.value) and found.value else 0.0
    return _float16(found, tau, keys, score)


def _logit(found: Facts, tau: float, keys: float) -> Said:
    largest = _plain(found.value)
    begin = "The largest sampled logit" if found.sampled else "The largest logit"
    here = f"{begin} is {largest}, in {found.head}"
    if found.count:
        heads = "one" if found.count == 1 else f"{found.count:,}"
        return f"{here}; {heads} of {counted(found.known, 'head')} pass {tau:g}.", f"{here}."
    return f"{here}; none of {counted(found.known, 'head')} passes {tau:g}.", f"{here}."


def _spacing(found: Facts, tau: float, keys: float) -> Said:
    step = found.value
    here = f"At the largest logit, in {found.head}, bfloat16 goes in steps of {step:g}"
    off = f"weights are off by up to {percent(exp(step / 2) - 1.0)}"
    end = f": {off}." if step < 1.0 else "."
    return here + end, f"bfloat16 steps of {step:g} in {found.head}."


def _clip(found: Facts, tau: float, keys: float) -> Said:
    if not found.count:
        text = f"A QK-clip at {tau:g} would touch none of {counted(found.known, 'head')}."
        return text, text
    heads = "one" if found.count == 1 else f"{found.count:,}"
    text = f"A QK-clip at {tau:g} would touch {heads} of {counted(found.known, 'head')}"
    return f"{text}, most {found.head}: times {_plain(found.value)}.", f"{text}."


def _keys(found: Facts, tau: float, keys: float) -> Said:
    few = f"{found.head} attends to fewest: about {_plain(keys)}"
    if found.count:
        number = "one attends" if found.count == 1 else f"{found.count:,} attend"
        text = f"{found.of} {number} to fewer than two effective keys; {few}."
        return text, f"{found.count:,} of {found.known:,} under two keys; {found.head} fewest."
    return f"{found.of} {few} effective keys.", f"{few}."


def _entropy(found: Facts, tau: float, keys: float) -> Said:
    return (
        f"{found.of} {found.head} is the sharpest, with about {_plain(keys)} effective keys.",
        f"{found.head} is the sharpest.".capitalize(),
    )


def _gradient(found: Facts, tau: float, keys: float) -> Said:
    text = f"{found.of} {found.head} has the smallest gradient"
    if found.value > 0.0 and found.known > 2 and found.typical / found.value < 1e6:
        times = rounded(found.typical / found.value)
        end = f", {times} times smaller than that of the median head."
    else:
        end = ": next to nothing." if not found.value > 0.0 else "."
    return text + end, f"The gradient is smallest in {found.head}."


def _norm(what: str) -> Callable[[Facts, float, float], Said]:
    def said(found: Facts, tau: float, keys: float) -> Said:
        text = f"{found.of} {found.head} has the longest {what}: {_plain(found.value)} on average"
        if found.typical > 0.0 and found.known > 2:
            text += f", {_plain(found.value / found.typical)} times the median head"
        return f"{text}.", f"{what.capitalize()} are longest in {found.head}."

    return said


def _cosine(found: Facts, tau: float, keys: float) -> Said:
    here = f"queries and keys lean the same way most in {found.head}"
    return (
        f"{found.of} {here}: cosine {_plain(found.value)} on average.",
        f"{here}.".capitalize(),
    )


def _plain(value: float) -> str:
    """Return a number to two digits, without powers of ten."""
    size = abs(value)
    if isnan(value) or size == 0.0:
        return "0"
    if size < 5e-4 or size >= 1e7:
        return "almost 0" if size < 1.0 else "over 10 million"
    return f"−{rounded(size)}" if value < 0 else rounded(size)


SAID: Mapping[str, Callable[[Facts, float, float], Said]] = {
    "max_weight": _weight,
    "saturated_share": _saturated,
    "dead_gradient_share": _dead,
    "first_key_mass": _mass("the first key"),
    "sink_mass": _mass("the sink"),
    "largest_score": _score,
    "float16_margin": _margin,
    "max_logit": _logit,
    "bfloat16_spacing": _spacing,
    "qk_clip": _clip,
    "entropy": _entropy,
    "effective_keys": _keys,
    "gradient_norm": _gradient,
    "query_norm": _norm("queries"),
    "key_norm": _norm("keys"),
    "cosine": _cosine,
}
"""What is said of each statistic: of its facts, τ and the effective keys of the sharpest head."""
