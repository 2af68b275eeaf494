"""Which part of a Jacobian fits a heat map of some size, and which cell lies where."""

from dataclasses import dataclass

from attn_tui.old.charts.heat import Place

SIDE_BY_SIDE = 100
"""From this width on the maps of both sides stand side by side."""

GAP = 2
"""Cells between two maps."""

NARROWEST, LARGEST = 2, (16, 5)
"""Columns that an entry takes at least; columns and rows of one at most."""


@dataclass(frozen=True)
class Window:
    """The entries that are visible, and where.

    An entry of the map is one of the Jacobian, or in an overview stands for a block of them.

    Attributes:
        rows: Keys i whose weights' gradients are visible, the first of each block; the step is
            the size of the blocks.
        columns: Keys j with respect to whose scores or logits, likewise.
        maps: How many maps stand side by side: 2, or 1.
        map_width: Cells of one map.
        place: Where the entries of each map stand.
        top: The first row of entries; the title, and where there is room the keys j, are above.
        header: Whether there is room for the keys j.
        readout: Whether there is room for the value at the cursor.
        legend: Whether there is room for the legend.
    """

    rows: range
    columns: range
    maps: int
    map_width: int
    place: Place
    top: int
    header: bool
    readout: bool
    legend: bool

    @property
    def blocks(self) -> tuple[int, int]:
        """How many keys i and how many keys j an entry stands for."""
        return self.rows.step, self.columns.step

    def block_of(self, cursor: tuple[int, int]) -> tuple[int, int]:
        """Return the first keys of the block that an entry of the Jacobian is in."""
        down, across = self.blocks
        return cursor[0] // down * down, cursor[1] // across * across


def window(
    n_keys: int, width: int, height: int, cursor: tuple[int, int], zoomed: bool = False
) -> Window | None:
    """Return what is visible of an n × n Jacobian; nothing if there is no room for an entry.

    Where not all of it fits it is divided into blocks of a round number of keys; or else, zoomed,
    a window shows the entries around the cursor. That moves by half of what it shows, so that
    most steps of the cursor move only the cursor, and some of what surrounds it is visible.

    Args:
        n_keys: n.
        width: Cells of the whole chart.
        height: Rows of the whole chart.
        cursor: The entry (i, j) that must be visible.
        zoomed: Whether to show a part of it entry by entry where not all of it fits.
    """
    maps = 2 if width >= SIDE_BY_SIDE else 1
    map_width = (width - GAP * (maps - 1)) // maps
    gutter = max(len(str(n_keys - 1)), len("i\\j")) + 2
    header, readout, legend = height >= 4, height >= 3, height >= 7
    top = 1 + header
    room = height - top - readout - legend
    most = (map_width - gutter) // (NARROWEST + 1)
    if most < 1 or room < 1:
        return None
    if zoomed:
        rows, columns = _around(cursor[0], room, n_keys), _around(cursor[1], most, n_keys)
    else:
        rows, columns = (range(0, n_keys, _block(n_keys, each)) for each in (room, most))
    shape, size = (len(rows), len(columns)), (map_width, room)
    place = Place.fit(shape, size, gutter, LARGEST)
    return Window(rows, columns, maps, map_width, place, top, header, readout, legend)


def cell_at(
    x: int,
    y: int,
    n_keys: int,
    width: int,
    height: int,
    cursor: tuple[int, int],
    zoomed: bool = False,
) -> tuple[int, int] | None:
    """Return the entry (i, j) drawn at a place of the chart, the first of a block; or nothing.

    Args:
        x: Cells from the left of the chart.
        y: Rows from its top.
        n_keys: As given to the chart, like all that follows.
        width: Cells of the whole chart.
        height: Rows of the whole chart.
        cursor: The entry the cursor is on.
        zoomed: Whether the chart shows a part entry by entry.
    """
    seen = window(n_keys, width, height, cursor, zoomed)
    if seen is None or x < 0 or y < seen.top:
        return None
    which, inside = divmod(x, seen.map_width + GAP)
    found = seen.place.at(inside, y - seen.top) if which < seen.maps else None
    return (seen.rows[found[0]], seen.columns[found[1]]) if found else None


def _block(n_keys: int, most: int) -> int:
    """Return the smallest of 1, 2, 3, 4, 5, 6, 8, 10, 20, … that makes at most so many blocks."""
    power = 1
    while True:
        for digit in (1, 2, 3, 4, 5, 6, 8):
            if n_keys <= most * digit * power:
                return digit * power
        power *= 10


def _around(key: int, room: int, n_keys: int) -> range:
    """Return a range of at most ``room`` keys that holds one key."""
    size = min(room, n_keys)
    key = min(max(key, 0), n_keys - 1)
    stride = max(size // 2, 1)
    start = key // stride * stride - (size - stride) // 2
    start = min(max(start, 0), n_keys - size)
    return range(start, start + size)
