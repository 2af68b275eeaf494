"""The charts of Heads: the map of a statistic over layers and heads, and a table of numbers."""

from collections.abc import Mapping, Set
from dataclasses import replace

import numpy as np

from attn_tui.captures.capture import HeadId
from attn_tui.charts.heat_map import ColourBar, HeatMapDrawing
from attn_tui.charts.table import TableDrawing
from attn_tui.compute.arrays import Floats
from attn_tui.compute.heads.partial import Partial
from attn_tui.compute.heads.statistic import SATURATED, SHARES, STATISTICS
from attn_tui.compute.numbers import percent_tick
from attn_tui.engine.plan import Plan
from attn_tui.engine.settings import DIFFERENCE, SHOWN
from attn_tui.engine.survey import Survey
from attn_tui.heads.card import is_parked
from attn_tui.heads.words import UNCOUNTED, brief, value_text
from attn_tui.report.text import TextColumn

SINK = "⇤"
"""The mark after the number of a head that is parked on the first key."""

DIFFERS = "✗"
"""The mark after the number of a head of which the doctor says that it differs."""

NONE: Set[HeadId] = frozenset()

LEVELS = (0.3, 0.55, 0.75, SATURATED)
"""The places on the warning ramp, from 0 to 1, of the four sizes in `SIZED`."""

SIZED: Mapping[str, tuple[float, float, float, float]] = {
    # Fractions of the largest float16, 65,504: an eightieth, an eighth, half, all.
    "largest_score": (819.0, 8188.0, 32752.0, 65504.0),
    "float16_margin": (80.0, 8.0, 2.0, 1.0),
    "max_logit": (12.5, 25.0, 50.0, 100.0),
    # Weights are off by up to half a step: 3, 13, 28 and 65 %.
    "bfloat16_spacing": (0.0625, 0.25, 0.5, 1.0),
    "qk_clip": (0.999999, 0.75, 0.5, 0.25),
    "entropy": (3.0, 1.5, 0.7, 0.1),
    "effective_keys": (20.0, 5.0, 2.0, 1.1),
    "gradient_norm": (1e-2, 1e-3, 1e-4, 1e-6),
    "query_norm": (4.0, 16.0, 64.0, 256.0),
    "key_norm": (4.0, 16.0, 64.0, 256.0),
    "cosine": (0.05, 0.25, 0.5, 0.75),
    # Storing a number moves it by half a unit, computing it by a few.
    DIFFERENCE: (2.0, 8.0, 64.0, 1024.0),
}
"""Four sizes of each statistic that is no share: fixed and with a meaning, never relative to the
capture. If they fall, less is graver."""

SHARE_TICKS = (1.0, SATURATED, 0.75, 0.5, 0.25, 0.0)


def levels(name: str, values: Floats) -> Floats:
    """Return the places of a statistic's values on the warning ramp, from 0 to 1."""
    if name in SHARES:
        return np.clip(values, 0.0, 1.0)
    steps = np.array(SIZED[name])
    with np.errstate(all="ignore"):
        places, sizes = np.log(steps), np.log(np.abs(values))
    if steps[0] > steps[-1]:
        places, sizes = -places, -sizes
    # The ramp ends one step beyond the first and the last size.
    places = np.array([2 * places[0] - places[1], *places, 2 * places[3] - places[2]])
    ramp = np.interp(sizes, places, [0.0, *LEVELS, 1.0])
    return np.where(np.isnan(values), np.nan, ramp)


