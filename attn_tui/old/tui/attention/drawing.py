"""What each pane of the screen of Attention shows, as rows."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from attn_tui.captures.source import Captured
from attn_tui.compute.attention.answer import Answer, changes
from attn_tui.compute.attention.rows import Side
from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.counted import counted
from attn_tui.compute.experiment import Experiment
from attn_tui.old.charts.attention.map import Layout, around, head_map, layout
from attn_tui.old.charts.rows import first_fit, first_text
from attn_tui.old.tui.attention.scene import Scene
from attn_tui.old.tui.attention.view import TABS
from attn_tui.old.tui.bars import Status
from attn_tui.old.tui.looking import tab_items, titles_of
from attn_tui.old.tui.scale import scale_status
from attn_tui.old.tui.widgets.bar import Item
from attn_tui.report.attention.tables import output_columns, row_columns
from attn_tui.report.numbers import general, in_percent, quantity
from attn_tui.report.origin import made, missed_texts
from attn_tui.report.progress import going_on
from attn_tui.report.rows import Row, fitted, message
from attn_tui.report.sides import role_of
from attn_tui.report.table import laid

TABLE = 7
"""Lines that are left below a map from which on there is a table of its rows."""

_NO_VALUES = (
    " Without V there is no output: x has an example with one, Queries that equal keys; so have "
    "the heads of a capture, on 5",
    " Without V there is no output: x, Queries that equal keys, has one",
    " No V, no output: x has one",
)
"""What stands where outputs would, at decreasing length."""

LOW, ROOMY = 12, 18
"""Lines of a chart from which on numbers stand in a line below it, and in two."""


def status(experiment: Experiment, answer: Answer | None) -> Status:
    """Return the model or the rule, and where the rows come from."""
    settings = experiment.setup.get(Settings)
    drawn = answer is None or answer.is_drawn
    seed = f"seed {settings.seed}"
    seeds = f"drawn head, {seed}", f"drawn, {seed}", seed
    rows = seeds if drawn else (counted(len(experiment.vectors), "row"),)
    opens = "fields.type('seed')" if drawn else "fields.next('rows')"
    return [scale_status(experiment.setup), (rows, opens)]


def progress_text(scene: Scene) -> tuple[str, str]:
    """Return how far it is, and the same in a word; nothing once all is known."""
    job, answer = scene.job, scene.answer
    if job.running and scene.late:
        return going_on("computing ", job.share, scene.now - job.since)
    if answer is not None and answer.progress < 1.0:
        text = f"{answer.done:,} of {counted(answer.n_queries, 'row')}; space "
        return text + ("stops" if job.running else "goes on"), f"{answer.progress:.0%}"
    return "", ""


def tabs(scene: Scene, focused: bool) -> list[Item]:
    """Return the tabs, the order of the rows, and how far it is."""
    width = scene.width
    roomy = width >= 60
    titles = {
        name: title
        for name, title in titles_of(TABS, not roomy).items()
        if name == scene.view.chart or scene.offers(name)
    }
    ends = []
    if scene.view.sort != "position":
        ends.append(Item(((" by entropy ", "muted"),), "fields.next('sort')"))
    if scene.view.pinned is not None:
        ends.append(Item(((" pinned ", "pinned"),), "head.pin"))
    if text := progress_text(scene)[not roomy]:
        ends.append(Item(((f" {text} ", "strong"),), "stopping.stop('')"))
    return tab_items(titles, scene.view.chart, focused, ends, width)


def numbers_height(height: int) -> int:
    """Return how many lines below the map say what the cursor is on."""
    return 0 if height < LOW else 2 if height < ROOMY else 3


def odd_rows(scene: Scene, width: int) -> list[Row]:
    """Return a line of where there is NaN or infinity, if anywhere: of how many the headline is."""
    source = scene.asked.experiment.source
    if not isinstance(source, Captured) or not source.odd:
        return []
    held = [str(each) for each in source.odd]
    texts = [", ".join(held), held[0], held[0].replace("first at ", "")]
    return [fitted(((first_text(texts, width), "error"),), width)]


def made_rows(scene: Scene, width: int) -> list[Row]:
    """Return a line of what the captured output says of the weights: a fit's, or that they miss."""
    experiment = scene.asked.experiment
    source, setup = experiment.source, experiment.setup
    if not isinstance(source, Captured):
        return []
    if source.causal is not None and setup.mask.causal is not source.causal:
        return []
    if texts := missed_texts(source, setup.scale):
        text, role = first_text(texts, width), "error"
    elif source.is_fitted and source.miss is None:
        text, role = first_text(made(source).texts, width), "label"
    else:
        return []
    return [fitted(((text, role),), width)]


def rows_above(scene: Scene, width: int) -> list[Row]:
    """Return what is to be known before the numbers are read."""
    return [*odd_rows(scene, width), *made_rows(scene, width)]


def chart_rows(scene: Scene, width: int, height: int) -> Sequence[Row]:
    """Return the map with the numbers of the cursor, or a table."""
    shown = scene.shown
    if shown is None:
        return message(" computing …" if scene.job.running else " Nothing is known", width, height)
    if scene.view.chart == "map":
        return map_rows(scene, shown, width, height)
    return table_rows(scene, shown, width, height)


def map_rows(scene: Scene, shown: Answer, width: int, height: int) -> Sequence[Row]:
    """Return the map and the numbers of the cursor, with a table of rows where much is left."""
    lines = numbers_height(height)
    own = rest = height - lines
    if (place := map_layout(scene, width, height)) and not scene.view.full:
        rest -= place.height(scene.order.size)
    else:
        rest = 0
    near = scene.view.zoom == "weights"
    drawn = head_map(shown, scene.order, scene.cursor, scene.view.side, width, own - rest, near)
    table: Sequence[Row] = [()] * rest
    if rest >= TABLE:
        rows = row_table(scene, shown, width, rest - 2)
        table = [(), *rows, *[()] * (rest - 1 - len(rows))]
    return (*drawn, *table, *cursor_rows(shown, *scene.cursor, width)[:lines])


