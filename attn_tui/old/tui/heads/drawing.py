"""What each pane of the screen of Heads shows, as rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from attn_tui.captures.capture import HeadId
from attn_tui.compute.counted import counted
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.settings import Settings
from attn_tui.engine.table import HeadNumbers, HeadTable
from attn_tui.files.paths import shown_path
from attn_tui.old.charts.heads.findings import finding_rows
from attn_tui.old.charts.heads.listing import head_list
from attn_tui.old.charts.heads.map import Picture, head_map, place_on_map, widest
from attn_tui.old.charts.heads.shading import changes
from attn_tui.old.charts.rows import beside, first_text
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.heads.card import card_rows, readout_rows
from attn_tui.old.tui.heads.examining import TITLES
from attn_tui.old.tui.heads.scene import Scene
from attn_tui.old.tui.heads.view import TABS
from attn_tui.old.tui.looking import tab_items, titles_of
from attn_tui.old.tui.widgets.bar import Item
from attn_tui.report.heads.values import unit
from attn_tui.report.heads.words import made
from attn_tui.report.masks import mask_name
from attn_tui.report.miss import miss_texts
from attn_tui.report.progress import going_on
from attn_tui.report.rows import Row, cells, fitted, length, message

BESIDE, CARD, WIDE_CARD, GAP = 100, 36, 56, 2
"""From so many columns on all statistics of a head stand beside the map, in so many at least and at
most; and what is between."""

MAP = 60
"""Columns that a map has at least beside them, for its legend."""

_EMPTY = (
    ("", ("No capture is open.",), "strong"),
    ("", ("",), ""),
    (
        "o",
        ("opens one: a .safetensors, .npz or .npy file of q, k, v and out", "opens one, a file"),
        "text",
    ),
    (
        "enter",
        ("opens a small one that is made here and now", "opens a small one, made here"),
        "text",
    ),
    ("", ("",), ""),
    (
        "",
        ("To make one of your own model, on the command line:", "To make one of a model, type:"),
        "text",
    ),
    (
        "",
        (
            "  attn-tui recipe transformers   prints a short script for that",
            "  attn-tui recipe transformers",
        ),
        "strong",
    ),
    (
        "",
        (
            "  attn-tui demo DIR              writes small ones with known faults",
            "  attn-tui demo DIR",
        ),
        "strong",
    ),
)

EMPTY_TEXT = "".join(f"{key:>5}  {texts[0]}".rstrip() + "\n" for key, texts, _ in _EMPTY)
"""The same as text."""


def status(settings: Settings) -> Status:
    """Return the statistic that is shown."""
    statistic = STATISTICS[settings.statistic]
    return [((statistic.title,), "heads.choose_statistic")]


def capture_row(scene: Scene) -> Row:
    """Return what is looked at: the file, how large its heads are, and how they are weighed."""
    table, settings = scene.table, scene.settings
    if not settings.capture:
        return ()
    # No longer than they have to be to be told apart.
    name, other = apart(settings.capture[0], (*settings.compared, "")[0])
    name += f" and {len(settings.capture) - 1} more" if settings.capture[1:] else ""
    named: Row = ((f" {name}", "strong"),)
    parts = [named]
    texts, role = _made(scene, table) if table and not scene.changed else ([], "")
    room, wrong = scene.width - 1, texts if role == "error" else []
    if wrong:
        # Numbers of a wrong mask are not shown without it, however long the name is.
        text = first_text([f"  {each}" for each in wrong], room - length(parts[0]))
        parts.insert(int(cells(text) <= room - length(parts[0])), ((text, role),))
    if scene.changed:
        parts.append(((f"  {scene.changed}", "error"),))
    elif settings.other:
        waits = "pinned: o opens what to compare with it", "pinned: o opens another", "pinned: o"
        said = (f" compared with {other}", f" and {other}") if other else [f"  {w}" for w in waits]
        text = first_text(said, room - sum(map(length, parts)))
        # What it is compared with stands beside its name.
        at = parts.index(named) + 1 if other else len(parts)
        parts.insert(at, ((text, "strong" if other else "pinned"),))
    if texts and not wrong:
        text = first_text([f"  {each}" for each in texts], room - sum(map(length, parts)))
        parts.append(((text, role),))
    if table and not scene.changed:
        parts += (((f"{sign}{text}", "label"),) for sign, text in _facts(scene, table))
    row: Row = ()
    for part in parts:
        if sum(len(text) for text, _ in (*row, *part)) > room and row:
            break
        row = (*row, *part)
    return row


def apart(one: str, other: str) -> tuple[str, str]:
    """Return the ends of two paths from where they differ on; of a path alone its name.

    >>> apart("a/c.npz", "b/c.npz"), apart("a/c.npz", "")
    (('a/c.npz', 'b/c.npz'), ('c.npz', ''))
    """
    parts = PurePath(one).parts, PurePath(other).parts
    longest = max(map(len, parts))
    count = next((n for n in range(1, longest + 1) if parts[0][-n:] != parts[1][-n:]), 1)
    first, second = (shown_path(str(PurePath(*each[-count:]))) if each else "" for each in parts)
    return first, second


def _made(scene: Scene, table: HeadTable) -> tuple[list[str], str]:
    """Return what a fit finds of the layer's weights, or how they miss, ever shorter; its role."""
    assert scene.head is not None
    found, looked = table.masks[scene.head.layer], table.partials.get(scene.head)
    if looked is not None and looked.multiplier is not None:
        found = replace(found, multiplier=looked.multiplier)
    how = made(found)
    residual = found.residual
    if scene.view.chart == "doctor":
        # He says himself what he finds, and his numbers are not of that mask.
        return [], ""
    misses = residual is not None and not found.fits
    if looked is not None and looked.miss is not None:
        residual, misses = looked.miss, looked.misses("max_weight")
    if residual is not None and misses:
        formula = scene.asked.experiment.setup.scale.at_layer(scene.head.layer).formula
        m = how.text if how.m else f"m = {formula}, {how.text}"
        return miss_texts(m, residual, "numbers below are of that", found.by), "error"
    # That it is a fit's the headline says, where there is room.
    return how.texts[1:] if found.is_fitted else [], "strong"


