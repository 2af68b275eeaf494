"""The headline of Heads: how many heads saturate, and which of them most."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import exp, isfinite, isnan

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import HeadId
from attn_tui.compute.counted import counted, listed
from attn_tui.compute.heads.partial import Partial
from attn_tui.compute.heads.statistic import FLOAT16_LARGEST, SATURATED, STATISTICS, TAU
from attn_tui.engine.table import HeadNumbers
from attn_tui.report.headline import Headline, percent, rounded
from attn_tui.report.heads.values import head_text
from attn_tui.report.heads.words import made, mask_name, own_text
from attn_tui.report.miss import RULE, no_verdict

NOTHING = Headline(
    "Which heads saturate? Open a capture of queries and keys: o, or enter for an example.",
    "Open a capture: o. An example: enter.",
)
"""What is said before there is a capture."""

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


def _beyond(name: str, values: NDArray[np.float64], tau: float) -> int:
    """Return in how many heads a statistic is where it matters."""
    limits = {
        "max_weight": values >= SATURATED,
        "saturated_share": values > MOST,
        "dead_gradient_share": values > MOST,
        "first_key_mass": values > MOST,
        "sink_mass": values > MOST,
        "largest_score": values > FLOAT16_LARGEST,
        "float16_margin": values < 1.0,
        "max_logit": values > tau,
        "qk_clip": values < 1.0,
        "effective_keys": values < 2.0,
    }
    return int(limits.get(name, np.zeros(0)).sum())


def first_of(table: HeadNumbers, name: str, tau: float = TAU) -> HeadId:
    """Return the head to look at first by a statistic; the first of all while none is known."""
    return table.heads[int(np.argmin(_order(table, name, tau)))]


def _order(table: HeadNumbers, name: str, tau: float) -> NDArray[np.float64]:
    """Return a number of each head: the smallest is that of the one to look at first."""
    values = table.values(name, tau)
    if name == "saturated_share":
        # Shares may be equal, and how sharp a head is is never quite.
        return np.where(np.isnan(values), np.inf, table.values("entropy"))
    worst = -values if STATISTICS[name].worst == "large" else values
    return np.where(np.isnan(values), np.inf, worst)


def facts(table: HeadNumbers, name: str, tau: float = TAU) -> Facts | None:
    """Return what is known of a statistic; None while it is known of no head."""
    out = {*table.missing(name), *table.few(name)}
    is_known = np.array([head not in out for head in table.heads])
    values = np.where(is_known, table.values(name, tau), np.nan)
    known = ~np.isnan(values)
    if not known.any():
        return None
    first = int(np.argmin(np.where(is_known, _order(table, name, tau), np.inf)))
    head = table.heads[first]
    return Facts(
        int(known.sum()),
        len(table.heads) - len(out),
        _beyond(name, values[known], tau),
        head_text(head, table.n_batches),
        float(values[first]),
        float(np.median(values[known])),
        any(not each.is_exact for each in table.partials.values()),
        bool((values[known] == values[first]).all()),
    )


def headline(table: HeadNumbers, name: str, tau: float = TAU) -> Headline:
    """Return the headline of what is known of the heads.

    Args:
        table: What is known.
        name: The statistic that is looked at.
        tau: The largest logit that QK-clip leaves alone.
    """
    found, missing = facts(table, name, tau), table.missing(name)
    if found is None:
        if missing:
            head = max(missing, key=lambda each: missing[each])
            return no_verdict(missing[head], table.masks[head.layer].by)
        if rows := sum(each.not_finite for each in table.partials.values()):
            meet = f"{counted(rows, 'row')} meet{'s' * (rows == 1)} NaN or infinity"
            few = "few rows" if table.few(name) else "no row"
            have = "have numbers" if table.few(name) else "has a number"
            return Headline(f"{meet}: {few} of these heads {have} here.", f"{meet}.")
        if table.partials:
            text = "No row of these heads has a number here: each sees one key, or none."
            return Headline(text, "Each row sees one key, or none.")
        return Headline("No head is known yet.", "No head is known yet.")
    keys, entropy = table.values("effective_keys"), table.values("entropy")
    out = {*missing, *table.few(name)}
    entropy = np.where([head in out for head in table.heads], np.inf, entropy)
    sharpest = float(keys[np.nanargmin(entropy)])
    full, short = _SAID[name](found, tau, sharpest)
    but = next(_doubts(table, missing, table.few(name)), "")
    # Where there is room for one of them only, what was found goes before what makes it doubtful.
    brief = full.partition(", with about")[0].rstrip(".") + "."
    shorts = [short, short.partition("; ")[0]]
    if odd := _not_finite(table):
        shorts.insert(0, f"{shorts[1].rstrip('.')}. {len(odd):,} meet NaN: {odd[0]}.")
    elif fitted := _multipliers(table):
        shorts.insert(0, f"{shorts[1].rstrip('.')}; {' and '.join(fitted[:1])} by fit.")
    return Headline.fitting(
        (*(f"{each} {but}".strip() for each in (full, brief, short)), full), shorts
    )


def _not_finite(table: HeadNumbers) -> list[str]:
    """Return the names of heads that meet NaN or infinity."""
    heads = (head for head in table.heads if head in table.partials)
    return [head_text(head, table.n_batches) for head in heads if table.partials[head].not_finite]


def _multipliers(table: HeadNumbers) -> list[str]:
    """Return the multipliers that fits find, where they are used: ``m = 8``."""
    return [*dict.fromkeys(made(each).m for each in table.masks.values() if each.multiplier)]


def _doubts(
    table: HeadNumbers, missing: Mapping[HeadId, float], few: Mapping[HeadId, Partial]
) -> Iterator[str]:
    """Yield what makes the numbers doubtful, the gravest first, or what a fit made them of."""
    masks = table.masks.values()
    odd = _not_finite(table)
    holding = [head for head, each in table.partials.items() if each.odd]
    if table.failed:
        heads = len({each.block.head for each in table.failed})
        yield f"{heads:,} could not be read." if heads > 1 else "One could not be read."
    if few:
        head, part = next(iter(few.items()))
        where, rows = head_text(head, table.n_batches), part.rows - part.masked
        many = f"{len(few):,} more do not" if len(few) > 1 else f"{where.capitalize()} does not"
        example = f", such as {rows - part.not_finite:,} of {rows:,} in {where}"
        some = example if len(few) > 1 else f", {rows - part.not_finite:,} of {rows:,}"
        yield f"{many} count: few rows are finite{some}."
    elif odd:
        many = f"{len(odd):,} of them meet NaN or infinity, first {odd[0]}."
        yield many if odd[1:] else f"One of them meets NaN or infinity: {odd[0]}."
    elif holding:
        first = table.partials[holding[0]].odd[0].part
        where = head_text(holding[0], table.n_batches)
        yield f"{'The output' if first == 'out' else first} of {where} holds NaN or infinity."
    if missing:
        where = head_text(next(iter(missing)), table.n_batches)
        many = f"{len(missing):,} more do not count: their weights miss the output, first {where}."
        one = f"{where.capitalize()} does not count: its weights miss the output."
        yield many if len(missing) > 1 else one
    if any(each.what_if and each.residual is not None and not each.fits for each in masks):
        yield "Weights as asked, which do not give the captured output."
    if own := [each.multiplier for each in table.partials.values() if each.multiplier is not None]:
        text = own_text(own)
        yield f"{text[0].upper()}{text[1:]}."
    if fitted := _multipliers(table):
        worst = max(filter(lambda each: each.multiplier, masks), key=lambda each: each.missed or 0)
        which = fitted[0] if len(fitted) == 1 else f"In {len(fitted)} layers m"
        yield f"{which} is found by the doctor's fit; {made(worst).instead}."
    if any(each.untold for each in table.partials.values()):
        yield f"What was captured does not tell m: {RULE} is assumed."
    if any(each.how == "assumed" for each in masks):
        kinds = {mask_name(each.mask) for each in masks if each.how == "assumed"}
        which = "none" if kinds == {"no mask"} else listed(sorted(kinds))
        yield f"Nothing tells the mask: {which} is assumed."
    fits = {
        "a window": any(each.is_fitted and each.mask.window is not None for each in masks),
        "a soft cap": any(each.softcap is not None for each in masks),
        "a sink": any(each.sink is not None for each in masks),
    }
    if found := [name for name, there in fits.items() if there]:
        yield f"The doctor's fit finds {listed(found)}."


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


_SAID: Mapping[str, Callable[[Facts, float, float], Said]] = {
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
