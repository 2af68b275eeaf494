"""Two captures side by side, as text, CSV and JSON: where they part, and how statistics change."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isnan
from textwrap import wrap
from typing import Any

from attn_tui import __version__
from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.partial import Value
from attn_tui.compute.heads.statistic import STATISTICS, TAU
from attn_tui.engine.comparison import PARTS, Comparison, HeadPair, largest
from attn_tui.engine.survey import Survey
from attn_tui.files.codec import SCHEMA
from attn_tui.files.plain import json_text, plain_number
from attn_tui.report.csv_text import csv_text
from attn_tui.report.headline import FULL, Headline, percent
from attn_tui.report.heads.json import capture_to_plain, masks_to_plain, value_to_plain
from attn_tui.report.heads.text import grid
from attn_tui.report.heads.words import place, rows_text
from attn_tui.report.rows import WIDTH

_LABEL = 10
_LEAST = 5e-4
"""Below it a difference is one of less than 0.1 %."""

COLUMNS = ("batch", "layer", "head", "what", "a", "b", "difference", "tolerance", "parts")
"""The names of the columns of CSV."""

Surveys = tuple[Survey, Survey]


def headline(found: Comparison) -> Headline:
    """Return where the captures part, in plain words."""
    parting, output = found.parting, found.output_parting
    batches = len({pair.head.batch for pair in found.pairs}) > 1
    if not found.pairs:
        text = "No head has been compared."
        return Headline.fitting((text,), (text,))
    if parting is None:
        most = max(each.size for pair in found.pairs for each in pair.differences.values())
        count = f"{len(found.pairs):,}"
        if not most:
            text = f"The captures are the same in all rows compared of {count} heads."
            return Headline.fitting((text,), ("The same in all heads.",))
        # A norm says nothing of single numbers.
        size = "0.1 %" if most < _LEAST else percent(most)
        text = f"The captures agree: in {count} heads no tensor as a whole is more than {size} off."
        return Headline.fitting((text,), (f"They agree within {size} in all heads.",))
    pair, part = parting
    named = {"q": "q", "k": "k", "v": "v", "out": "the output"}[part]
    where = place(pair.head, batches)
    size = _size(pair, part)
    first = f"They part in {where}: {named} differs by {size}"
    shorts = (f"They part in {where}: {named}, by {size}.", f"They part in {where}.")
    if part == "out":
        same = "although q, k and v agree there: attention itself differs"
        if {"q", "k", "v"} <= pair.differences.keys() and not found.computed:
            return Headline.fitting((f"{first}, {same}.", f"{first}."), shorts)
        return Headline.fitting((f"{first}.",), shorts)
    if output is None:
        rest = "no output differs by more than rounding"
    elif output.head == pair.head:
        rest = f"the output there by {_size(output, 'out')}"
    else:
        rest = f"outputs from {place(output.head, batches)} on, by {_size(output, 'out')}"
    return Headline.fitting((f"{first}; {rest}.", f"{first}."), shorts)


def _size(pair: HeadPair, part: str) -> str:
    size = pair.differences[part].size
    if isnan(size):
        return "NaN or infinity in one"
    if size >= 10.0:
        return "over 10 times its size"
    return percent(size) if size < 0.995 else f"{100.0 * size:.0f} %"


def render_text(
    found: Comparison, surveys: Surveys, statistics: Sequence[str], tau: float = TAU
) -> Iterator[str]:
    """Yield a report of at most 80 columns."""
    yield headline(found).text(FULL)
    yield "\n"
    for label, plan in zip("ab", found.plans, strict=True):
        yield from _line(label, plan.capture.paths[0])
    sizes = {part.n_queries for each in surveys for part in each.heads.values()}
    yield from _line("rows", f"{rows_text(found.plans[0].question, sizes)}, the same in both")
    if found.progress < 1.0:
        yield from _line("partly", f"{len(found.pairs):,} of {found.total:,} heads were compared")
    if found.alone:
        heads = f"{len(found.alone):,} heads are in one only, or have another shape there"
        yield from _line("alone", heads)
    if found.computed:
        text = "outputs are P·V, since one capture has none; --mask and the like say how"
        yield from _line("output", text)
    yield from _line("agrees", "what differs by less than 8 times its rounding, or by 0.01 %")
    yield "\n"
    yield from _parts(found)
    changes = _changes(surveys, statistics, tau)
    for name in statistics:
        yield "\n"
        statistic = STATISTICS[name]
        caption = f"{statistic.title}: b − a of {statistic.words.removeprefix('the ')}"
        if not any(each.value for each in changes[name].values()):
            yield f"{statistic.title}: the same in all heads\n"
            continue
        yield from grid(name, changes[name], caption)


def _parts(found: Comparison) -> Iterator[str]:
    """Yield a line for each part: in how many heads it differs, where first and where most."""
    batches = len({pair.head.batch for pair in found.pairs}) > 1
    for part in PARTS:
        pairs = [pair for pair in found.pairs if part in pair.differences]
        most = largest(pairs, part)
        if most is None:
            continue
        apart = sorted(
            (pair for pair in pairs if pair.differences[part].parts),
            key=lambda pair: (pair.head.layer, pair.head),
        )
        text = f"agrees in all {len(pairs):,} heads"
        if most.differences[part].size:
            text += f", within {_size(most, part).replace('almost none', 'almost nothing')}"
        if apart:
            first, end = place(apart[0].head, batches), place(most.head, batches)
            text = f"differs in {len(apart):,} of {len(pairs):,} heads, first in {first} "
            text += f"({_size(apart[0], part)}), most in {end} ({_size(most, part)})"
        yield from _line(part, text)


def _changes(
    surveys: Surveys, statistics: Sequence[str], tau: float
) -> dict[str, dict[HeadId, Value]]:
    """Return b − a of each statistic, of the heads of both."""
    found: dict[str, dict[HeadId, Value]] = {}
    for name in statistics:
        a, b = (each.values(name, tau) for each in surveys)
        found[name] = {head: Value(b[head].value - a[head].value, 0.0) for head in a if head in b}
    return found


def _line(label: str, text: str) -> Iterator[str]:
    lines = wrap(text, WIDTH - _LABEL, break_on_hyphens=False) or [""]
    yield f"{label:{_LABEL}}{lines[0]}\n"
    for each in lines[1:]:
        yield f"{'':{_LABEL}}{each}\n"


def render_json(
    found: Comparison, surveys: Surveys, statistics: Sequence[str], tau: float = TAU
) -> Iterator[str]:
    """Yield strict JSON; ``docs/json.md`` explains each field."""
    parting, output = found.parting, found.output_parting
    a, b = (each.heads for each in surveys)
    yield from json_text(
        {
            "schema": SCHEMA,
            "version": __version__,
            "headline": headline(found).as_plain(),
            "a": capture_to_plain(found.plans[0]) | {"masks": masks_to_plain(found.plans[0])},
            "b": capture_to_plain(found.plans[1]) | {"masks": masks_to_plain(found.plans[1])},
            "question": found.plans[0].question.as_plain() | {"tau": tau},
            "progress": found.progress,
            "computed": found.computed,
            "parting": None if parting is None else {**asdict(parting[0].head), "part": parting[1]},
            "output_parting": None if output is None else asdict(output.head),
            "alone": [asdict(head) for head in found.alone],
            "heads": [
                {
                    **asdict(pair.head),
                    "differences": {
                        part: {
                            "size": plain_number(each.size),
                            "tolerance": each.tolerance,
                            "parts": each.parts,
                        }
                        for part, each in pair.differences.items()
                    },
                    "statistics": {
                        name: {
                            label: value_to_plain(side[pair.head].value(name, tau))
                            for label, side in (("a", a), ("b", b))
                            if pair.head in side
                        }
                        for name in statistics
                    },
                }
                for pair in found.pairs
            ],
        }
    )


def render_csv(
    found: Comparison, surveys: Surveys, statistics: Sequence[str], tau: float = TAU
) -> Iterator[str]:
    """Yield a line for each head and part, and for each head and statistic."""
    yield csv_text([COLUMNS])
    values: Mapping[str, Any] = {
        name: [each.values(name, tau) for each in surveys] for name in statistics
    }
    for pair in found.pairs:
        at = (pair.head.batch, pair.head.layer, pair.head.head)
        rows: list[tuple[Any, ...]] = [
            (
                *at,
                part,
                None,
                None,
                plain_number(each.size),
                each.tolerance,
                str(each.parts).lower(),
            )
            for part, each in pair.differences.items()
        ]
        for name in statistics:
            sides = [each.get(pair.head) for each in values[name]]
            a, b = (None if side is None else side.value for side in sides)
            change = None if a is None or b is None else plain_number(b - a)
            plain = [None if side is None else plain_number(side) for side in (a, b)]
            rows.append((*at, name, *plain, change, None, None))
        yield csv_text(rows)
