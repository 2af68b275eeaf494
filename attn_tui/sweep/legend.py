"""What the colours, signs and marks of Sweep's pictures mean, as lines of markup."""

from collections.abc import Sequence

from textual.geometry import Size

from attn_tui.charts.glyphs import LESS, LINES, MORE
from attn_tui.charts.heat_map import HeatMapDrawing
from attn_tui.sweep.change import SIGNS
from attn_tui.ui.markup import plain
from attn_tui.ui.pane import columns_of

NEITHER = "=?"
"""The signs of places that are neither smaller nor larger, as the legend says where signs have no
room."""


def legend(heat_map: HeatMapDrawing, size: Size, is_textured: bool) -> list[str]:
    """Return the meaning of the colours and signs that a map shows, as lines of markup.

    There are two lines if one has no room for all and the map needs no more lines than it has then.

    Args:
        heat_map: The map.
        size: The size of map and legend together.
        is_textured: Whether glyphs stand for colours.
    """
    less, more = (LESS[-1], MORE[-1]) if is_textured else ("▼", "▲")
    parts = [f"[$smaller]{less}[/] smaller", f"[$larger]{more}[/] larger"]
    if heat_map.border is not None:
        parts.append("⡇ where it turns")
    halves = 1 if is_textured else 2
    rooms = [heat_map.room(size.width, size.height - lines, halves) for lines in (1, 2)]
    rows = heat_map.texts_in(size.width, size.height - 1, is_textured)
    texts = [text for row in rows for text in row]
    parts += [f"{sign} {meaning}" for sign, meaning in SIGNS.items() if sign in texts]
    every = {text for row in heat_map.texts for text in row}
    if NEITHER[-1] in every and not any(texts):
        # No colour is named: they are dark in one theme, and light in another.
        place = "·" if is_textured else "else"
        meanings = [meaning for sign, meaning in SIGNS.items() if sign in every and sign in NEITHER]
        parts.append(f"{place}: {' or '.join(meanings)}")
    lines = packed(parts, size.width)
    while len(lines) > (2 if rooms[0] == rooms[1] else 1) and len(parts) > 2:
        # The border is a line that can be seen, and = explains itself.
        del parts[2]
        lines = packed(parts, size.width)
    return lines


def packed(parts: Sequence[str], width: int) -> list[str]:
    """Return parts of markup, two blanks apart, on as few lines of a width as hold them."""
    lines: list[str] = []
    for part in parts:
        if lines and columns_of(f"{lines[-1]}  {part}") <= width:
            lines[-1] += f"  {part}"
        else:
            lines.append(part)
    return lines


def marked_names(names: Sequence[str], is_textured: bool) -> list[tuple[str, str, str]]:
    """Return for each curve its colour, its mark and its name as markup."""
    marks = LINES if is_textured else dict.fromkeys(LINES, "●")
    return [
        (kind, mark, plain(name)) for (kind, mark), name in zip(marks.items(), names, strict=False)
    ]
