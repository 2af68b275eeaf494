"""Cells of a screen as SVG that browsers, librsvg and resvg lay out alike.

What frames, bars and curves consist of are rectangles (`shapes`), so they need no font and meet
without gaps. Words are placed one by one, since librsvg knows neither ``textLength`` nor a list of
``x``; in browsers and resvg ``textLength`` fits each to its cells whatever font there is. Fonts are
those of the system: nothing is fetched.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.sax.saxutils import escape

from attn_tui.compute.visible import clusters, visible
from attn_tui.old.tui.shapes import HEIGHT, SHADES, WIDTH, shape
from attn_tui.report.rows import cells

_FONTS = "DejaVu Sans Mono, Liberation Mono, Menlo, Cascadia Mono, Consolas, monospace"
_SIZE = 13.3
"""Of the font: of nearly all that is monospace a glyph is 0.6 of it wide."""

_BASE = 12.0


class Look(NamedTuple):
    """How a run of text looks; colours are written ``#rrggbb``."""

    fore: str
    back: str
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False


Runs = Sequence[tuple[str, Look]]


@dataclass(frozen=True)
class Picture:
    """What a screen shows.

    Attributes:
        rows: Its lines, from the top, as runs of text.
        columns: Its width in cells.
        title: What it shows, in a sentence.
        line: The command line that asks this, or nothing.
    """

    rows: tuple[Runs, ...]
    columns: int
    title: str = ""
    line: str = ""


def svg(picture: Picture) -> Iterator[str]:
    """Yield an SVG file, line by line."""
    width, height = picture.columns * WIDTH, len(picture.rows) * HEIGHT
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img">\n'
    )
    for tag, text in (("title", picture.title), ("desc", picture.line)):
        if text:
            yield f"<{tag}>{escape(visible(text))}</{tag}>\n"
    grounds, drawn = _Paths(), _Paths()
    texts: list[str] = []
    for row, runs in enumerate(picture.rows):
        column = 0
        for text, look in runs:
            wide = cells(text)
            grounds.add(look.back, column, row, (0, 0, wide * WIDTH, HEIGHT))
            for place, under in ((HEIGHT - 1, look.underline), (HEIGHT / 2, look.strike)):
                if under:
                    drawn.add(look.fore, column, row, (0, place, wide * WIDTH, 1))
            texts += _placed(text, look, column, row, drawn)
            column += wide
    yield '<g shape-rendering="crispEdges">\n'
    yield from grounds.lines()
    yield from drawn.lines()
    yield f'</g>\n<g font-family="{_FONTS}" font-size="{_SIZE}">\n'
    yield from texts
    yield "</g>\n</svg>\n"


class _Paths:
    """Rectangles by their colour."""

    def __init__(self) -> None:
        self._of: Mapping[str, list[str]] = defaultdict(list)

    def add(self, colour: str, column: int, row: int, rect: tuple[float, ...]) -> None:
        """Add one that lies so in a cell."""
        x, y, width, height = rect
        x, y = column * WIDTH + x, row * HEIGHT + y
        self._of[colour].append(f"M{x:g} {y:g}h{width:g}v{height:g}h-{width:g}z")

    def lines(self) -> Iterator[str]:
        """Yield a path for each colour."""
        for colour, parts in self._of.items():
            yield f'<path fill="{colour}" d="{"".join(parts)}"/>\n'


def _placed(text: str, look: Look, column: int, row: int, drawn: _Paths) -> Iterator[str]:
    """Yield the words of a run, each in its place; what has a shape is drawn instead."""
    for piece in _pieces(text):
        wide, rects = cells(piece), shape(piece[0])
        if rects is None:
            if not piece.isspace():
                yield _text(piece, look, column, row, wide)
        else:
            share = SHADES.get(piece[0], 1.0)
            colour = look.fore if share == 1.0 else mixed(look.back, look.fore, share)
            whole = any(width == WIDTH for _, _, width, _ in rects)
            for cell in range(1 if whole else wide):
                for x, y, width, height in rects:
                    drawn.add(colour, column + cell, row, (x, y, width * wide**whole, height))
        column += wide


def _pieces(text: str) -> Iterator[str]:
    """Yield what is placed by itself: words in ASCII, runs of one shape, any other character."""
    piece = kind = ""
    for cluster in clusters(text):
        own = "a" if "!" <= cluster <= "~" else " " if cluster == " " else cluster
        goes_on = own == kind and (own in "a " or shape(own) is not None)
        if piece and not goes_on and cells(cluster):
            yield piece
            piece = ""
        if cells(cluster):
            kind = own
        piece += cluster
    if piece:
        yield piece


def _text(word: str, look: Look, column: int, row: int, wide: int) -> str:
    """Return a word that takes so many cells."""
    more = ' font-weight="bold"' * look.bold + ' font-style="italic"' * look.italic
    x, y, length = column * WIDTH, row * HEIGHT + _BASE, wide * WIDTH
    return (
        f'<text x="{x}" y="{y:g}" textLength="{length}" lengthAdjust="spacingAndGlyphs" '
        f'fill="{look.fore}"{more}>{escape(word)}</text>\n'
    )


def mixed(one: str, other: str, share: float) -> str:
    """Return a colour between two, nearer to the other the greater its share."""
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + bytes(round(a + (b - a) * share) for a, b in pairs).hex()