def head_map(
    survey: Survey, name: str, cursor: HeadId, differing: Set[HeadId] = NONE
) -> HeatMapDrawing:
    """Return the map of a statistic over the layers and heads of the cursor's sequence.

    Args:
        survey: The statistics.
        name: The name of the statistic.
        cursor: The head with the cursor.
        differing: The heads to be marked, since the doctor says that they differ.
    """
    values = survey.grid(name, cursor.batch)
    layers = survey.plan.capture.layers
    texts = [
        ["" if np.isnan(value) else brief(name, float(value)) for value in row] for row in values
    ]
    marked = [[*row] for row in texts]
    for head, partial in survey.heads.items():
        if head.batch != cursor.batch:
            continue
        row, column = layers.index(head.layer), head.head
        if not partial.counts(name):
            texts[row][column] += UNCOUNTED
            marked[row][column] += UNCOUNTED
        elif name in SHARES and is_parked(partial):
            marked[row][column] = marked[row][column].lstrip(">") + SINK
    entry = layers.index(cursor.layer), cursor.head
    grid = levels(name, values)
    bare = [[text.lstrip(">") for text in row] for row in texts]
    short = [[*row] for row in bare]
    for head in differing:
        if head.batch == cursor.batch:
            row, column = layers.index(head.layer), head.head
            for longer in (marked, texts, short):
                longer[row][column] += DIFFERS
    if name in SHARES:
        ticks = [(share, percent_tick(share)) for share in SHARE_TICKS]
    else:
        sizes = zip(LEVELS[::-1], SIZED[name][::-1], strict=True)
        ticks = [(level, brief(name, size)) for level, size in sizes]

    def place(row: int, column: int) -> HeadId:
        return HeadId(cursor.batch, layers[row], column)

    return HeatMapDrawing(
        grid, "saturation", [*map(str, layers)], [*map(str, range(survey.plan.n_heads))],
        cursor=entry, longer=(marked, texts, short, bare),
        bar=ColourBar("saturation", ticks, float(grid[entry])), place=place,
    )  # fmt: skip


def difference_map(
    plan: Plan, units: Mapping[HeadId, float], cursor: HeadId, differing: Set[HeadId]
) -> HeatMapDrawing:
    """Return the map of how far outputs are from those of a reference, in units.

    Args:
        plan: The heads of the capture.
        units: The distance of each head that was compared.
        cursor: The head with the cursor.
        differing: The heads to be marked, since their attention is another.
    """
    layers = plan.capture.layers
    places = [
        [HeadId(cursor.batch, layer, head) for head in range(plan.n_heads)] for layer in layers
    ]
    values = np.array([[units.get(head, np.nan) for head in row] for row in places])
    bare = [
        ["" if np.isnan(value) else brief(DIFFERENCE, value) for value in row] for row in values
    ]
    marked = [
        [text + DIFFERS * (head in differing) for text, head in zip(*pair, strict=True)]
        for pair in zip(bare, places, strict=True)
    ]
    entry = layers.index(cursor.layer), cursor.head
    grid = levels(DIFFERENCE, values)
    sizes = zip(LEVELS[::-1], SIZED[DIFFERENCE][::-1], strict=True)
    ticks = [(level, brief(DIFFERENCE, size)) for level, size in sizes]
    return HeatMapDrawing(
        grid, "saturation", [*map(str, layers)], [*map(str, range(plan.n_heads))],
        cursor=entry, longer=(marked, bare),
        bar=ColourBar("saturation", ticks, float(grid[entry])),
        place=lambda row, column: places[row][column],
    )  # fmt: skip


def at_head(drawing: HeatMapDrawing, survey: Survey, cursor: HeadId) -> HeatMapDrawing:
    """Return a map of the same sequence with the cursor on another head."""
    place = survey.plan.capture.layers.index(cursor.layer), cursor.head
    bar = drawing.bar and replace(drawing.bar, mark=float(drawing.levels[place]))
    return drawing.marked(place, bar)


def title_of(name: str) -> str:
    """Return the title of the map of a statistic."""
    if name == "max_weight":
        return "Saturation: largest weight, mean over rows"
    words, _ = SHOWN[name]
    return words[0].upper() + words[1:]


def numbers_table(partial: Partial | None) -> TableDrawing:
    """Return a table of every statistic of a head, with its error, place and meaning."""
    names, values, places, meanings = [], [], [], []
    for name, statistic in STATISTICS.items() if partial else ():
        assert partial
        value = partial.value(name)
        mark = "" if partial.counts(name) else UNCOUNTED
        place = "" if value.row in (None, -1) else f"row {value.row:,}"
        if place and value.key not in (None, -1):
            place += f", key {value.key:,}"
        names.append(statistic.title)
        values.append(value_text(name, value) + mark)
        places.append(place)
        meanings.append(statistic.words)
    return TableDrawing(
        [
            TextColumn("", names, "muted", left=True),
            TextColumn("value", values),
            TextColumn("found at", places, "muted", left=True, rank=2),
            TextColumn("what it is", meanings, "muted", left=True, rank=1),
        ]
    )