def _facts(scene: Scene, table: HeadTable) -> list[tuple[str, str]]:
    head = scene.head
    assert head is not None
    shape = table.capture.shape(head)
    scale = scene.asked.experiment.setup.scale.at_layer(head.layer)
    size = f"{counted(len(table.layers), 'layer')} × {counted(table.n_heads, 'head')}"
    if table.n_batches > 1:
        size = f"{counted(table.n_batches, 'sequence')} × {size}"
    keys = f"{shape.n_queries:,} × {shape.n_keys:,}, d_k {shape.d_k}"
    mask = table.masks[head.layer]
    rows = scene.settings.rows
    sampled = (
        "every row" if rows is None or rows >= shape.n_queries else f"{counted(rows, 'row')} a head"
    )
    kind = [] if mask.is_fitted else [(" · ", mask_name(mask.mask))]
    m = [] if mask.multiplier is not None else [(" · ", f"m = {scale.formula}")]
    return [
        ("  ", size), (" · ", keys), *m, *kind,
        (" · ", sampled), (" · ", table.capture.tensors(head.layer)["q"].format),
    ]  # fmt: skip


def tabs(scene: Scene, focused: bool) -> list[Item]:
    """Return the tabs, what the picture is of, and how far it is."""
    roomy = scene.width >= 60
    titles = titles_of(TABS, narrow=False)
    ends = []
    if text := progress_text(scene)[not roomy]:
        ends.append(Item(((f" {text} ", "strong"),), "stopping.stop('')"))
    elif scene.settings.capture:
        statistic = STATISTICS[scene.settings.statistic]
        what = f" {statistic.words}{unit(scene.settings.statistic)} "
        room = scene.width - sum(len(each) + 3 for each in titles.values()) - 1
        if len(what) <= room and scene.view.chart != "doctor":
            ends.append(Item(((what, "muted"),), "heads.choose_statistic"))
    return tab_items(titles, scene.view.chart, focused, ends, scene.width)


def progress_text(scene: Scene) -> tuple[str, str]:
    """Return how far what is looked at is, and the same in a word; nothing once all is known."""
    job = scene.examined if scene.view.chart == "doctor" else scene.job
    if not scene.settings.capture:
        return "", ""
    if job.running:
        return going_on("", job.share, scene.now - job.since)
    if job.state == "stopped":
        return f"stopped at {job.share:.0%}; space goes on", "stopped"
    return "", ""


