"""What Heads reports: every statistic of every head of a capture, as text, JSON and CSV."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, replace
from math import isfinite, isnan
from typing import Any

import numpy as np

from attn_tui import __version__
from attn_tui.captures.capture import HeadId
from attn_tui.captures.not_finite import PARTS
from attn_tui.compute.counted import counted, listed
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.partial import NORMS, Partial, Value
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.heads.tally import TALLIED
from attn_tui.compute.visible import visible
from attn_tui.engine.answer import Answer
from attn_tui.engine.condition import Condition
from attn_tui.engine.plan import Plan
from attn_tui.engine.settings import Settings
from attn_tui.engine.survey import Survey
from attn_tui.engine.table import HeadTable
from attn_tui.files.plain import named
from attn_tui.heads.headline import headline
from attn_tui.heads.words import (
    UNCOUNTED,
    Shown,
    head_text,
    mask_text,
    number,
    rows_text,
    runs_text,
    statistic_text,
    value_text,
)
from attn_tui.report import forms
from attn_tui.report.masks import keys_text, packed_text
from attn_tui.report.miss import made_text
from attn_tui.report.numbers import general
from attn_tui.report.report import Column, Fact, Facts, Part, Report, Table, data
from attn_tui.report.report import listed as rows_of
from attn_tui.report.rows import WIDTH, cells

NAMED = 4
"""Heads, workers and blocks that a line names."""


def report(found: Survey, shown: Shown) -> Report:
    """Return what there is to say of a survey."""
    statistics, tau = shown.statistics, shown.tau
    heads = found.heads
    said = headline(HeadTable.of(found), statistics[0], tau)
    parts: list[Part] = [data(_data(found, shown))]
    parts += [failure(found, each, tau) for each in shown.conditions]
    parts.append(Facts([Fact(label, (text,)) for label, text in about(found)]))
    if shown.sort is not None:
        parts.append(_list(heads, found.order(shown.sort, tau), shown))
    else:
        for name in statistics:
            values = {head: each.value(name, tau) for head, each in heads.items()}
            uncounted = {head for head, each in heads.items() if not each.counts(name)}
            parts += grid(name, values, _caption(name, values, uncounted), uncounted)
    parts.append(_csv(heads, found.order(shown.sort, tau), shown))
    return Report("", parts, headline=said, csv="heads")


def report_of(answer: Answer) -> Report:
    """Return what there is to say of an answer: every statistic, the one looked at first."""
    settings = answer.experiment.setup.get(Settings)
    statistics = tuple(dict.fromkeys((settings.statistic, *STATISTICS)))
    return report(answer.survey, Shown(statistics, tau=settings.tau))


def json(answer: Answer) -> Iterator[str]:
    """Yield all there is to say of an answer as JSON."""
    return forms.json(report_of(answer))


def _data(found: Survey, shown: Shown) -> Mapping[str, Any]:
    """Return what JSON has; ``docs/json.md`` explains each field."""
    heads, statistics, tau = found.heads, shown.statistics, shown.tau
    conditions = [
        {
            "condition": each.text,
            "heads": [*failing(found, each, tau)],
            "cannot_tell": open_heads(found, each, tau),
        }
        for each in shown.conditions
    ]
    failed = [
        {**asdict(each.block.head), "block": each.block.index, "reason": each.reason}
        for each in found.failed
    ]
    tallied = dict.fromkeys(STATISTICS[each].of for each in statistics)
    return {
        "version": __version__,
        "capture": capture_to_plain(found.plan),
        "question": found.plan.question.as_plain() | {"tau": tau},
        "masks": masks_to_plain(found.plan),
        "computed_in": found.plan.computed_in,
        "elapsed_s": round(found.elapsed, 3),
        "complete": found.complete,
        "progress": found.progress,
        "machines": [dict(each) for each in sorted(found.machines)],
        "failed": failed,
        "conditions": conditions,
        "edges": {name: TALLIED[name] for name in tallied},
        "heads": [_head(h, heads[h], shown) for h in found.order(shown.sort, tau)],
    }


def capture_to_plain(plan: Plan) -> dict[str, Any]:
    """Return what was read."""
    capture = plan.capture
    return {
        "paths": capture.paths,
        "fingerprint": capture.fingerprint.digest,
        "stated": plan.stated,
    }


def masks_to_plain(plan: Plan) -> list[dict[str, Any]]:
    """Return the mask of each layer."""
    return [
        {
            "layer": layer,
            "mask": found.mask.kind,
            "query_offset": found.mask.offset if found.mask.by_position else None,
            "window": found.mask.window,
            "known_by": found.how,
            **named(found, ("softcap", "sink", "multiplier")),
            "value_scale": found.value_scale,
            "rule_residual": found.missed,
            "residual": found.residual,
            "residual_allowed": None if found.residual is None else found.allowed,
            "residual_of": found.by,
            "multiplier_within": found.doubt if found.fits else None,
            "path": found.path,
            "drops_sink": found.drops_sink,
        }
        for layer, found in plan.masks.items()
    ]


def _head(head: HeadId, partial: Partial, shown: Shown) -> dict[str, Any]:
    statistics = {}
    for name in shown.statistics:
        tally = partial.tallies.get(STATISTICS[name].of)
        statistics[name] = value_to_plain(partial, name, shown.tau)
        statistics[name]["histogram"] = [] if tally is None else [*tally.histogram]
    return {
        **asdict(head),
        **named(partial, ("n_queries", "n_keys", "rows")),
        "masked_rows": partial.masked,
        "not_finite_rows": partial.not_finite,
        "first_not_finite": partial.first_not_finite,
        "not_finite": partial.odd,
        "residual": partial.miss,
        "residual_allowed": None if partial.miss is None else partial.allowed,
        "multiplier": partial.multiplier,
        "multiplier_untold": partial.untold,
        "hidden_keys": partial.hidden,
        "packed": partial.packed or None,
        "score_bound": partial.score_bound,
        "statistics": statistics,
    }


def value_to_plain(partial: Partial, name: str, tau: float) -> dict[str, Any]:
    """Return a statistic with its error and its place, and whether it counts."""
    value = partial.value(name, tau)
    return {
        "value": printed(partial, name, value.value),
        "standard_error": printed(partial, name, value.error),
        "row": None if value.row in (None, -1) else value.row,
        "key": None if value.key in (None, -1) else value.key,
        "counts": partial.counts(name),
    }


def printed(partial: Partial, name: str, value: float | None) -> float | None:
    """Return a number of a head with the digits that hold."""
    digits = partial.digits
    if value is None or digits is None or not isfinite(value) or STATISTICS[name].of in NORMS:
        return value
    return float(f"{value:.{digits - 1}e}")


def _csv(heads: Mapping[HeadId, Partial], order: Sequence[HeadId], shown: Shown) -> Table:
    """Return a row for each head and statistic."""
    places = [(head, name) for head in order for name in shown.statistics]

    def column(title: str, value: Callable[[HeadId, str], Any]) -> Column:
        return Column("", lambda rows: [value(*places[row]) for row in rows.tolist()], name=title)

    def of_value(part: str) -> Column:
        return column(part, lambda h, name: value_to_plain(heads[h], name, shown.tau)[part])

    columns = [
        column("batch", lambda h, _: h.batch),
        column("layer", lambda h, _: h.layer),
        column("head", lambda h, _: h.head),
        column("statistic", lambda _, name: name),
        *map(of_value, ("value", "standard_error", "row", "key")),
        column("rows", lambda h, _: heads[h].rows),
        column("n_queries", lambda h, _: heads[h].n_queries),
        column("n_keys", lambda h, _: heads[h].n_keys),
        of_value("counts"),
    ]
    return Table(columns, np.arange(len(places)), csv="heads")


# Conditions


def failing(found: Survey, condition: Condition, tau: float) -> dict[HeadId, Value]:
    """Return the heads that meet a condition."""
    name = condition.statistic
    values = {
        head: each.value(name, tau)
        for head, each in found.heads.items()
        if not each.leaves_open(name)
    }
    return {head: value for head, value in values.items() if condition.holds(value.value)}


def open_heads(found: Survey, condition: Condition, tau: float) -> list[HeadId]:
    """Return the heads of which nothing tells: rows met NaN, or weights miss the output."""
    holds = failing(found, condition, tau)
    return [
        head
        for head, each in found.heads.items()
        if head not in holds and (each.not_finite or each.leaves_open(condition.statistic))
    ]


def failure(found: Survey, condition: Condition, tau: float) -> str:
    """Return in how many heads a condition holds, and in which most, or that nothing tells."""
    known = found.heads
    holds, unknown = failing(found, condition, tau), open_heads(found, condition, tau)
    heads = counted(len(known), "head")
    if holds:
        sign = 1.0 if condition.operator.startswith("<") else -1.0
        head = min(holds, key=lambda each: sign * holds[each].value)
        where, value = _place(found, head), number(condition.statistic, holds[head].value)
        return f"{condition.text} in {len(holds):,} of {heads}, most in {where}: {value}."
    if not unknown:
        return f"In none of {heads} {condition.text}."
    missing = [head for head in unknown if known[head].misses(condition.statistic)]
    others = [known[head] for head in unknown if head not in missing]
    rows = sum(each.not_finite for each in others)
    reasons = []
    if missing:
        reasons.append("weights miss the captured output, and may not be those in use")
    if any(each.untold for each in others):
        reasons.append("what was captured does not tell m")
    if rows:
        reasons.append(f"NaN or infinity in {counted(rows, 'row')}")
    why = "; ".join(reasons)
    return f"Cannot tell whether {condition.text} in {len(unknown):,} of {heads}: {why}."


def _place(found: Survey, head: HeadId) -> str:
    """Return the name of a head, with its sequence where there are several."""
    return head_text(head, 1 + max(block.head.batch for block in found.plan.blocks))


# What was looked at, how weights were made, and what went wrong


def about(found: Survey) -> Iterator[tuple[str, str]]:
    """Yield lines, each with its label."""
    plan, heads = found.plan, found.heads
    paths, scale = plan.capture.paths, plan.question.making.scale
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    yield "capture", f"{visible(paths[0])}{more}"
    for stated in plan.stated:
        yield "", stated
    how = scale.pipeline
    if scale.is_by_layer:
        how = how.replace(scale.formula, f"{scale.definition.formula} of layer l")
    if any(each.multiplier is not None for each in plan.masks.values()):
        how += "; where that misses what was captured, m is that below"
    yield "weights", how
    lost = [head for head, each in heads.items() if each.misses("max_weight")]
    yield from _masks(plan, {head.layer for head in lost})
    if own := [each.multiplier for each in heads.values() if each.multiplier is not None]:
        least, most = (general(each, 3) for each in (min(own), max(own)))
        have = "head has" if len(own) == 1 else "heads have"
        yield "", f"{len(own):,} {have} an m of their own, found by fits: {least} to {most}"
    yield from _hiding(found)
    sizes = {partial.n_queries for partial in heads.values()}
    yield "rows", f"{rows_text(plan.question, sizes)}; {found.elapsed:.1f} s"
    if heads and not all(each.is_exact for each in heads.values()):
        bound = number("largest_score", max(each.score_bound for each in heads.values()))
        yield "bound", f"no |q·k| exceeds {bound}, the largest ‖q‖ times ‖k‖"
    if masked := sum(each.masked for each in heads.values()):
        yield "masked", f"{counted(masked, 'row')} without any key, which count nowhere"
    if odd := {head: each for head, each in heads.items() if each.not_finite}:
        head, first = next(iter(odd.items()))
        rows = counted(sum(each.not_finite for each in odd.values()), "row")
        where = f"{_place(found, head)}, row {first.first_not_finite}"
        text = f"NaN or infinity in {rows} of {counted(len(odd), 'head')}, first in {where}"
        yield "odd", f"{text}; they count nowhere"
    for part in PARTS:
        held = {h: odd for h, each in heads.items() for odd in each.odd if odd.part == part}
        if held:
            head, begins = next(iter(held.items()))
            nan = sum(each.nan for each in held.values())
            infinite = sum(each.infinite for each in held.values())
            count = replace(begins, nan=nan, infinite=infinite).count
            where = f"{_place(found, head)}, row {begins.row:,}, column {begins.column:,}"
            yield "odd", f"{part} holds {count}, first in {where}"
    if lost:
        names = [_place(found, head) for head in lost[:NAMED]]
        if len(lost) > NAMED:
            names.append(f"{len(lost) - NAMED:,} more")
        ways = "--rule, --scale, --sink and --mask"
        # Where shapes leave the heads open, these may be none.
        if any("--layout" in each for each in plan.stated):
            ways = f"--layout, {ways}"
        text = f"weights of {listed(names)} miss the output, and may not be those in use"
        yield "unknown", f"{text}; {ways} set others"
    if not found.complete:
        known, total = len(found.partials), len(plan.blocks)
        text = f"{known:,} of {total:,} blocks of rows are known"
        yield "partly", f"{text}, of {counted(len(heads), 'head')}"
    reasons = [each.reason for each in found.failed]
    for reason in [*dict.fromkeys(reasons)][:NAMED]:
        yield "failed", f"{counted(reasons.count(reason), 'block')} of rows: {reason}"
    if len(found.machines) > 1:
        kinds = "; ".join(" ".join(text for _, text in each) for each in sorted(found.machines))
        yield "machines", f"{kinds}: several, so that last digits may differ between runs"


def _masks(plan: Plan, lost: Set[int]) -> Iterator[tuple[str, str]]:
    """Yield a line for each kind of mask, with the layers it is of and the worst fit.

    Args:
        plan: What was asked, with the mask of each layer.
        lost: The layers that have heads whose weights miss the output.
    """
    by_kind: dict[object, list[int]] = {}
    for layer, mask in plan.masks.items():
        by_kind.setdefault((made_text(mask), mask.how), []).append(layer)
    for layers in by_kind.values():
        own = [plan.masks[layer] for layer in layers]
        worst = max(own, key=lambda each: each.residual or 0.0)
        text = mask_text(worst)
        if len(by_kind) > 1:
            text = f"{runs_text('layer', layers)}: {text}"
        if worst.fits and not lost.isdisjoint(layers):
            text += ", but in the heads below"
        yield "mask", text


def _hiding(found: Survey) -> Iterator[tuple[str, str]]:
    """Yield which heads have keys hidden, as padding is or as other texts are."""
    hiding: dict[tuple[int, str], int] = {}
    for head, each in found.heads.items():
        if each.hidden is not None:
            text = f"{keys_text(each.hidden)} hidden, as the output says: padding?"
        elif each.packed:
            offset = found.plan.masks[head.layer].mask.offset
            mask = HeadMask("causal", offset, packed=each.packed)
            text = f"{packed_text(mask)}, as the output says"
        else:
            continue
        hiding[head.batch, text] = hiding.get((head.batch, text), 0) + 1
    for (batch, text), count in [*hiding.items()][:NAMED]:
        yield "", f"{counted(count, 'head')} of sequence {batch}: {text}"
    if len(hiding) > NAMED:
        yield "", f"{len(hiding) - NAMED:,} more such lines"


# Tables


def grid(
    name: str,
    values: Mapping[HeadId, Value],
    caption: str,
    marked: Set[HeadId] = frozenset(),
) -> Iterator[Table]:
    """Yield layers × heads of a statistic, some marked, in as many parts as the columns need."""
    heads = sorted({each.head for each in values})
    lines = sorted({(each.batch, each.layer) for each in values})
    has_batches = len({batch for batch, _ in lines}) > 1
    labels = [f"{batch}/{layer}" if has_batches else f"{layer}" for batch, layer in lines]
    stub = _column("batch/layer × head" if has_batches else "layer × head", labels)
    columns = []
    for head in heads:
        texts = []
        for batch, layer in lines:
            place = HeadId(batch, layer, head)
            text = number(name, values[place].value) if place in values else ""
            if marked:
                text += UNCOUNTED if place in marked else " "
            texts.append(text)
        columns.append(_column(f"{head}", texts))
    longest = max((cells(number(name, each.value)) for each in values.values()), default=1)
    at_once = max((WIDTH - cells(stub.title) - 1) // (longest + (2 if marked else 1)), 1)
    for start in range(0, max(len(columns), 1), at_once):
        part = [stub, *columns[start : start + at_once]]
        yield Table(part, np.arange(len(lines)), caption if start == 0 else "")


def _column(title: str, texts: Sequence[str], rank: int = 0) -> Column:
    return Column(title, texts=rows_of(texts), rank=rank)


def _caption(name: str, values: Mapping[HeadId, Value], uncounted: Set[HeadId]) -> str:
    text = f"{STATISTICS[name].title}: {statistic_text(name)}"
    errors = [each.error for each in values.values() if each.error]
    if any(each.error is None and not isnan(each.value) for each in values.values()):
        text += "; of the rows drawn, others may go further"
    elif errors:
        text += f"; standard errors up to {number(name, max(errors))}"
    return f"{text}; {UNCOUNTED}: does not count" if uncounted else text


def _list(heads: Mapping[HeadId, Partial], order: Sequence[HeadId], shown: Shown) -> Table:
    """Return a row for each head, those that stand out first; numbers that do not count marked."""
    columns = [
        _column("layer", [str(head.layer) for head in order]),
        _column("head", [str(head.head) for head in order]),
    ]
    if len({head.batch for head in order}) > 1:
        columns.insert(0, _column("batch", [str(head.batch) for head in order]))
    for rank, name in enumerate(dict.fromkeys((shown.sort or "", *shown.statistics))):
        texts = []
        for head in order:
            text = value_text(name, heads[head].value(name, shown.tau), with_unit=False)
            texts.append(text if heads[head].counts(name) else text + UNCOUNTED)
        columns.append(_column(STATISTICS[name].title, texts, rank))
    return Table(columns, np.arange(len(order)))
