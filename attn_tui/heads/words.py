"""What Heads says of a capture and its heads: rows, weights, failures, statistics with units."""

from collections.abc import Iterator, Set
from dataclasses import replace
from math import isfinite, isnan

from attn_tui.captures.capture import HeadId
from attn_tui.captures.not_finite import PARTS
from attn_tui.compute import numbers
from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.reconstruction import Reconstruction
from attn_tui.compute.heads.statistic import SHARES, STATISTICS
from attn_tui.compute.numbers import (
    brief_percent,
    fixed,
    interval,
    percent,
    quantity,
    unusual,
    with_error,
)
from attn_tui.compute.sample import Number
from attn_tui.compute.text import counted, listed, visible
from attn_tui.engine.plan import Plan
from attn_tui.engine.survey import Survey
from attn_tui.report.miss import MISSES, RULE, SAID, doubt_text, miss_text, reconstruction_text
from attn_tui.report.words import ranges

UNCOUNTED = "?"
"""The mark after a number that does not count."""

_UNITS = {"entropy": " nats", "effective_keys": " keys", "float16_margin": " times"}

NAMED = 4
"""The most heads, or kinds of failure, that are named one by one."""

ORIGINS = {
    "fit": "found by the doctor's fit of one head",
    "asked": "as asked",
    "assumed": "assumed",
    "nearest": "nearest to what was captured, and does not explain it",
}
"""How it is known how weights are made, in words."""


def number(name: str, value: float) -> str:
    """Return a value of a statistic as text for a table, without its unit except %."""
    if text := unusual(value):
        return "–" if isnan(value) else text
    if name in SHARES:
        return percent(value)
    return quantity(value)


def value_text(name: str, value: Value) -> str:
    """Return a statistic with its unit and standard error, or with ≥ or ≤ if it is a bound.

    >>> value_text("entropy", Value(1.234, 0.0321)), value_text("max_logit", Value(131.0, None))
    ('1.234 ± 0.032 nats', '≥ 131')
    >>> value_text("first_key_mass", Value(0.003, 4e-5))
    '0.3000 ± 0.0040 %'
    """
    text, unit = number(name, value.value), ""
    if isnan(value.value):
        return text
    if isfinite(value.value):
        unit = _UNITS.get(name, "")
    if value.error == 0.0:
        return text + unit
    if value.error is None:
        sign = "≤" if STATISTICS[name].worst == "small" else "≥"
        return f"{sign} {text}{unit}"
    sampled = Number(value.value, value.error)
    if name in SHARES:
        sampled, unit = sampled.times(100.0), " %"
    return with_error(sampled) + unit


def rows_text(partial: Partial) -> str:
    """Return how many rows of a head were taken, and how many of them do not count."""
    n, of = partial.rows, partial.n_queries
    text = f"all {of:,} rows" if n >= of > 1 else f"{n:,} of {counted(of, 'row')}"
    if partial.masked:
        text += f", {partial.masked:,} of them masked whole"
    if partial.not_finite:
        meet = "meets" if partial.not_finite == 1 else "meet"
        text += f", {partial.not_finite:,} {meet} NaN or infinity"
        text += f", the first row {partial.first_not_finite}"
    for odd in partial.odd:
        text += f"; {odd}"
    return text


def head_text(head: HeadId, batches: int = 1) -> str:
    """Return the name of a head in a sentence."""
    text = f"layer {head.layer} head {head.head}"
    return f"{text} of sequence {head.batch}" if batches > 1 else text


def brief(name: str, value: float) -> str:
    """Return a statistic in at most four cells, in three if possible, without its unit."""
    if name in SHARES and isfinite(value):
        return brief_percent(value)
    return numbers.brief(value)


