"""Two captures side by side: where they part, and how statistics change, as text, JSON and CSV."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from math import isnan, nan
from typing import Any

import numpy as np

from attn_tui import __version__
from attn_tui.captures.capture import HeadId
from attn_tui.compute.counted import counted, listed
from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.answer import Answer
from attn_tui.engine.comparison import PARTS, Comparison, largest
from attn_tui.engine.entries import ROUNDINGS, Difference
from attn_tui.engine.settings import Settings
from attn_tui.files.paths import shown_path
from attn_tui.files.plain import named
from attn_tui.heads.report import NAMED, capture_to_plain, grid, masks_to_plain, value_to_plain
from attn_tui.heads.report import report as report_of_heads
from attn_tui.heads.words import (
    Shown,
    head_text,
    made,
    mask_text,
    rows_text,
    runs_text,
    statistic_text,
)
from attn_tui.report import forms, words
from attn_tui.report.numbers import general, unusual
from attn_tui.report.report import Column, Fact, Facts, Part, Report, Table, data
from attn_tui.report.report import listed as rows_of

Known = tuple[Mapping[HeadId, Partial], Mapping[HeadId, Partial]]
"""What is known of the heads of both captures."""

NOTHING = "No head has been compared."
PARTED = "They part in {head}: {part} {differs}{rest}."
SAME = "{what} are the same in all {entries} of {heads}.{lacking}"
ROUNDED = (
    "{what} agree in {heads}: that outputs differ by up to {size} is how attention rounds.{lacking}"
)
AGREED = "{what} agree: of {entries} of {heads} none is more than {steps} off.{lacking}"
"""What is said first, in the order in which it is tried."""

LACKING = " {heads} in one only, or of another shape there."

BY_ROUNDING = (
    "what rounding may explain: tensors differ by less than {most} times what it makes, or by "
    "0.01 %, and no entry by more than {most} spacings of the format at the largest of its row"
)
BY_TOLERANCE = (
    "what --tolerance allows: tensors differ by at most {size} of their size, and no entry by "
    "more than {size} of the largest number of its row"
)
"""What counts as no difference."""

COLUMNS = ("batch", "layer", "head", "what", "a", "b", "difference", "tolerance", "parts", "counts")


def headline(found: Comparison) -> str:
    """Return where two captures first part, or that they agree."""
    parting, output = found.parting, found.output_parting
    batches = _batches(found)
    if not found.pairs:
        return NOTHING
    if parting is not None:
        pair, part = parting
        rest = ""
        if part == "out" and {"q", "k", "v"} <= pair.differences.keys() and not found.computed:
            rest = ", although q, k and v agree: attention itself differs"
        elif output is not None and output.head == pair.head and part != "out":
            rest = f"; the output there {_differs(output.differences['out'])}"
        return PARTED.format(
            head=head_text(pair.head, batches),
            part="the output" if part == "out" else part,
            differs=_differs(pair.differences[part], is_placed=True),
            rest=rest,
        )
    every = [each for part in PARTS for each in found.differences(part)]
    rounded = [each.size for each in every if each.is_rounded]
    slots = {
        "what": "The heads that both have" if found.alone else "The captures",
        "heads": counted(len(found.pairs), "head"),
        "entries": counted(sum(each.entries for each in every), "entry", "entries"),
        "lacking": "",
    }
    if found.alone:
        slots["lacking"] = LACKING.format(heads=counted(len(found.alone), "head"))
    if not any(each.differ for each in every):
        return SAME.format(**slots)
    if rounded:
        return ROUNDED.format(size=words.percent(max(rounded)), **slots)
    most = max((each for each in every if each.most), key=lambda each: _spacings(each))
    return AGREED.format(steps=_steps(most), **slots)


def _batches(found: Comparison) -> int:
    return 1 + max((pair.head.batch for pair in found.pairs), default=0)


def _spacings(found: Difference) -> float:
    return found.most.spacings if found.most else 0.0


def _steps(found: Difference) -> str:
    """Return how far an entry is off, in spacings of the format."""
    return f"{counted(max(round(_spacings(found)), 1), 'spacing')} of {found.format}"


def _differs(found: Difference, is_placed: bool = False) -> str:
    """Return by how much a tensor differs, or in how many of its entries, and where most."""
    if isnan(found.size):
        text = "differs by NaN or infinity in one"
    elif found.size <= found.tolerance:
        text = f"differs in {counted(found.beyond, 'entry', 'entries')}"
    elif found.size >= 10.0:
        text = "differs by over 10 times its size"
    else:
        text = f"differs by {100.0 * found.size:.3g} %"
    if not is_placed or found.most is None:
        return text
    most = "at" if found.differ == 1 or isnan(found.size) else "most at"
    return f"{text}, {most} row {found.most.row:,}, column {found.most.column:,}"


def report(found: Comparison, known: Known, shown: Shown) -> Report:
    """Return what there is to say of two captures.

    Args:
        found: How far their tensors are apart.
        known: What is known of the heads of each.
        shown: Which statistics.
    """
    changes = _changes(known, shown)
    parts: list[Part] = [
        data(_data(found, known, shown)),
        Facts([Fact(label, (text,)) for label, text in _about(found, known)]),
        Facts([Fact(label, (text,)) for label, text in _parts(found)]),
    ]
    for name in shown.statistics:
        title = STATISTICS[name].title
        if any(each.value for each in changes[name].values()):
            words_of = statistic_text(name).removeprefix("the ")
            parts += grid(name, changes[name], f"{title}: b − a of {words_of}")
        else:
            parts.append(f"{title}: the same in all heads")
    parts.append(_csv(found, known, shown))
    return Report("", parts, headline=headline(found), csv="heads")


def _about(found: Comparison, known: Known) -> Iterator[tuple[str, str]]:
    """Yield what was compared, and what counts as a difference."""
    for label, plan in zip("ab", found.plans, strict=True):
        yield label, shown_path(plan.capture.paths[0])
    sizes = {part.n_queries for heads in known for part in heads.values()}
    rows = rows_text(found.plans[0].question, sizes)
    yield "rows", f"q, k, v and outputs whole; statistics of {rows}, the same in both"
    yield from _masks(found)
    for label, heads in zip("ab", known, strict=True):
        odd = [each.not_finite for each in heads.values() if each.not_finite]
        if odd:
            rows = f"{counted(sum(odd), 'row')} of {counted(len(odd), 'head')}"
            yield "odd", f"NaN or infinity in {rows} of {label}, which count nowhere there"
    if found.progress < 1.0:
        total = counted(found.total, "head")
        yield "partly", f"{len(found.pairs):,} of {total} were compared"
    if found.alone:
        names = [head_text(head, 2) for head in found.alone[:NAMED]]
        if len(found.alone) > NAMED:
            names.append(f"{len(found.alone) - NAMED:,} more")
        yield "alone", f"in one only, or of another shape there: {listed(names)}"
    if found.computed:
        yield "output", "P·V of these rows, since one capture has none; --mask and the like say how"
    if found.tolerance is None:
        yield "agrees", BY_ROUNDING.format(most=f"{ROUNDINGS:g}")
    else:
        yield "agrees", BY_TOLERANCE.format(size=general(found.tolerance, 3))


def _masks(found: Comparison) -> Iterator[tuple[str, str]]:
    """Yield a line for each pair of weights not made alike, with the layers it is of."""
    a, b = (plan.masks for plan in found.plans)
    layers: dict[tuple[str, str], list[int]] = {}
    for layer in a:
        if layer in b and made(a[layer]) != replace(made(b[layer]), missed=made(a[layer]).missed):
            one, other = (mask_text(replace(each[layer], residual=None)) for each in (a, b))
            layers.setdefault((one, other), []).append(layer)
    for (one, other), of in layers.items():
        sides = f"{runs_text('layer', of)}: in a {one}; in b {other}"
        text = f"{sides}: statistics change by that alone"
        yield "weights", f"{text}, unless --rule and --mask say the same for both"


def _parts(found: Comparison) -> Iterator[tuple[str, str]]:
    """Yield for each part how many entries differ, in which head first, and where most."""
    batches = _batches(found)
    for part in PARTS:
        pairs = [pair for pair in found.pairs if part in pair.differences]
        most = largest(pairs, part)
        if most is None:
            continue
        every = found.differences(part)
        differ = sum(each.differ for each in every)
        heads = counted(len(pairs), "head")
        entries = counted(sum(each.entries for each in every), "entry", "entries")
        apart = [pair for pair in pairs if pair.differences[part].parts]
        rounded = sum(pair.differences[part].is_rounded for pair in pairs)
        if not differ:
            yield part, f"the same in {heads}: {entries}"
        else:
            text = f"agrees in {heads}"
            if apart:
                first = min(apart, key=lambda pair: (pair.head.layer, pair.head))
                where = f"{head_text(first.head, batches)}: {_differs(first.differences[part])}"
                text = f"differs in {len(apart):,} of {heads}, first in {where}"
            if rounded:
                text += f"; in {rounded:,} of them as each rounds inside attention"
            where = f"{head_text(most.head, batches)}, {_entry(most.differences[part])}"
            yield part, f"{text}; {differ:,} of {entries} differ, most in {where}"
        a, b, both = (sum(each.odd[at] for each in every) for at in range(3))
        if a or b or both:
            yield "", f"NaN or infinity: {a:,} in a, {b:,} in b, {both:,} in both"


def _entry(found: Difference) -> str:
    """Return where two tensors differ most, and by how much."""
    most = found.most
    if most is None:
        return "nowhere"
    one, other = (unusual(each) or general(each, 6) for each in (most.one, most.other))
    text = f"row {most.row:,}, column {most.column:,}: {one} and {other}"
    return text if isnan(most.spacings) else f"{text}, {_steps(found)}"


def _changes(known: Known, shown: Shown) -> dict[str, dict[HeadId, Value]]:
    """Return b − a of each statistic, of the heads of both; NaN where one does not count."""
    a, b = known
    changes: dict[str, dict[HeadId, Value]] = {name: {} for name in shown.statistics}
    for name, found in changes.items():
        for head in (head for head in a if head in b):
            sides = a[head], b[head]
            is_open = any(each.not_finite or each.misses(name) for each in sides)
            before, now = (each.value(name, shown.tau).value for each in sides)
            found[head] = Value(nan if is_open else now - before)
    return changes


def _data(found: Comparison, known: Known, shown: Shown) -> dict[str, Any]:
    """Return what JSON has; ``docs/json.md`` explains each field."""
    one, other = found.plans
    parting, output = found.parting, found.output_parting
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
        differences = {part: _difference(each) for part, each in pair.differences.items()}
        odd = {label: each.not_finite for label, each in sides.items()}
        own = {"differences": differences, "not_finite_rows": odd, "statistics": statistics}
        heads.append(asdict(pair.head) | own)
    return {
        "version": __version__,
        "a": capture_to_plain(one) | {"masks": masks_to_plain(one)},
        "b": capture_to_plain(other) | {"masks": masks_to_plain(other)},
        "question": one.question.as_plain() | {"tau": shown.tau},
        "progress": found.progress,
        "computed": found.computed,
        "parting": None if parting is None else {**asdict(parting[0].head), "part": parting[1]},
        "output_parting": output and output.head,
        "alone": found.alone,
        "heads": heads,
    }


def _difference(found: Difference) -> dict[str, Any]:
    names = ("size", "tolerance", "parts", "is_rounded", "entries", "differ", "beyond")
    odd = dict(zip(("a", "b", "both"), found.odd, strict=True))
    most = None
    if found.most is not None:
        most = named(found.most, ("row", "column", "spacings"))
        most |= {"a": found.most.one, "b": found.most.other, "format": found.format}
    return {**named(found, names), "not_finite": odd, "most": most}


def _csv(found: Comparison, known: Known, shown: Shown) -> Table:
    """Return a row for each head and part, and for each head and statistic."""
    changes = _changes(known, shown)
    rows: list[tuple[Any, ...]] = []
    for pair in found.pairs:
        at = (pair.head.batch, pair.head.layer, pair.head.head)
        for part, each in pair.differences.items():
            rows.append((*at, part, None, None, each.size, each.tolerance, each.parts, None))
        for name in shown.statistics:
            sides = [each.get(pair.head) for each in known]
            a, b = (each and each.value(name, shown.tau).value for each in sides)
            change = changes[name].get(pair.head)
            counts = all(each.counts(name) for each in sides if each)
            rows.append((*at, name, a, b, change and change.value, None, None, counts))
    columns = [
        Column("", rows_of(row[place] for row in rows), name=name)
        for place, name in enumerate(COLUMNS)
    ]
    return Table(columns, np.arange(len(rows)), csv="heads")


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
