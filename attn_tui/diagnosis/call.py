"""The arrays of one call of attention: their axes and their sizes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attn_tui.captures.layouts import VECTORS, layout_text, parse_layout, parse_layouts
from attn_tui.captures.readings import VARIABLES
from attn_tui.captures.stored import Raw
from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.rows import HeadRows

_FEWER_AXES: Mapping[int, str] = {4: "", 3: "b", 2: "bh"}
"""The axes of a layout that an array does without, by its number of axes."""


@dataclass(frozen=True)
class CallShape:
    """The sizes of a call.

    Attributes:
        batch: The number of sequences.
        heads: The number of query heads.
        kv_heads: The number of heads of keys and values.
        queries: The number of queries, n_q.
        keys: The number of keys, n.
        d_k: The length of queries and keys.
        d_v: The length of values.
    """

    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    d_k: int
    d_v: int

    def rows(self) -> HeadRows:
        """Return rows of these sizes without numbers, which a mask by position may be asked of."""
        queries, keys = (np.ones((count, 1), np.float32) for count in (self.queries, self.keys))
        return HeadRows(np.arange(self.queries), self.queries, queries, keys)


def layouts_of(layout: str, axes: Mapping[str, int]) -> dict[str, str]:
    """Return the layout of each array of a call, by part.

    >>> layouts_of("bnhd", {"q": 4, "out": 3})
    {'q': 'bnhd', 'out': 'nhd'}

    Args:
        layout: The axes as a capture has them: ``bhnd``, or ``bhnd,out=bnhd``.
        axes: The number of axes of each array.

    Raises:
        InputError: With field ``"layout"``, or the name of an array that has other axes.
    """
    named = {**dict.fromkeys(VECTORS, "bhnd"), **parse_layouts([layout])}
    layouts = {}
    for part, count in axes.items():
        without = _FEWER_AXES.get(count)
        if without is None:
            expected = "[heads, n, d] or [batch, heads, n, d], or other axes by layout="
            raise InputError(part, f"it has {count} axes", expected)
        text = layout_text(parse_layout(named[part], part))
        kept = "".join(axis for axis in text if axis not in without)
        if len(kept) != count:
            raise InputError(part, f"it has {count} axes", f"{len(text)}, as layout={text} has")
        layouts[part] = kept
    return layouts


def shape_of(arrays: Mapping[str, Raw], layouts: Mapping[str, str]) -> CallShape:
    """Return the sizes of a call from the shapes of its arrays.

    Args:
        arrays: The arrays by part.
        layouts: The axes of each.

    Raises:
        InputError: With the name of the first array that does not fit those before it.
    """
    sizes: dict[str, int] = {}
    for part, array in arrays.items():
        lengths: dict[str, Any] = dict.fromkeys("bh", 1)
        lengths |= dict(zip(layouts[part], array.shape, strict=True))
        names = VARIABLES[part]
        wanted = [sizes.get(names[axis], lengths[axis]) for axis in layouts[part]]
        if wanted != [*array.shape] or 0 in array.shape:
            shape = "×".join(map(str, array.shape))
            expected = "×".join(map(str, wanted))
            if 0 in array.shape:
                expected = "at least one number along each axis"
            raise InputError(part, f"its shape is {shape}", f"{expected}, as {_before(sizes)} says")
        for axis, length in lengths.items():
            sizes.setdefault(names[axis], length)
    if sizes["heads"] % sizes["kv_heads"]:
        problem = f"it has {sizes['kv_heads']} heads, and q has {sizes['heads']}"
        raise InputError("k", problem, "a number of heads that divides those of q")
    return CallShape(**{"d_v": 0, **sizes})


def _before(sizes: Mapping[str, int]) -> str:
    """Return which arrays the sizes follow from."""
    return "its layout" if not sizes else "what came before"