def about(survey: Survey) -> Iterator[tuple[str, str]]:
    """Yield the label and text of each line about a survey."""
    plan, heads = survey.plan, survey.heads
    paths, scale = plan.capture.paths, plan.selection.request.scale
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    yield "capture", f"{visible(paths[0])}{more}"
    for sentence in plan.stated:
        yield "", sentence
    how = scale.pipeline
    if scale.is_by_layer:
        how = how.replace(scale.formula, f"{scale.definition.formula} of layer l")
    if any(mask.multiplier is not None for mask in plan.masks.values()):
        how += "; where that misses what was captured, m is that below"
    yield "weights", how
    lost = [head for head, partial in heads.items() if partial.misses("max_weight")]
    yield from _masks(plan, {head.layer for head in lost})
    multipliers = [
        partial.multiplier for partial in heads.values() if partial.multiplier is not None
    ]
    if multipliers:
        have = "head has" if len(multipliers) == 1 else "heads have"
        ends = interval(min(multipliers), max(multipliers))
        yield "", f"{len(multipliers):,} {have} an m of their own, found by fits: {ends}"
    yield "rows", f"{_rows(survey)}; {fixed(survey.elapsed, 1)} s"
    if not survey.is_exact:
        bound = number("largest_score", max(partial.score_bound for partial in heads.values()))
        yield "bound", f"no |q·k| exceeds {bound}, the largest ‖q‖ times ‖k‖"
    if masked := sum(partial.masked for partial in heads.values()):
        yield "masked", f"{counted(masked, 'row')} without any key, which count nowhere"
    yield from _odd(survey)
    if lost:
        names = [head_text(head, plan.n_batches) for head in lost[:NAMED]]
        if len(lost) > NAMED:
            names.append(f"{len(lost) - NAMED:,} more")
        ways = "--rule, --scale, --sink and --mask"
        # If shapes leave open which axis is that of heads, these heads may not exist.
        if any("--layout" in sentence for sentence in plan.stated):
            ways = f"--layout, {ways}"
        text = f"weights of {listed(names)} miss the output, and may not be those in use"
        yield "unknown", f"{text}; {ways} set others"
    if not survey.complete:
        text = f"{len(survey.partials):,} of {len(plan.blocks):,} blocks of rows are known"
        yield "partly", f"{text}, of {counted(len(heads), 'head')}"
    reasons = [failed.reason for failed in survey.failed]
    for reason in [*dict.fromkeys(reasons)][:NAMED]:
        yield "failed", f"{counted(reasons.count(reason), 'block')} of rows: {reason}"


def _rows(survey: Survey) -> str:
    """Return how many rows of each head were taken, and how they were drawn."""
    selection = survey.plan.selection
    sizes = [partial.n_queries for partial in survey.heads.values()]
    least, most = min(sizes, default=0), max(sizes, default=0)
    size = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    if selection.rows is None or selection.rows >= most:
        return f"all {size} of each head" if most > 1 else "the one of each head"
    return f"{selection.rows:,} of {size} of each head, drawn with seed {selection.seed}"


def _odd(survey: Survey) -> Iterator[tuple[str, str]]:
    """Yield lines on NaN and infinity: how many rows meet them, and which tensors hold them."""
    batches = survey.plan.n_batches
    met = {head: partial for head, partial in survey.heads.items() if partial.not_finite}
    if met:
        head, first = next(iter(met.items()))
        rows = counted(sum(partial.not_finite for partial in met.values()), "row")
        where = f"{head_text(head, batches)}, row {first.first_not_finite}"
        text = f"NaN or infinity in {rows} of {counted(len(met), 'head')}, first in {where}"
        yield "odd", f"{text}; they count nowhere"
    for part in PARTS:
        odd_parts = {
            head: odd
            for head, partial in survey.heads.items()
            for odd in partial.odd
            if odd.part == part
        }
        if odd_parts:
            head, earliest = next(iter(odd_parts.items()))
            nan = sum(odd.nan for odd in odd_parts.values())
            infinite = sum(odd.infinite for odd in odd_parts.values())
            count = replace(earliest, nan=nan, infinite=infinite).count
            where = f"{head_text(head, batches)}, row {earliest.row:,}, column {earliest.column:,}"
            yield "odd", f"{part} holds {count}, first in {where}"


def _masks(plan: Plan, lost: Set[int]) -> Iterator[tuple[str, str]]:
    """Yield a line for each kind of mask, with its layers and the worst fit among them.

    Args:
        plan: The plan, with the mask of each layer.
        lost: Layers with heads whose weights miss the output.
    """
    by_kind: dict[object, list[int]] = {}
    for layer, mask in plan.masks.items():
        by_kind.setdefault((reconstruction_text(mask), mask.how), []).append(layer)
    for layers in by_kind.values():
        masks = [plan.masks[layer] for layer in layers]
        worst = max(masks, key=lambda mask: mask.residual or 0.0)
        text = mask_text(worst)
        if len(by_kind) > 1:
            noun = "layer" if len(layers) == 1 else "layers"
            text = f"{noun} {ranges(layers)}: {text}"
        if worst.fits and not lost.isdisjoint(layers):
            text += ", but in the heads below"
        has_m = any(mask.multiplier is not None for mask in masks)
        yield "m, mask" if has_m else "mask", text


def mask_text(mask: Reconstruction) -> str:
    """Return in words how the weights of a layer are made, how that is known, and the misfit."""
    parts = [reconstruction_text(mask)]
    if mask.how == "output":
        parts.append(f"as {SAID[mask.by]}")
    elif mask.how in ORIGINS:
        parts.append(ORIGINS[mask.how])
    if mask.how == "fit" and mask.sink is not None:
        parts.append("each head's own sink by its output")
    text = ", ".join(parts)
    if mask.residual is None:
        return text
    if doubt := doubt_text(mask.doubt):
        text += f"; {doubt}"
    text += f"; {MISSES[mask.by]} by {miss_text(mask.residual)}"
    if not mask.fits:
        text += ": try attn-tui doctor"
    elif mask.rule_residual:
        text += f", with m = {RULE} by {miss_text(mask.rule_residual)}"
    return text
