"""The order of a tensor's axes, as text and as what is taken of it."""

from collections.abc import Mapping, Sequence

from attn_tui.captures.names import PARTS
from attn_tui.captures.stored import Index
from attn_tui.compute.errors import InputError, inert

Axis = str
"""b, h, n, d: batch, heads, positions, dim; of scores q and k."""

Layout = tuple[Axis, ...]
"""Axes in the order in which they are stored."""

VECTORS = ("q", "k", "v", "out")
"""Parts with an axis of positions and one of a head's dimensions."""

MATRICES = ("weights", "mask", "bias")
"""Parts with an axis of queries and one of keys."""

_WORDS: Mapping[str, str] = {
    "b": "batch",
    "h": "heads",
    "n": "positions",
    "d": "dim",
    "q": "queries",
    "k": "keys",
}
_FORMS = {**dict.fromkeys(VECTORS, "nd"), **dict.fromkeys(MATRICES, "qk")}


def layout_text(layout: Layout) -> str:
    """Return a layout as it is typed: ``bhnd``."""
    return "".join(layout)


def layout_words(layout: Layout) -> str:
    """Return a layout in words: ``[batch, heads, positions, dim]``."""
    return f"[{', '.join(_WORDS[axis] for axis in layout)}]"


def parse_layout(text: str, part: str) -> Layout:
    """Return the layout that a text means for a part.

    >>> parse_layout("bnhd", "out")
    ('b', 'n', 'h', 'd')

    Raises:
        InputError: With field ``"layout"``.
    """
    form = _FORMS.get(part)
    axes = text.replace(" ", "").replace(",", "").strip("[]")
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
    found: dict[str, str] = {}
    for argument in (each.strip() for text in arguments for each in text.split(",")):
        part, equals, layout = argument.rpartition("=")
        if equals and part not in _FORMS:
            expected = f"one of {', '.join(name for name in PARTS if name in _FORMS)}"
            raise InputError("layout", f"{inert(part)} is no tensor with a layout", expected)
        for each in (part,) if equals else VECTORS:
            parse_layout(layout, each)
            found[each] = layout
    return found


def taken(
    layout: Layout,
    shape: Sequence[int],
    batch: int,
    head: int,
    along: Index,
    keys: slice,
) -> tuple[Index, ...]:
    """Return what to take of a tensor for one head: rows and columns.

    Args:
        layout: Of the tensor.
        shape: Of the tensor.
        batch: Which element of the batch; an axis of length 1 serves all.
        head: Which head; an axis of length 1 serves all.
        along: Rows: positions, or queries of a tensor that has both queries and keys.
        keys: Columns, where these are keys.
    """
    places: dict[Axis, Index] = {"b": batch, "h": head, "n": along, "q": along, "k": keys}
    index: list[Index] = []
    for axis, length in zip(layout, shape, strict=True):
        at = places.get(axis, slice(None))
        if length == 1 and axis in ("b", "h"):
            at = 0
        elif length == 1 and axis == "q":
            at = slice(0, 1)
        index.append(at)
    return tuple(index)


def is_turned(layout: Layout) -> bool:
    """Return whether what is taken has columns before rows."""
    order = [axis for axis in layout if axis not in ("b", "h")]
    return order[0] not in ("n", "q")
