"""Statistics of heads as text: a sentence, what they are of, and layers × heads."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from math import inf, isnan

from attn_tui.captures.capture import HeadId
from attn_tui.captures.not_finite import PARTS
from attn_tui.compute.counted import counted, listed
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.partial import Value
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.condition import Condition
from attn_tui.engine.found import FoundMask
from attn_tui.engine.survey import Survey
from attn_tui.engine.table import numbers_of
from attn_tui.files.paths import shown_path
from attn_tui.heads.headline import headline
from attn_tui.heads.words import (
    UNCOUNTED,
    Shown,
    head_text,
    loose_text,
    made,
    mask_text,
    number,
    own_text,
    place,
    rows_text,
    runs_text,
    statistic_text,
    value_text,
)
from attn_tui.report.masks import keys_text, packed_text
from attn_tui.report.rows import WIDTH, cells, labelled, paragraph
from attn_tui.report.table import Column, laid

_LABEL = 10
_KINDS = ("nan", "infinite")
_NAMED = 4
"""Heads, workers and blocks that a line names."""


def render(found: Survey, shown: Shown) -> Iterator[str]:
    """Yield a report of at most 80 columns."""
    statistics, sort, tau = shown.statistics, shown.sort, shown.tau
    yield paragraph(headline(numbers_of(found), statistics[0], tau))
    for condition in shown.conditions:
        yield paragraph(failure(found, condition, tau))
    yield "\n"
    yield from about(found)
    values = {name: found.values(name, tau) for name in dict.fromkeys((*statistics, sort)) if name}
    uncounted = {name: _not_counted(found, name) for name in values}
    if sort is not None:
        yield "\n"
        yield from _list(values, statistics, found.order(sort, tau), sort, uncounted)
        return
    for name in statistics:
        yield "\n"
        caption = _caption(name, values[name]) + f"; {UNCOUNTED}: does not count" * bool(
            uncounted[name]
        )
        yield from grid(name, values[name], caption, uncounted[name])


def _not_counted(found: Survey, name: str) -> frozenset[HeadId]:
    """Return the heads whose number of a statistic does not count, as the headline has it."""
    return frozenset(head for head, each in found.heads.items() if not each.counts(name))


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
    heads = failing(found, condition, tau)
    count = len(found.heads)
    if not heads and (odd := open_heads(found, condition, tau)):
        missing = [head for head in odd if found.heads[head].misses(condition.statistic)]
        rows = sum(found.heads[head].not_finite for head in odd if head not in missing)
        of = f"{len(odd):,} of {counted(count, 'head')}" if len(odd) < count else "any head"
        meet = f"{counted(rows, 'row')} meet{'s' * (rows == 1)} NaN or infinity"
        miss = "their weights miss the captured output, and may not be those in use"
        untold = any(found.heads[head].untold for head in odd if head not in missing)
        unknown = "what was captured does not tell m"
        why = "; ".join([miss] * bool(missing) + [unknown] * untold + [meet] * bool(rows))
        text = f"Cannot tell whether {condition.text} in {of}: {why}"
        return f"{text}; in no other it is." if len(odd) < count else f"{text}."
    if not heads:
        return f"In none of {counted(count, 'head')} {condition.text}."
    sign = 1.0 if condition.operator.startswith("<") else -1.0
    head = min(heads, key=lambda each: sign * heads[each].value)
    where = place(head, _has_batches(found))
    value = number(condition.statistic, heads[head].value)
    return (
        f"{condition.text} in {len(heads):,} of {counted(count, 'head')}, most in {where}: {value}."
    )


def _has_batches(found: Survey) -> bool:
    return len({block.head.batch for block in found.plan.blocks}) > 1


def about(found: Survey) -> Iterator[str]:
    """Yield what was looked at, how weights were made, and what went wrong."""
    plan, heads = found.plan, found.heads
    paths = plan.capture.paths
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    yield from _line("capture", f"{shown_path(paths[0])}{more}")
    for each in plan.capture.stated:
        yield from _line("", each)
    fitted = any(each.multiplier is not None for each in plan.masks.values())
    where = "; where that misses what was captured, m is that below" * fitted
    scale = plan.question.making.scale
    how = scale.pipeline
    if scale.is_by_layer:
        how = how.replace(scale.formula, f"{scale.definition.formula} of layer l")
    yield from _line("weights", how + where)
    lost = [head for head, each in heads.items() if each.misses("max_weight")]
    yield from _masks(plan.masks, {head.layer for head in lost})
    if own := [each.multiplier for each in heads.values() if each.multiplier is not None]:
        yield from _line("", own_text(own))
    if loose := sum(each.loose and not plan.masks[h.layer].loose for h, each in heads.items()):
        yield from _line("", loose_text(loose))
    for said in _hiding(found):
        yield from _line("", said)
    sizes = {partial.n_queries for partial in heads.values()}
    yield from _line("rows", f"{rows_text(plan.question, sizes)}; {found.elapsed:.1f} s")
    bounds = {head: each.score_bound for head, each in heads.items()}
    if bounds and not all(each.is_exact for each in heads.values()):
        largest = number("largest_score", max(bounds.values()))
        yield from _line("bound", f"no |q·k| exceeds {largest}, the largest ‖q‖ times ‖k‖")
    masked = sum(each.masked for each in heads.values())
    if masked:
        yield from _line("masked", f"{counted(masked, 'row')} without any key, which count nowhere")
    if odd := {head: each for head, each in heads.items() if each.not_finite}:
        head, first = next(iter(odd.items()))
        count = sum(each.not_finite for each in odd.values())
        where = f"{place(head, _has_batches(found))}, row {first.first_not_finite}"
        rows = f"{counted(count, 'row')} of {counted(len(odd), 'head')}"
        text = f"NaN or infinity in {rows}, first in {where}"
        yield from _line("odd", f"{text}; they count nowhere")
    if lost:
        batches = 1 + max(head.batch for head in heads)
        names = [head_text(head, batches) for head in lost[:_NAMED]]
        names += [f"{len(lost) - _NAMED:,} more"] * (len(lost) > _NAMED)
        text = f"weights of {listed(names)} miss the output, and may not be those in use; "
        # Where shapes leave the heads open, these may be none.
        is_open = any("--layout" in each for each in plan.capture.stated)
        ways = f"{'--layout, ' * is_open}--rule, --scale, --sink and --mask"
        yield from _line("unknown", f"{text}{ways} set others")
    yield from _odd(found)
    yield from _troubles(found)


def _hiding(found: Survey) -> Iterator[str]:
    """Yield which heads have keys hidden, as padding is or as other texts are."""
    by_keys: dict[tuple[str, int], int] = {}
    for head, each in found.heads.items():
        if each.hidden is not None:
            key = f"{keys_text(each.hidden)} hidden, as the output says: padding?", head.batch
        elif each.packed:
            offset = found.plan.masks[head.layer].mask.offset
            mask = HeadMask("causal", offset, packed=each.packed)
            key = f"{packed_text(mask)}, as the output says", head.batch
        else:
            continue
        by_keys[key] = by_keys.get(key, 0) + 1
    for (text, batch), count in [*by_keys.items()][:_NAMED]:
        yield f"{counted(count, 'head')} of sequence {batch}: {text}"
    if (more := len(by_keys) - _NAMED) > 0:
        yield f"{counted(more, 'more sequence')} with keys hidden so"


def _odd(found: Survey) -> Iterator[str]:
    """Yield a line for each tensor that holds NaN or infinities: how many, and where the first."""
    for part in PARTS:
        held = {h: odd for h, each in found.heads.items() for odd in each.odd if odd.part == part}
        if held:
            head, first = next(iter(held.items()))
            nan, infinite = (sum(getattr(o, of) for o in held.values()) for of in _KINDS)
            count = replace(first, nan=nan, infinite=infinite).count
            where = (
                f"{place(head, _has_batches(found))}, row {first.row:,}, column {first.column:,}"
            )
            yield from _line("odd", f"{part} holds {count}, first in {where}")


def _masks(masks: Mapping[int, FoundMask], lost: Set[int]) -> Iterator[str]:
    """Yield a line for each kind of mask, with the layers it is of and the worst fit.

    Args:
        masks: Of each layer.
        lost: The layers that have heads whose weights miss the output.
    """
    by_kind: dict[object, list[int]] = {}
    for layer, mask in masks.items():
        by_kind.setdefault((made(mask).text, mask.how), []).append(layer)
    for layers in by_kind.values():
        worst = max((masks[layer] for layer in layers), key=lambda each: each.residual or 0.0)
        which = "" if len(by_kind) == 1 else f"{runs_text('layer', layers)}: "
        but = ", but in the heads below" * (worst.fits and not lost.isdisjoint(layers))
        label = "mask" if layers[0] == next(iter(masks)) else ""
        yield from _line(label, which + mask_text(worst) + but)


def _troubles(found: Survey) -> Iterator[str]:
    total, known = len(found.plan.blocks), len(found.partials)
    if known < total:
        heads = counted(len(found.heads), "head")
        text = f"{known:,} of {total:,} blocks of rows are known, of {heads}"
        yield from _line("partly", text)
    reasons: dict[str, int] = {}
    for each in found.failed:
        reasons[each.reason] = reasons.get(each.reason, 0) + 1
    for reason, count in [*reasons.items()][:_NAMED]:
        yield from _line("failed", f"{counted(count, 'block')} of rows: {reason}")
    workers = {each.worker: each.reason for each in found.refused}
    for worker, reason in [*workers.items()][:_NAMED]:
        yield from _line("refused", f"{worker}: {reason}")
    if len(found.machines) > 1:
        kinds = "; ".join(" ".join(text for _, text in each) for each in sorted(found.machines))
        text = f"{kinds}: several, so that last digits may differ between runs, up to 1e-6"
        yield from _line("machines", text)


def _line(label: str, text: str) -> Iterator[str]:
    yield labelled(label, text, _LABEL)


def grid(
    name: str, values: Mapping[HeadId, Value], caption: str, marked: Set[HeadId] = frozenset()
) -> Iterator[str]:
    """Yield layers × heads of a statistic, some marked, in as many parts as the columns need."""
    yield paragraph(caption)
    heads = sorted({each.head for each in values})
    lines = sorted({(each.batch, each.layer) for each in values})
    if not heads:
        return
    batches = len({batch for batch, _ in lines}) > 1
    labels = [f"{batch}/{layer}" if batches else f"{layer}" for batch, layer in lines]
    title = "batch/layer" if batches else "layer"
    columns = []
    for head in heads:
        places = [HeadId(batch, layer, head) for batch, layer in lines]
        ends = [(UNCOUNTED if place in marked else " ") * bool(marked) for place in places]
        texts = [
            number(name, values[place].value) + end if place in values else ""
            for place, end in zip(places, ends, strict=True)
        ]
        columns.append(Column(f"{head}", tuple((text, "text") for text in texts)))
    width = max(cells(text) for each in columns for text in (each.title, *_texts(each))) + 1
    stub = max(map(cells, (title, *labels))) + 5
    at_once = max((WIDTH - stub) // width, 1)
    for start in range(0, len(columns), at_once):
        part = columns[start : start + at_once]
        above = f"{'head':>{stub}}" + "".join(f"{each.title:>{width}}" for each in part)
        yield (title + above[len(title) :]).rstrip() + "\n"
        for at, label in enumerate(labels):
            row = "".join(
                " " * (width - cells(text)) + text for text in (_texts(c)[at] for c in part)
            )
            yield f"{label:>{len(title)}}{'':{stub - len(title)}}{row}".rstrip() + "\n"


def _texts(column: Column) -> tuple[str, ...]:
    return tuple(text for text, _ in column.cells)


def _caption(name: str, values: Mapping[HeadId, Value]) -> str:
    text = f"{STATISTICS[name].title}: {statistic_text(name)}"
    errors = [each.error for each in values.values() if each.error]
    if any(each.error is None and not isnan(each.value) for each in values.values()):
        return f"{text}; of the rows drawn, others may go further"
    if errors:
        finite = [error for error in errors if not isnan(error)]
        return f"{text}; standard errors up to {number(name, max(finite, default=inf))}"
    return text


def _list(
    values: Mapping[str, Mapping[HeadId, Value]],
    statistics: Sequence[str],
    heads: Sequence[HeadId],
    sort: str,
    marked: Mapping[str, Set[HeadId]],
) -> Iterator[str]:
    """Yield a line for each head, those that stand out first; numbers that do not count marked."""
    names = dict.fromkeys((sort, *statistics))
    batches = len({head.batch for head in heads}) > 1
    columns = [
        *([_column("batch", [str(head.batch) for head in heads])] if batches else []),
        _column("layer", [str(head.layer) for head in heads]),
        _column("head", [str(head.head) for head in heads]),
    ]
    for rank, name in enumerate(names):
        texts = [
            value_text(name, values[name][head], with_unit=False)
            + UNCOUNTED * (head in marked[name])
            for head in heads
        ]
        columns.append(_column(STATISTICS[name].title, texts, rank))
    yield from laid(columns, WIDTH).text()


def _column(title: str, texts: Sequence[str], rank: int = 0) -> Column:
    return Column(title, tuple((text, "text") for text in texts), rank)
