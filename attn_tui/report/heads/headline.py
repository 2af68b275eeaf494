"""The headline of Heads: how many heads saturate, and which of them most."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import HeadId
from attn_tui.compute.counted import counted, listed
from attn_tui.compute.heads.partial import Partial
from attn_tui.compute.heads.statistic import FLOAT16_LARGEST, SATURATED, STATISTICS, TAU
from attn_tui.engine.table import HeadNumbers
from attn_tui.report.headline import Headline
from attn_tui.report.heads.said import MOST, SAID, Facts
from attn_tui.report.heads.values import head_text
from attn_tui.report.heads.words import made, own_text
from attn_tui.report.masks import mask_name
from attn_tui.report.miss import RULE, no_verdict

NOTHING = Headline(
    "Which heads saturate? Open a capture of queries and keys: o, or enter for an example.",
    "Open a capture: o. An example: enter.",
)
"""What is said before there is a capture."""


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
    """Return a number of each head: the smallest is that of the one to look at first.

    One that does not count is never that.
    """
    out = table.uncounted(name)
    values = np.where([head in out for head in table.heads], np.nan, table.values(name, tau))
    if name == "saturated_share":
        # Shares may be equal, and how sharp a head is is never quite.
        return np.where(np.isnan(values), np.inf, table.values("entropy"))
    worst = -values if STATISTICS[name].worst == "large" else values
    return np.where(np.isnan(values), np.inf, worst)


def facts(table: HeadNumbers, name: str, tau: float = TAU) -> Facts | None:
    """Return what is known of a statistic; None while it is known of no head."""
    out = table.uncounted(name)
    values = np.where([head in out for head in table.heads], np.nan, table.values(name, tau))
    known = ~np.isnan(values)
    if not known.any():
        return None
    first = int(np.argmin(_order(table, name, tau)))
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
    out = table.uncounted(name)
    entropy = np.where([head in out for head in table.heads], np.inf, entropy)
    sharpest = float(keys[np.nanargmin(entropy)])
    full, short = SAID[name](found, tau, sharpest)
    but = next(_doubts(table, missing, table.few(name)), "")
    # Where there is room for one of them only, what was found goes before what makes it doubtful,
    # but for how many heads do not count.
    brief = full.partition(", with about")[0].rstrip(".") + "."
    shorts = [short, short.partition("; ")[0]]
    buts = [but]
    if "not count: " in but:
        buts.append(but.partition(": ")[0] + ".")
        shorts.insert(0, f"{shorts[1].rstrip('.')}. {buts[1]}")
    if odd := _not_finite(table):
        shorts.insert(0, f"{shorts[1].rstrip('.')}. {len(odd):,} meet NaN: {odd[0]}.")
    elif fitted := _multipliers(table):
        shorts.insert(0, f"{shorts[1].rstrip('.')}; {' and '.join(fitted[:1])} by fit.")
    return Headline.fitting(
        (*(f"{each} {why}".strip() for why in buts for each in (full, brief, short)), full), shorts
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
