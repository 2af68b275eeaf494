"""The Jacobian as a signed heat map: sign as text, size as shade, the value under the cursor."""

from typing import Literal

import numpy as np

from attn_tui.charts.grid import Glyphs, Grid, glyphs
from attn_tui.charts.jacobian_window import GAP, Window, cell_at, window
from attn_tui.charts.rows import Row, beside, first_fit, first_text, fitted, message, printable
from attn_tui.charts.shading import Shading, linear_shading, log_shading
from attn_tui.compute.explore import Evaluation, VectorAnswer
from attn_tui.report.numbers import MINUS, general, scientific

__all__ = ["Side", "Window", "cell_at", "jacobian_map", "window"]

Side = Literal["unscaled", "scaled"]

LEAST_WIDTH_OF_VALUES = 13
"""From this width on an entry holds its value, with shade on both sides of it."""


def jacobian_map(
    answer: VectorAnswer,
    side: Side,
    width: int,
    height: int,
    log: bool,
    cursor: tuple[int, int],
    ascii: bool = False,
) -> tuple[Row, ...]:
    """Draw the Jacobian of one vector's weights, as much of it as fits around the cursor.

    Args:
        answer: The vector, its weights, and what the Jacobian is taken with respect to.
        side: Which side to show where there is no room for both.
        width: Cells of every row returned.
        height: Number of rows returned.
        log: Whether shades are decades; otherwise parts of the largest size an entry can have.
        cursor: The entry (i, j) whose value is written out; held to the vector's keys.
        ascii: Whether to draw without block glyphs.
    """
    last = answer.vector.n_keys - 1
    at = (min(max(cursor[0], 0), last), min(max(cursor[1], 0), last))
    seen = window(answer.vector.n_keys, width, height, at)
    if seen is None:
        return message("Jacobian: too small for a map", width, height)
    shading = log_shading(answer) if log else linear_shading(answer)
    glyph = glyphs(ascii)
    sides: tuple[Side, ...] = ("unscaled", "scaled") if seen.maps == 2 else (side,)
    maps = []
    for one in sides:
        title = _title(answer, one, shading, seen.map_width)
        keys = _keys(seen, at[1])
        maps.append((title, *keys, *_entries(answer, one, seen, shading, at, glyph)))
    block = maps[0] if len(maps) == 1 else beside(maps[0], maps[1], GAP)
    rows = [fitted(row, width) for row in block]
    rows += [fitted((), width)] * (height - len(rows) - seen.readout - seen.legend)
    if seen.readout:
        rows.append(_readout(answer, at, width))
    if seen.legend:
        rows.append(fitted(first_fit(shading.legend(glyph), width), width))
    return tuple(rows)


def _side(answer: VectorAnswer, side: Side) -> Evaluation:
    return answer.unscaled if side == "unscaled" else answer.scaled


def _symbol(answer: VectorAnswer) -> str:
    return "s" if answer.wrt == "scores" else "z"


def _title(answer: VectorAnswer, side: Side, shading: Shading, width: int) -> Row:
    name = f"∂p_i/∂{_symbol(answer)}_j"
    vector = printable(answer.vector.name)
    times = f"{side} ×{general(_side(answer, side).multiplier, 4)}"
    titles = (
        f"Jacobian {name} of {vector}, {times}, {shading.ends}",
        f"{name} of {vector}, {times}, {shading.ends}",
        f"{name}, {times}, {shading.ends}",
        f"{name}, {side}, {shading.ends}",
        f"{name}, {side}, {shading.short_ends}",
    )
    return fitted(((first_text(titles, width), "strong"),), width)


def _keys(seen: Window, cursor: int) -> tuple[Row, ...]:
    """Return the row of keys j above their columns, as many as fit, that of the cursor first."""
    if not seen.header:
        return ()
    grid = Grid(seen.map_width, 1)
    grid.put(0, 0, "i\\j".rjust(seen.gutter - 1), "label")
    for j in sorted(seen.columns, key=lambda j: (j != cursor, j)):
        left, body = seen.place(j)
        role = "cursor" if j == cursor else "label"
        grid.put_if_free(left + (body - len(str(j))) // 2, 0, str(j), role)
    return grid.rows()


def _entries(
    answer: VectorAnswer,
    side: Side,
    seen: Window,
    shading: Shading,
    cursor: tuple[int, int],
    glyph: Glyphs,
) -> tuple[Row, ...]:
    """Return the visible entries of one side, with the keys i before them."""
    evaluation = _side(answer, side)
    keys = np.array(seen.rows), np.array(seen.columns)
    values = evaluation.jacobian(*keys, answer.wrt)
    logs = evaluation.log_jacobian(*keys, answer.wrt)
    shades = shading.shades(logs)
    grid = Grid(seen.map_width, len(seen.rows) * seen.entry_height)
    for down, i in enumerate(seen.rows):
        rows = range(down * seen.entry_height, (down + 1) * seen.entry_height)
        middle = rows[(len(rows) - 1) // 2]
        key_role = "cursor" if i == cursor[0] else "label"
        grid.put(0, middle, str(i).rjust(seen.gutter - 1), key_role)
        for across, j in enumerate(seen.columns):
            left, body = seen.place(j)
            text = _value(float(values[down, across]), float(logs[down, across]), i == j)
            shade = int(shades[down, across])
            role = _role(text, shade)
            fill = glyph.shades[shade] if shade and role != "error" else " "
            for row in rows:
                grid.put(left, row, fill * body, role)
                if (i, j) == cursor:
                    grid.put(left - 1, row, "[", "cursor")
                    grid.put(left + body, row, "]", "cursor")
            shown = f" {text} "
            if body < max(LEAST_WIDTH_OF_VALUES, len(shown)):
                short = {"0": glyph.shades[0], "NaN": "NaN" if body > 2 else glyph.nan}
                shown = short.get(text, text[0])
            grid.put(left + (body - len(shown)) // 2, middle, shown, role)
    return grid.rows()


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


def _readout(answer: VectorAnswer, at: tuple[int, int], width: int) -> Row:
    """Return the entry under the cursor on both sides, in words where there is room."""
    i, j = at
    keys = np.array([i]), np.array([j])
    unscaled, scaled = (
        _value(
            float(side.jacobian(*keys, answer.wrt)[0, 0]),
            float(side.log_jacobian(*keys, answer.wrt)[0, 0]),
            i == j,
        )
        for side in (answer.unscaled, answer.scaled)
    )
    name = f"∂p_{i}/∂{_symbol(answer)}_{j}"
    texts = (f"{name} = {unscaled} unscaled, {scaled} scaled", f"{name}: {unscaled} → {scaled}")
    return fitted(((first_text(texts, width), "cursor"),), width)
