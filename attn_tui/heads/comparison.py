"""Two captures side by side, as text, CSV and JSON: where they part, and how statistics change."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from math import isnan, nan
from pathlib import PurePath
from typing import Any

from attn_tui import __version__
from attn_tui.captures.capture import HeadId
from attn_tui.compute.counted import counted, listed
from attn_tui.compute.heads.partial import Partial, Value
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.visible import visible
from attn_tui.engine.comparison import PARTS, Comparison, HeadPair, largest
from attn_tui.engine.entries import ROUNDINGS, Difference
from attn_tui.engine.plan import Plan
from attn_tui.files.codec import report_text
from attn_tui.files.paths import shown_path
from attn_tui.files.plain import named
from attn_tui.heads.json import capture_to_plain, masks_to_plain, value_to_plain
from attn_tui.heads.text import grid
from attn_tui.heads.words import (
    Shown,
    made,
    mask_text,
    place,
    rows_text,
    runs_text,
    statistic_text,
)
from attn_tui.report.csv_text import csv_text
from attn_tui.report.headline import FULL, Headline, percent
from attn_tui.report.miss import RULE
from attn_tui.report.numbers import general, unusual
from attn_tui.report.rows import labelled

_LABEL, _NAMED = 10, 4
_NAMES, _MANY = {"out": "the output"}, {"out": "outputs"}

COLUMNS = ("batch", "layer", "head", "what", "a", "b", "difference", "tolerance", "parts", "counts")
"""The names of the columns of CSV."""

Known = tuple[Mapping[HeadId, Partial], Mapping[HeadId, Partial]]
"""What is known of the heads of both captures."""


def headline(found: Comparison) -> Headline:
    """Return what was compared, and where the captures part, in plain words."""
    parting, output = found.parting, found.output_parting
    batches = len({pair.head.batch for pair in found.pairs}) > 1
    if not found.pairs:
        text = "No head has been compared."
        return Headline.fitting((text,), (text,))
    if parting is None:
        return _agreeing(found)
    pair, part = parting
    named = _NAMES.get(part, part)
    where = place(pair.head, batches)
    size = _size(pair, part)
    first = f"They part in {where}: {named} differs {size}"
    if at := _at(pair.differences[part]):
        one = pair.differences[part].differ == 1 or isnan(pair.differences[part].size)
        first += f", {'at' if one else 'most at'} {at}"
    brief = f"They part in {where}: {named} differs {size}."
    shorts = (f"They part in {where}: {named}, {size}.", f"They part in {where}.")
    rest = ""
    if part == "out":
        if {"q", "k", "v"} <= pair.differences.keys() and not found.computed:
            rest = ", although q, k and v agree there: attention itself differs"
    elif output is None:
        rest = "; no output differs by more than rounding"
    elif output.head == pair.head:
        rest = f"; the output there {_size(output, 'out')}"
    else:
        rest = f"; outputs from {place(output.head, batches)} on, {_size(output, 'out')}"
    fulls = (f"{first}{rest}.", f"{first}.", brief)
    lacks = _lacking(found)
    return Headline.fitting((*(each + lacks for each in fulls), *fulls), shorts)


def _lacking(found: Comparison) -> str:
    """Return a sentence, behind others, about what only one capture has; empty if nothing is so."""
    names = [PurePath(plan.capture.paths[0]).name for plan in found.plans]
    if names[0] == names[1] or any(len(plan.capture.paths) > 1 for plan in found.plans):
        names = ["one", "the other"]
    heads = [{block.head for block in plan.blocks} for plan in found.plans]
    said = []
    for name, own, other in zip(names, heads, reversed(heads), strict=True):
        lacks = {*found.alone} & (other - own)
        layers = sorted({each.layer for each in lacks})
        what = counted(len(lacks), "head")
        if not {*layers} & {each.layer for each in own}:
            what = runs_text("layer", layers)
        if lacks:
            said.append(f"{visible(name)} lacks {what}")
    if apart := {*found.alone} & heads[0] & heads[1]:
        said.append(
            f"{counted(len(apart), 'head')} ha{'s' if len(apart) == 1 else 've'} two shapes"
        )
    return f" But {listed(said)}." * bool(said)


def _agreeing(found: Comparison) -> Headline:
    """Return what is said where nothing differs by more than rounding: what was compared."""
    every = [each for part in PARTS for each in found.differences(part)]
    entries, differ = (sum(getattr(each, of) for each in every) for of in ("entries", "differ"))
    heads = counted(len(found.pairs), "head")
    parts = [_MANY.get(part, part) for part in PARTS if found.differences(part)]
    compared = f"{counted(entries, 'entry', 'entries')} of {listed(parts)} of {heads}"
    odd = sum(each.odd[2] for each in every)
    both = f" Both hold NaN or infinity in {odd:,} of them." * bool(odd)
    lacks, few = _lacking(found), ""
    if found.alone:
        few = f" {counted(len(found.alone), 'head')} in one only."
    what = "heads that both have" if found.alone else "captures"
    if not differ:
        text = f"The {what} are the same in {'all ' * (entries > 1)}{compared}."
        shorts = [f"The same in {heads}."]
    else:
        most = max((each for each in every if each.most), key=_spacings)
        steps = _steps(most)
        text = f"The {what} agree: of {compared} none is more than {steps} off."
        shorts = [f"They agree: none more than {steps} off.", f"They agree in {heads}."]
        if rounded := [each for each in every if each.is_rounded]:
            size = percent(max(each.size for each in rounded))
            text = f"The {what} agree in {heads}: that outputs differ by up to {size} is how "
            text += "attention rounds, from q, k and v that agree."
            shorts[0] = f"They agree but for rounding inside attention: {size}."
    brief = shorts[-1]
    fulls = (text + lacks + both, text + lacks, brief + lacks, brief + few)
    return Headline.fitting(fulls, [each + few for each in shorts])


def _spacings(found: Difference) -> float:
    return found.most.spacings if found.most else 0.0


def _steps(found: Difference) -> str:
    """Return how far an entry is off, in spacings of the format."""
    return f"{counted(max(round(_spacings(found)), 1), 'spacing')} of {found.format}"


def _at(found: Difference) -> str:
    return f"row {found.most.row:,}, column {found.most.column:,}" if found.most else ""


def _size(pair: HeadPair, part: str) -> str:
    """Return by how much a tensor differs, or in how many of its entries."""
    found = pair.differences[part]
    if isnan(found.size):
        return "by NaN or infinity in one"
    if found.size <= found.tolerance:
        return f"in {found.beyond:,} of {counted(found.entries, 'entry', 'entries')}"
    if found.size >= 10.0:
        return "by over 10 times its size"
    return "by " + (percent(found.size) if found.size < 0.995 else f"{100.0 * found.size:.0f} %")


def render_text(found: Comparison, known: Known, shown: Shown) -> Iterator[str]:
    """Yield a report of at most 80 columns."""
    yield headline(found).text(FULL)
    yield "\n"
    for label, plan in zip("ab", found.plans, strict=True):
        yield from _line(label, shown_path(plan.capture.paths[0]))
    sizes = {part.n_queries for heads in known for part in heads.values()}
    rows = f"{rows_text(found.plans[0].question, sizes)}, the same in both"
    yield from _line("rows", f"q, k, v and outputs whole; statistics of {rows}")
    yield from _masks(found.plans)
    yield from _odd(known)
    if found.progress < 1.0:
        yield from _line(
            "partly", f"{len(found.pairs):,} of {counted(found.total, 'head')} were compared"
        )
    if found.alone:
        layers: dict[tuple[int, int], list[int]] = {}
        for head in found.alone:
            layers.setdefault((head.batch, head.layer), []).append(head.head)
        has_batches = any(batch for batch, _ in layers)
        of = [
            f"layer {layer} {runs_text('head', heads)}" + f" of sequence {batch}" * has_batches
            for (batch, layer), heads in [*layers.items()][:_NAMED]
        ]
        if rest := sum(map(len, [*layers.values()][_NAMED:])):
            of.append(f"{rest:,} more")
        heads = f"{counted(len(found.alone), 'head')} in one only, or of another shape there"
        yield from _line("alone", f"{heads}: {listed(of)}")
    if found.computed:
        text = "P·V of these rows, since one capture has none; --mask and the like say how"
        yield from _line("output", text)
    text = (
        f"what rounding may explain: the tensors differ by less than {ROUNDINGS:g} times what "
        f"rounding makes, or by 0.01 %, and no entry by more than {ROUNDINGS:g} spacings of the "
        "format at the largest number of its row"
    )
    if found.tolerance is not None:
        size = general(found.tolerance, 3)
        text = f"what --tolerance allows: the tensors differ by at most {size} of their size, and "
        text += f"no entry by more than {size} of the largest number of its row"
    yield from _line("agrees", text)
    yield "\n"
    yield from _parts(found)
    changes = _changes(known, shown)
    for name in shown.statistics:
        yield "\n"
        statistic = STATISTICS[name]
        caption = f"{statistic.title}: b − a of {statistic_text(name).removeprefix('the ')}"
        if not any(each.value for each in changes[name].values()):
            yield f"{statistic.title}: the same in all heads\n"
            continue
        yield from grid(name, changes[name], caption)


def _masks(plans: tuple[Plan, Plan]) -> Iterator[str]:
    """Yield a line for each pair of weights not made alike, with the layers it is of."""
    a, b = (each.masks for each in plans)
    layers: dict[tuple[str, str], list[int]] = {}
    for layer in a:
        if layer in b and made(a[layer]) != replace(made(b[layer]), missed=made(a[layer]).missed):
            sides = [replace(each[layer], residual=None) for each in (a, b)]
            rule = f"m = {RULE}, " * any(each.multiplier for each in sides)
            one, other = (rule * (not each.multiplier) + mask_text(each) for each in sides)
            layers.setdefault((one, other), []).append(layer)
    for (one, other), of in layers.items():
        text = (
            f"{runs_text('layer', of)}: in a {one}; in b {other}: statistics change by that alone, "
        )
        yield from _line("weights", f"{text}unless --rule and --mask say the same for both")


def _odd(known: Known) -> Iterator[str]:
    """Yield how many rows meet NaN, for which heads have no change."""
    for label, heads in zip("ab", known, strict=True):
        odd = [each.not_finite for each in heads.values() if each.not_finite]
        if odd:
            rows = f"{counted(sum(odd), 'row')} of {counted(len(odd), 'head')}"
            text = f"NaN or infinity in {rows} of {label}, which count nowhere there: how "
            yield from _line("odd", f"{text}statistics change is not said of these heads")


def _parts(found: Comparison) -> Iterator[str]:
    """Yield for each part how many entries differ, in which head first, and where most."""
    batches = len({pair.head.batch for pair in found.pairs}) > 1
    for part in PARTS:
        pairs = [pair for pair in found.pairs if part in pair.differences]
        most = largest(pairs, part)
        if most is None:
            continue
        every = found.differences(part)
        entries, differ = (sum(getattr(each, of) for each in every) for of in ("entries", "differ"))
        heads, all_entries = counted(len(pairs), "head"), counted(entries, "entry", "entries")
        text = f"the same in {heads}: {all_entries}"
        if differ:
            apart = sorted(
                (pair for pair in pairs if pair.differences[part].parts),
                key=lambda pair: (pair.head.layer, pair.head),
            )
            text = f"agrees in {heads}"
            if apart:
                text = f"differs in {len(apart):,} of {heads}, first in "
                text += f"{place(apart[0].head, batches)}, {_size(apart[0], part)}"
            if rounded := sum(pair.differences[part].is_rounded for pair in pairs):
                text += f", in {rounded:,} of them as each rounds inside attention"
            text += f"; {differ:,} of {all_entries} differ{'s' * (differ == 1)}, most in "
            text += f"{place(most.head, batches)}, {_entry_text(most.differences[part])}"
        yield from _line(part, text)
        a, b, both = (sum(each.odd[at] for each in every) for at in range(3))
        if a or b:
            yield from _line("", f"NaN or infinity: {a:,} in a, {b:,} in b, {both:,} in both")


def _entry_text(found: Difference) -> str:
    """Return where two tensors differ most, and by how much."""
    if found.most is None:
        return "nowhere"
    one, other = (unusual(each) or general(each, 6) for each in (found.most.one, found.most.other))
    steps = "" if isnan(found.most.spacings) else f", {_steps(found)}"
    return f"{_at(found)}: {one} and {other}{steps}"


def _changes(known: Known, shown: Shown) -> dict[str, dict[HeadId, Value]]:
    """Return b − a of each statistic, of the heads of both; NaN where some rows meet NaN."""
    a, b = known
    return {
        name: {head: Value(_change(a[head], b[head], name, shown.tau)) for head in a if head in b}
        for name in shown.statistics
    }


def _change(a: Partial, b: Partial, name: str, tau: float) -> float:
    """Return b − a of a statistic; NaN if rows, or the weights, of one count nowhere."""
    if a.not_finite or b.not_finite or a.misses(name) or b.misses(name):
        return nan
    return b.value(name, tau).value - a.value(name, tau).value


def _line(label: str, text: str) -> Iterator[str]:
    yield labelled(label, text, _LABEL)


def render_json(found: Comparison, known: Known, shown: Shown) -> Iterator[str]:
    """Yield strict JSON; ``docs/json.md`` explains each field."""
    parting, output = found.parting, found.output_parting
    a, b = known
    yield from report_text(
        {
            "version": __version__,
            "headline": headline(found),
            "a": capture_to_plain(found.plans[0]) | {"masks": masks_to_plain(found.plans[0])},
            "b": capture_to_plain(found.plans[1]) | {"masks": masks_to_plain(found.plans[1])},
            "question": found.plans[0].question.as_plain() | {"tau": shown.tau},
            "progress": found.progress,
            "computed": found.computed,
            "parting": None if parting is None else {**asdict(parting[0].head), "part": parting[1]},
            "output_parting": output and output.head,
            "alone": found.alone,
            "heads": [
                {
                    **asdict(pair.head),
                    "differences": {
                        part: _to_plain(each) for part, each in pair.differences.items()
                    },
                    "not_finite_rows": {
                        label: side[pair.head].not_finite
                        for label, side in (("a", a), ("b", b))
                        if pair.head in side
                    },
                    "statistics": {
                        name: {
                            label: value_to_plain(side[pair.head], name, shown.tau)
                            for label, side in (("a", a), ("b", b))
                            if pair.head in side
                        }
                        for name in shown.statistics
                    },
                }
                for pair in found.pairs
            ],
        }
    )


def _to_plain(found: Difference) -> dict[str, Any]:
    most = found.most
    return {
        **named(found, ("size", "tolerance", "parts", "is_rounded", "entries", "differ", "beyond")),
        "not_finite": dict(zip(("a", "b", "both"), found.odd, strict=True)),
        "most": None
        if most is None
        else {
            "row": most.row,
            "column": most.column,
            "a": most.one,
            "b": most.other,
            "spacings": most.spacings,
            "format": found.format,
        },
    }


def render_csv(found: Comparison, known: Known, shown: Shown) -> Iterator[str]:
    """Yield a line for each head and part, and for each head and statistic."""
    yield csv_text([COLUMNS])
    changes = _changes(known, shown)
    for pair in found.pairs:
        at = (pair.head.batch, pair.head.layer, pair.head.head)
        rows: list[tuple[Any, ...]] = [
            (*at, part, None, None, each.size, each.tolerance, each.parts, None)
            for part, each in pair.differences.items()
        ]
        for name in shown.statistics:
            sides = [each.get(pair.head) for each in known]
            plain = [each and each.value(name, shown.tau).value for each in sides]
            change = changes[name].get(pair.head)
            counts = all(each.counts(name) for each in sides if each)
            rows.append((*at, name, *plain, change and change.value, None, None, counts))
        yield csv_text(rows)
