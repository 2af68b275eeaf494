"""Two captures side by side: where they part, and how statistics change, as text, JSON and CSV."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from math import nan
from typing import Any

import numpy as np

from attn_tui import __version__
from attn_tui.captures.capture import HeadId
from attn_tui.compute.counted import counted, listed
from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.visible import visible
from attn_tui.engine.answer import Answer
from attn_tui.engine.comparison import PARTS, ROUNDINGS, Comparison, Difference, Entry
from attn_tui.engine.settings import Settings
from attn_tui.heads.report import NAMED, capture_to_plain, grid, masks_to_plain, value_to_plain
from attn_tui.heads.report import report as report_of_heads
from attn_tui.heads.words import (
    Shown,
    head_text,
    mask_text,
    rows_text,
    runs_text,
    statistic_text,
)
from attn_tui.report import forms, words
from attn_tui.report.miss import made_text
from attn_tui.report.numbers import general, unusual
from attn_tui.report.report import Column, Fact, Facts, Part, Report, Table, data
from attn_tui.report.report import listed as rows_of

Known = tuple[Mapping[HeadId, Partial], Mapping[HeadId, Partial]]
"""What is known of the heads of both captures."""

NOTHING = "No head has been compared."
PARTED = "They part in {head}: {part} {differs}, most at row {row:,}, column {column:,}."
PARTED_INSIDE = (
    "They part in {head}: the output {differs}, most at row {row:,}, column {column:,}, although "
    "q, k and v agree: attention itself differs."
)
SAME = "{what} are the same in all {entries} of {heads}."
ROUNDED = "{what} agree in {heads}: that outputs differ by up to {size} is how attention rounds."
AGREED = "{what} agree: of {entries} of {heads} none is more than {steps} off."
"""What is said first, in the order in which it is tried."""

BY_ROUNDING = (
    "what rounding may explain: tensors differ by less than {most} times what it makes, or by "
    "0.01 %, and no entry by more than {most} spacings of the format at the largest of its row"
)
"""What counts as no difference."""

COLUMNS = ("batch", "layer", "head", "what", "a", "b", "difference", "tolerance", "parts", "counts")


def headline(found: Comparison) -> str:
    """Return where two captures first part, or that they agree."""
    if not found.pairs:
        return NOTHING
    if found.parting is not None:
        pair, part = found.parting
        difference = pair.differences[part]
        assert difference.most is not None
        is_inside = part == "out" and {"q", "k", "v"} <= pair.differences.keys()
        return (PARTED_INSIDE if is_inside else PARTED).format(
            head=head_text(pair.head, _batches(found)),
            part="the output" if part == "out" else part,
            differs=_differs(difference),
            row=difference.most.row,
            column=difference.most.column,
        )
    every = [each for pair in found.pairs for each in pair.differences.values()]
    slots = {
        "what": "The heads that both have" if found.alone else "The captures",
        "heads": counted(len(found.pairs), "head"),
        "entries": counted(_entries(found), "entry", "entries"),
    }
    if rounded := [each.size for each in every if each.is_rounded]:
        return ROUNDED.format(size=words.percent(max(rounded)), **slots)
    entries = [each.most for each in every if each.most is not None]
    if not entries:
        return SAME.format(**slots)
    return AGREED.format(steps=_steps(max(entries, key=lambda each: each.spacings)), **slots)


def _batches(found: Comparison) -> int:
    return 1 + max((pair.head.batch for pair in found.pairs), default=0)


def _differences(found: Comparison, part: str) -> tuple[Difference, ...]:
    """Return those of a part; what heads share stands there once, as it is one object."""
    every = [pair.differences[part] for pair in found.pairs if part in pair.differences]
    return tuple({id(each): each for each in every}.values())


def _entries(found: Comparison) -> int:
    return sum(each.entries for part in PARTS for each in _differences(found, part))


def _steps(entry: Entry) -> str:
    """Return how far an entry is off, in spacings of the format."""
    return f"{counted(max(round(entry.spacings), 1), 'spacing')} of {entry.format}"


def _differs(found: Difference) -> str:
    """Return by how much a tensor differs, or in how many of its entries."""
    if found.is_odd:
        return "differs by NaN or infinity in one"
    if found.size <= found.tolerance:
        return f"differs in {counted(found.beyond, 'entry', 'entries')}"
    return f"differs by {general(100.0 * found.size, 3)} %"


def report(found: Comparison, known: Known, shown: Shown) -> Report:
    """Return what there is to say of two captures.

    Args:
        found: How far their tensors are apart.
        known: What is known of the heads of each.
        shown: Which statistics.
    """
    changes = {name: _changes(known, name, shown.tau) for name in shown.statistics}
    lines = [*_about(found, known), *_parts(found)]
    parts: list[Part] = [
        data(_data(found, known, shown)),
        Facts([Fact(label, (text,)) for label, text in lines]),
    ]
    for name, values in changes.items():
        title = STATISTICS[name].title
        if any(each.value for each in values.values()):
            words_of = statistic_text(name).removeprefix("the ")
            parts += grid(name, values, f"{title}: b − a of {words_of}")
        else:
            parts.append(f"{title}: the same in all heads")
    rows: list[tuple[Any, ...]] = []
    for pair in found.pairs:
        at = (pair.head.batch, pair.head.layer, pair.head.head)
        for part, each in pair.differences.items():
            rows.append((*at, part, None, None, each.size, each.tolerance, each.parts, None))
        sides = [heads[pair.head] for heads in known if pair.head in heads]
        if len(sides) == 2:
            for name, values in changes.items():
                numbers = [each.value(name, shown.tau).value for each in sides]
                counts = all(each.counts(name) for each in sides)
                change = values[pair.head].value
                rows.append((*at, name, *numbers, change, None, None, counts))
    columns = [
        Column("", rows_of(row[place] for row in rows), name=name)
        for place, name in enumerate(COLUMNS)
    ]
    parts.append(Table(columns, np.arange(len(rows)), csv="heads"))
    return Report("", parts, headline=headline(found), csv="heads")


def _about(found: Comparison, known: Known) -> Iterator[tuple[str, str]]:
    """Yield what was compared, and what counts as a difference."""
    for label, plan in zip("ab", found.plans, strict=True):
        yield label, visible(plan.capture.paths[0])
    sizes = {part.n_queries for heads in known for part in heads.values()}
    rows = rows_text(found.plans[0].question, sizes)
    yield "rows", f"q, k, v and outputs whole; statistics of {rows}, the same in both"
    a, b = (plan.masks for plan in found.plans)
    layers: dict[tuple[str, str], list[int]] = {}
    for layer in a:
        if layer in b and made_text(a[layer]) != made_text(b[layer]):
            one, other = (mask_text(replace(each[layer], residual=None)) for each in (a, b))
            layers.setdefault((one, other), []).append(layer)
    for (one, other), of in layers.items():
        sides = f"{runs_text('layer', of)}: in a {one}; in b {other}"
        text = f"{sides}: statistics change by that alone"
        yield "weights", f"{text}, unless --rule and --mask say the same for both"
    if found.progress < 1.0:
        total = counted(found.total, "head")
        yield "partly", f"{len(found.pairs):,} of {total} were compared"
    if found.alone:
        names = [head_text(head, 2) for head in found.alone[:NAMED]]
        if len(found.alone) > NAMED:
            names.append(f"{len(found.alone) - NAMED:,} more")
        yield "alone", f"in one only, or of another shape there: {listed(names)}"
    yield "agrees", BY_ROUNDING.format(most=f"{ROUNDINGS:g}")


def _parts(found: Comparison) -> Iterator[tuple[str, str]]:
    """Yield for each part in how many heads it differs, in which first, and where most."""
    batches = _batches(found)
    for part in PARTS:
        pairs = [pair for pair in found.pairs if part in pair.differences]
        if not pairs:
            continue
        heads = counted(len(pairs), "head")
        every = _differences(found, part)
        entries = counted(sum(each.entries for each in every), "entry", "entries")
        differ = sum(each.differ for each in every)
        apart = found.parting_in(part)
        text = f"agrees in {heads}"
        if apart:
            first = apart[0]
            where = f"{head_text(first.head, batches)}: {_differs(first.differences[part])}"
            text = f"differs in {len(apart):,} of {heads}, first in {where}"
        most = max(pairs, key=lambda pair: pair.differences[part].size)
        entry = most.differences[part].most
        if entry is None:
            yield part, f"the same in {heads}: {entries}"
            continue
        one, other = (unusual(each) or general(each, 6) for each in (entry.a, entry.b))
        where = f"{head_text(most.head, batches)}, row {entry.row:,}, column {entry.column:,}"
        text = f"{text}; {differ:,} of {entries} differ, most in {where}: {one} and {other}"
        yield part, text if most.differences[part].is_odd else f"{text}, {_steps(entry)}"


def _changes(known: Known, name: str, tau: float) -> dict[HeadId, Value]:
    """Return b − a of a statistic, of the heads of both; NaN where one does not count."""
    a, b = known
    changes = {}
    for head in (head for head in a if head in b):
        sides = a[head], b[head]
        is_open = any(each.not_finite or each.misses(name) for each in sides)
        before, now = (each.value(name, tau).value for each in sides)
        changes[head] = Value(nan if is_open else now - before)
    return changes


def _data(found: Comparison, known: Known, shown: Shown) -> dict[str, Any]:
    """Return what JSON has; ``docs/json.md`` explains each field."""
    one, other = found.plans
    heads = []
    for pair in found.pairs:
        sides = {
            label: side[pair.head]
            for label, side in zip("ab", known, strict=True)
            if pair.head in side
        }
        statistics = {
            name: {label: value_to_plain(each, name, shown.tau) for label, each in sides.items()}
            for name in shown.statistics
        }
        differences = {
            part: asdict(each) | {"parts": each.parts} for part, each in pair.differences.items()
        }
        heads.append(asdict(pair.head) | {"differences": differences, "statistics": statistics})
    parting = None
    if found.parting is not None:
        parting = asdict(found.parting[0].head) | {"part": found.parting[1]}
    return {
        "version": __version__,
        "a": capture_to_plain(one) | {"masks": masks_to_plain(one)},
        "b": capture_to_plain(other) | {"masks": masks_to_plain(other)},
        "question": one.question.as_plain() | {"tau": shown.tau},
        "progress": found.progress,
        "parting": parting,
        "alone": found.alone,
        "heads": heads,
    }


def report_of(answer: Answer) -> Report:
    """Return what there is to say of a capture, or of two that are compared.

    It has every statistic, the one that is looked at first.
    """
    settings = answer.experiment.setup.get(Settings)
    shown = Shown(tuple(dict.fromkeys((settings.statistic, *STATISTICS))), tau=settings.tau)
    if answer.other is None or answer.comparison is None:
        return report_of_heads(answer.survey, shown)
    known = answer.other.partials, answer.table.partials
    return report(answer.comparison, known, shown)


def json(answer: Answer) -> Iterator[str]:
    """Yield all there is to say of an answer as JSON."""
    return forms.json(report_of(answer))