def empty_rows(width: int, height: int) -> Sequence[Row]:
    """Return what to do where there is no capture."""
    rows: list[Row] = [()] * (height > len(_EMPTY) + 1)
    keyed = max(len(key) for key, _, _ in _EMPTY)
    for key, texts, role in _EMPTY:
        text = first_text(texts, width - keyed - 3)
        rows.append(((f" {key:>{keyed}}  ", "key"), (text, role or "text")))
    return [fitted(row, width) for row in rows[:height]]


def picture(scene: Scene, table: HeadTable) -> Picture:
    """Return what the map is of."""
    settings, head = scene.settings, scene.head
    assert head is not None
    there = np.zeros((len(table.layers), table.n_heads), bool)
    places = {layer: at for at, layer in enumerate(table.layers)}
    for each in table.heads:
        if each.batch == head.batch:
            there[places[each.layer], each.head] = True
    name, other = settings.statistic, scene.answer.other if scene.answer else None
    values = table.grid(name, head.batch, settings.tau)
    if other is not None:
        before = np.full(values.shape, np.nan)
        if head.batch < other.n_batches:
            found = other.grid(name, head.batch, settings.tau)
            for at, layer in enumerate(table.layers):
                if layer in other.layers:
                    own = found[other.layers.index(layer)][: table.n_heads]
                    before[at, : len(own)] = own
        values = changes(name, values, before)

    def marked(which: Callable[[HeadNumbers], Iterable[HeadId]]) -> frozenset[tuple[int, int]]:
        return frozenset(
            (places[each.layer], each.head)
            for of in (table, other)
            if of is not None
            for each in which(of)
            if each.batch == head.batch and each in table.places
        )

    odd = marked(lambda of: (each for each, partial in of.partials.items() if partial.not_finite))
    if other is not None:
        for which in odd:
            # Rows of one count nowhere that may count in the other.
            values[which] = np.nan
    return Picture(
        name,
        values,
        table.known(head.batch),
        there,
        table.layers,
        (places[head.layer], head.head),
        other is not None,
        odd,
        marked(lambda of: of.uncounted(name)),
    )


def map_rows(scene: Scene, table: HeadTable, width: int, height: int) -> Sequence[Row]:
    """Return the map, with the head under the cursor beside it or below."""
    seen = picture(scene, table)
    left = map_width(table, width)
    if left < width:
        drawn = head_map(seen, left, height)
        return beside(drawn, card_rows(scene, table, width - left - GAP, height), GAP)
    lines = min(2, max(height - 5, 0))
    drawn = head_map(seen, width, height - lines)
    return [*drawn, *readout_rows(scene, table, width)[:lines]]


def map_width(table: HeadTable, width: int) -> int:
    """Return how many columns the map has: beside a card no more than its cells fill."""
    if width < BESIDE:
        return width
    filled = max(widest(table.layers, table.n_heads), MAP, width - GAP - WIDE_CARD)
    return min(filled, width - GAP - CARD)


def list_rows(scene: Scene, table: HeadTable, width: int, height: int) -> Sequence[Row]:
    """Return the list about the cursor."""
    settings, head = scene.settings, scene.head
    assert head is not None
    return head_list(table, scene.listed, head, settings.statistic, width, height, settings.tau)


def doctor_rows(scene: Scene, width: int, height: int) -> Sequence[Row]:
    """Return what the doctor says, about the cursor."""
    said = scene.said
    if said is None or not said.lines:
        return message("", width, height)
    place = said.heads.index(scene.head) if scene.head in said.heads else 0
    batches = scene.table.n_batches if scene.table else 1
    return finding_rows(said.findings, TITLES, said.lines, place, width, height, batches)


def pointed(
    scene: Scene, table: HeadTable, width: int, height: int, x: int, y: int
) -> tuple[int, int] | None:
    """Return the layer and the head at a cell of the map, or None beside all."""
    left = map_width(table, width)
    if left == width:
        height -= min(2, max(height - 5, 0))
    found = place_on_map(picture(scene, table), x, y, left, height)
    return None if found is None else (table.layers[found[0]], found[1])