def map_layout(scene: Scene, width: int, height: int) -> Layout | None:
    """Return where the cells of the map stand in a chart of a size."""
    assert scene.shown
    near = scene.view.zoom == "weights"
    at = around(scene.order, scene.cursor) if near else None
    return layout(scene.shown, width, height - numbers_height(height), at)


def first_row(scene: Scene, lines: int) -> int:
    """Return the place of the first row of a table of so many lines that has the cursor in it."""
    at = int(np.flatnonzero(scene.listed == scene.cursor[0])[0])
    return min(max(at - lines // 2, 0), max(scene.listed.size - lines, 0))


def table_rows(scene: Scene, shown: Answer, width: int, height: int) -> Sequence[Row]:
    """Return the table of the rows around the cursor, or of their output."""
    output = scene.view.chart == "output"
    if output and not shown.has_values:
        return message(first_text(_NO_VALUES, width), width, height)
    return row_table(scene, shown, width, height, output)


def row_table(
    scene: Scene, shown: Answer, width: int, height: int, output: bool = False
) -> Sequence[Row]:
    """Return as many rows around the cursor as fit below the titles of their columns."""
    lines = max(height - 2, 1)
    start = first_row(scene, lines)
    rows = scene.listed[start : start + lines].tolist()
    columns = (output_columns if output else row_columns)(shown, rows, scene.cursor[0])
    return laid(columns, width).rows(width)


def cursor_rows(shown: Answer, query: int, key: int, width: int) -> list[Row]:
    """Return what the cursor's row is on both sides, and the weight of its key."""
    sides = shown.row(query)
    names = tuple(map(role_of, shown.names))
    at = np.array([key])
    tops = [(in_percent(side.max_weight), int(side.weights().argmax())) for side in sides]
    gradients = [quantity(*side.frobenius("scores")) for side in sides]
    effective = [quantity(side.effective_keys) for side in sides]
    count = int(shown.attended[query])
    sees = counted(count, "key")
    row: Row = ((f"query {query:,}", "cursor"), (f" sees {sees}", "label"))
    largest = _both("largest weight", [f"{top} on key {at:,}" for top, at in tops], names)
    short = _both("largest", [top for top, _ in tops], names)
    keys, gradient = _both("effective keys", effective, names), _both("‖∂p/∂s‖", gradients, names)
    few = _both("eff. keys", effective, names)
    score = float(sides[1].given[key])
    weights = [in_percent(*side.pairs(at)[0]) for side in sides]
    one: Row = ((f"key {key:,}", "cursor"),)
    masked: Row = (("   masked", "label"),)
    if shown.odd[query]:
        none = "   meets NaN or infinity: it has no weights"
        text = first_text([none, "   meets NaN"], width - sum(len(part) for part, _ in row))
        largest = short = ((text, "error"),)
        keys = gradient = few = ()
    bias = sides[1].bias
    added = "" if bias is None else f"   bias {general(float(bias[key]), 3)}"
    said: Row = ((f"   s = {general(score, 4)}{added}", "label"), *_both("weight", weights, names))
    own = (*one, *(masked if score == -np.inf else said))
    choices: tuple[list[Row], ...] = (
        [(*row, *largest), (*row, *short), row],
        [(*keys, *gradient), (*few, *gradient), few],
        [own, one],
    )
    if moved := most_moved(shown):
        last = min(moved[1] + shown.block, shown.n_keys) - 1
        keys_moved = f"key {moved[1]:,}" if shown.block == 1 else f"keys {moved[1]:,} to {last:,}"
        change = _both(f"most changed: query {moved[0]:,}, {keys_moved}", moved[2:], names)
        # What differs comes before what is left out first.
        choices = (choices[0], [(*own, *change), (*one, *change), own], choices[1])
    return [fitted(first_fit(each, width), width) for each in choices]


def most_moved(shown: Answer) -> tuple[int, int, str, str] | None:
    """Return the query and the key whose weight differs most, and both; of a comparison alone.

    Of more keys than are kept it is the first of a block, and the largest weights in it.
    """
    if shown.pinned is None:
        return None
    query, block = _most_moved(*shown.sides, shown.done)
    before, after = (max(float(side.blocks[query, block]), 0.0) for side in shown.sides)
    if before == after:
        return None
    return query, block * shown.block, in_percent(before), in_percent(after)


@lru_cache(maxsize=2)
def _most_moved(first: Side, second: Side, done: int) -> tuple[int, int]:
    """Return the row and the block whose largest weights differ most; a cursor moves often."""
    sizes = np.abs(changes(first, second))
    sizes[~np.isfinite(sizes)] = 0.0
    query, block = np.unravel_index(int(sizes.argmax()), sizes.shape)
    return int(query), int(block)


def _both(name: str, texts: Sequence[str], roles: Sequence[str]) -> Row:
    first, second = zip(texts, roles, strict=True)
    return (f"   {name} ", "label"), first, (" → ", "muted"), second


def pointed(scene: Scene, width: int, height: int, x: int, y: int) -> tuple[int, int | None] | None:
    """Return the query, and of a map the key, at a place of the chart; None beside all."""
    if scene.view.chart == "map":
        place = map_layout(scene, width, height)
        assert scene.shown
        return place.at(scene.shown, scene.order, x, y) if place else None
    at = first_row(scene, max(height - 2, 1)) + y - 2
    return (int(scene.listed[at]), None) if y >= 2 and at < scene.listed.size else None
