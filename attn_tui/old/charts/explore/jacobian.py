"""The Jacobian as a signed heat map: sign as text, size as shade, the value under the cursor."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.charts.glyphs import NAN, SHADES
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.compute.logit_map import SYMBOL
from attn_tui.compute.visible import visible
from attn_tui.old.charts.axis import Floats
from attn_tui.old.charts.explore.jacobian_window import GAP, Window, window
from attn_tui.old.charts.explore.overview import largest_entries
from attn_tui.old.charts.explore.shading import (
    EntryShading,
    decade_shading,
    linear_shading,
    log_shading,
    part_shading,
)
from attn_tui.old.charts.heat import Cell, HeatMap
from attn_tui.old.charts.rows import beside, first_fit, first_text
from attn_tui.old.charts.sides import Shown, sides
from attn_tui.report.numbers import MINUS, scientific
from attn_tui.report.rows import Row, filled, fitted, message
from attn_tui.report.sides import Side


def jacobian_map(
    answer: VectorAnswer,
    side: Side,
    width: int,
    height: int,
    log: bool | None,
    cursor: tuple[int, int],
    zoomed: bool = False,
    readout: bool = True,
) -> tuple[Row, ...]:
    """Draw the Jacobian of one vector's weights.

    Where not all of it fits, each cell stands for a block of entries and shows the largest; or
    else, zoomed, what is around the cursor is shown entry by entry.

    Args:
        answer: The vector, its weights, and what the Jacobian is taken with respect to.
        side: Which side to show where there is no room for both.
        width: Cells of every row returned.
        height: Number of rows returned.
        log: Whether shades are decades, or else parts of the largest size an entry can have;
            None for these, unless all entries of a side would be too small for a shade.
        cursor: The entry (i, j) whose value is written out; held to the vector's keys.
        zoomed: Whether to show a part entry by entry where not all entries fit.
        readout: Whether the value at the cursor is to be written.
    """
    last = answer.vector.n_keys - 1
    at = (min(max(cursor[0], 0), last), min(max(cursor[1], 0), last))
    seen = window(answer.vector.n_keys, width, height, at, zoomed)
    if seen is None:
        return message("Jacobian: too small for a map", width, height)
    whole = {one.name: _entries(answer, one, seen) for one in sides(answer)}
    logs = [entries.logs for entries in whole.values()]
    shading = _shading(answer, seen, logs, bool(log))
    shown = sides(answer) if seen.maps == 2 else (sides(answer)[side == "scaled"],)
    faint = [one for one in shown if one.name in shading.hidden]
    if log is None and any(shading.in_decades(whole[one.name].logs) for one in faint):
        shading = decade_shading(answer, logs)
    elif log is None and len(faint) == len(shown):
        shading = _shading(answer, seen, logs, True)
    names = {one.name for one in shown}
    shading = replace(shading, hidden=tuple(name for name in shading.hidden if name in names))
    maps = []
    for one in shown:
        title = _title(answer, one, seen, shading)
        maps.append((title, *_map(whole[one.name], seen, shading, at)))
    block = maps[0] if len(maps) == 1 else beside(maps[0], maps[1], GAP)
    below = [entry_row(answer, at, width) if readout else ()] * seen.readout
    below += [first_fit(shading.legend(), width)] * seen.legend
    return filled(block, width, height, below)


def _shading(answer: VectorAnswer, seen: Window, shown: list[Floats], log: bool) -> EntryShading:
    """Return the shades of what is shown: of all entries, of blocks, or of those in view."""
    in_blocks = seen.blocks != (1, 1)
    if in_blocks or len(seen.rows) == len(seen.columns) == answer.vector.n_keys:
        span = "all keys" * in_blocks
        return log_shading(answer, shown, span) if log else linear_shading(answer, shown)
    return part_shading(answer, shown) if log else linear_shading(answer)


def _title(answer: VectorAnswer, side: Shown, seen: Window, shading: EntryShading) -> Row:
    name = f"∂p_i/∂{SYMBOL[answer.wrt]}_j"
    vector = visible(answer.vector.name)
    long, times, short = side.labels
    full = f"{name} of {vector}, {long}, {shading.ends}"
    titles = [f"Jacobian {full}", full, f"{name} of {vector}, {times}, {shading.ends}"]
    if seen.blocks == (1, 1):
        titles += [f"{name}, {each}, {shading.ends}" for each in (long, times, short)]
        titles.append(f"{name}, {short}, {shading.short_ends}")
    else:
        sizes = " × ".join(f"{size:,}" for size in seen.blocks)
        each = f"each cell: largest of {sizes}"
        titles = [f"{title}; {each} entries" for title in titles]
        titles += [f"{name}, {label}; {each} entries" for label in (long, times, short)]
        titles += [f"{name}, {short}; {each}", f"{name}, {short}: largest of {sizes}"]
        titles += [f"{short}: largest of {sizes}", f"{short}: {sizes}"]
    return fitted(((first_text(titles, seen.map_width), "strong"),), seen.map_width)


@dataclass(frozen=True, eq=False)
class _Entries:
    """The entries that are shown of one side.

    Attributes:
        values: Their values, or sizes without a sign; shape (rows, columns).
        logs: Natural logarithms of their sizes.
        own: Whether each is on the diagonal, and so positive if not 0.
    """

    values: Floats
    logs: Floats
    own: NDArray[np.bool_]


def _entries(answer: VectorAnswer, side: Shown, seen: Window) -> _Entries:
    one, keys = side.evaluation, (np.array(seen.rows), np.array(seen.columns))
    if seen.blocks == (1, 1):
        values, logs = one.jacobian(*keys, answer.wrt), one.log_jacobian(*keys, answer.wrt)
        return _Entries(values.astype(np.float64), logs, np.equal.outer(*keys))
    logs, own = largest_entries(one, answer.wrt, seen.rows, seen.columns)
    return _Entries(np.exp(logs), logs, own)


def _map(
    entries: _Entries, seen: Window, shading: EntryShading, cursor: tuple[int, int]
) -> tuple[Row, ...]:
    """Return entries as cells, between the keys i and j."""
    shades = shading.shades(entries.logs).tolist()
    values = zip(
        entries.values.tolist(), entries.logs.tolist(), entries.own.tolist(), shades, strict=True
    )
    cells = [
        [_cell(_value(*entry), shade, seen.place.body) for *entry, shade in zip(*row, strict=True)]
        for row in values
    ]
    rows, columns = ([str(key) for key in keys] for keys in (seen.rows, seen.columns))
    block = seen.block_of(cursor)
    at = seen.rows.index(block[0]), seen.columns.index(block[1])
    drawn = HeatMap(cells, rows, columns, "i\\j", at).drawn(seen.place, seen.map_width)
    return drawn[not seen.header :]


def _cell(text: str, shade: int, body: int) -> Cell:
    """Return the cell of an entry, with its sign."""
    role = _role(text, shade)
    sign = {"0": SHADES[0], "NaN": "NaN" if body > 2 else NAN}.get(text, text[0])
    return Cell(0 if role == "error" else shade, sign, role)


def _value(value: float, log_size: float, own: bool) -> str:
    """Return an entry as text; on the diagonal it is positive, elsewhere negative, if not 0."""
    size = scientific(abs(value), log_size)
    return size if size in ("0", "NaN") else f"{'+' if own else MINUS}{size}"


def _role(text: str, shade: int) -> str:
    if text == "NaN":
        return "error"
    if text == "0" or shade == 0:
        return "zero"
    return f"{'positive' if text[0] == '+' else 'negative'}{shade}"


def entry_row(answer: VectorAnswer, at: tuple[int, int], width: int) -> Row:
    """Return an entry on both sides, in words where there is room."""
    i, j = at
    keys = np.array([i]), np.array([j])
    both = sides(answer)
    values = [
        _value(
            float(side.evaluation.jacobian(*keys, answer.wrt)[0, 0]),
            float(side.evaluation.log_jacobian(*keys, answer.wrt)[0, 0]),
            i == j,
        )
        for side in both
    ]
    name = f"∂p_{i}/∂{SYMBOL[answer.wrt]}_{j}"
    texts = (
        f"{name} = {values[0]} {both[0].name}, {values[1]} {both[1].name}",
        f"{name}: {values[0]} → {values[1]}",
    )
    return fitted(((first_text(texts, width), "cursor"),), width)
