"""The order of a tensor's axes: as text, and as an index of one head's numbers."""

from collections.abc import Mapping, Sequence

from attn_tui.captures.names import PARTS
from attn_tui.captures.stored import Index
from attn_tui.compute.errors import InputError, inert

AxisName = str
"""b, h, n, d: batch, heads, positions, dim; in matrices q and k: queries, keys."""

Layout = tuple[AxisName, ...]
"""Axes in the order in which they are stored."""

VECTORS = ("q", "k", "v", "out")
"""The parts with an axis of positions and one of a head's dimensions."""

MATRICES = ("weights", "mask", "bias")
"""The parts with an axis of queries and one of keys."""

_WORDS: Mapping[str, str] = {
    "b": "batch",
    "h": "heads",
    "n": "positions",
    "d": "dim",
    "q": "queries",
    "k": "keys",
}
_FORMS = {**dict.fromkeys(VECTORS, "nd"), **dict.fromkeys(MATRICES, "qk")}


POSITIONS = str.maketrans("stl", "nnn")
"""Other letters for the axis of positions: sequence, time and length."""


def layout_text(layout: Layout) -> str:
    """Return a layout as it is typed: ``bhnd``."""
    return "".join(layout)


def layout_words(layout: Layout) -> str:
    """Return a layout in words: ``[batch, heads, positions, dim]``."""
    return f"[{', '.join(_WORDS[axis] for axis in layout)}]"


def parse_layout(text: str, part: str) -> Layout:
    """Return the layout that a text stands for.

    >>> parse_layout("bnhd", "out"), parse_layout("BSHD", "out")
    (('b', 'n', 'h', 'd'), ('b', 'n', 'h', 'd'))

    Raises:
        InputError: With field ``"layout"``.
    """
    form = _FORMS.get(part)
    axes = text.replace(" ", "").replace(",", "").strip("[]")
    if part in VECTORS:
        axes = axes.lower().translate(POSITIONS)
    fits = (
        form is not None
        and len(set(axes)) == len(axes)
        # One query of each sequence needs no axis of positions.
        and set(form) - {"n"} <= set(axes) <= {"b", "h", *form}
    )
    if not fits:
        example = "bhnd or bnhd" if part in VECTORS else "bhqk"
        raise InputError("layout", f"{part}={inert(text)} is none", example)
    return tuple(axes)


def parse_layouts(arguments: Sequence[str]) -> dict[str, str]:
    """Return layouts by part from arguments such as ``out=bnhd``, or ``bnhd`` for all vectors.

    >>> parse_layouts(["bhnd", "out=bnhd"])
    {'q': 'bhnd', 'k': 'bhnd', 'v': 'bhnd', 'out': 'bnhd'}

    Raises:
        InputError: With field ``"layout"``.
    """
    layouts: dict[str, str] = {}
    for argument in (piece.strip() for text in arguments for piece in text.split(",")):
        part, equals, layout = argument.rpartition("=")
        if equals and part not in _FORMS:
            expected = f"one of {', '.join(name for name in PARTS if name in _FORMS)}"
            raise InputError("layout", f"{inert(part)} is no tensor with a layout", expected)
        for name in (part,) if equals else VECTORS:
            layouts[name] = layout_text(parse_layout(layout, name))
    return layouts


def taken(
    layout: Layout,
    shape: Sequence[int],
    batch: int,
    head: int,
    along: Index,
    keys: slice,
) -> tuple[Index, ...]:
    """Return the index of one head's rows and columns in a tensor.

    Args:
        layout: The layout of the tensor.
        shape: The shape of the tensor.
        batch: The element of the batch; an axis of length 1 serves all.
        head: The head; an axis of length 1 serves all.
        along: The rows: positions, or queries if the tensor has both queries and keys.
        keys: The columns, if these are keys.
    """
    places: dict[AxisName, Index] = {"b": batch, "h": head, "n": along, "q": along, "k": keys}
    index: list[Index] = []
    for axis, length in zip(layout, shape, strict=True):
        place = places.get(axis, slice(None))
        if length == 1 and axis in ("b", "h"):
            place = 0
        elif length == 1 and axis == "q":
            place = slice(0, 1)
        index.append(place)
    return tuple(index)


def is_turned(layout: Layout) -> bool:
    """Return whether a layout has columns before rows."""
    order = [axis for axis in layout if axis not in ("b", "h")]
    return order[0] not in ("n", "q")
