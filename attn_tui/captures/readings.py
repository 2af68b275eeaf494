"""Ways to read the tensors of a layer: the meaning of each axis, and the keys of each head."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Literal

from attn_tui.captures.layouts import Layout, layout_text

KvMapping = Literal["grouped", "interleaved"]

VARIABLES: Mapping[str, Mapping[str, str]] = {
    "q": {"b": "batch", "h": "heads", "n": "queries", "d": "d_k"},
    "k": {"b": "batch", "h": "kv_heads", "n": "keys", "d": "d_k"},
    "v": {"b": "batch", "h": "kv_heads", "n": "keys", "d": "d_v"},
    "out": {"b": "batch", "h": "heads", "n": "queries", "d": "d_v"},
    "weights": {"b": "batch", "h": "heads", "q": "queries", "k": "keys"},
}
"""The field of `Dims` that the length of each axis is, by part."""


@dataclass(frozen=True)
class Dims:
    """The sizes that the shapes of a layer's tensors consist of; 0 if nothing says."""

    batch: int = 0
    heads: int = 0
    kv_heads: int = 0
    queries: int = 0
    keys: int = 0
    d_k: int = 0
    d_v: int = 0


@dataclass(frozen=True)
class Reading:
    """One way to read a layer's tensors.

    Attributes:
        layouts: The axes of each tensor, by part, in the order of `VARIABLES`.
        kv_mapping: ``"grouped"``: head h has the keys of h // (n_heads // n_kv), as in
            transformers; ``"interleaved"``: those of h % n_kv.
        dims: The sizes that follow.
    """

    layouts: tuple[tuple[str, Layout], ...]
    kv_mapping: KvMapping
    dims: Dims

    def layout(self, part: str) -> Layout:
        """Return the axes of a tensor."""
        return dict(self.layouts)[part]

    def kv_head(self, head: int) -> int:
        """Return the number of the KV head whose keys and values a query head has."""
        if self.kv_mapping == "interleaved":
            return head % self.dims.kv_heads
        return head * self.dims.kv_heads // self.dims.heads


_VECTORS: Mapping[int, Sequence[str]] = {4: ("bhnd", "bnhd"), 3: ("hnd", "nhd"), 2: ("nd", "nd")}
"""Layouts of q, k, v and out by number of axes: heads before positions, then after them."""

_MATRICES: Mapping[int, Sequence[str]] = {4: ("bhqk",), 3: ("hqk", "bqk"), 2: ("qk",)}
"""Layouts of weights by number of axes."""

MOST_HEADS = 128
"""The most heads that layers of models have; a longer axis is one of positions."""

_SENSIBLE: Sequence[Callable[[Dims], bool]] = (
    lambda dims: dims.heads <= MOST_HEADS,
    # A row that sees one key gives it all the weight, whatever the scale.
    lambda dims: dims.keys > 1,
    lambda dims: dims.queries <= dims.keys,
)
"""What holds in models: if it holds in one reading of a layer, readings without it are dropped."""

Shapes = tuple[tuple[str, tuple[int, ...]], ...]
Layouts = tuple[tuple[str, Layout], ...]
AxisCounts = tuple[tuple[str, int], ...]


@lru_cache(maxsize=256)
def readings_of(
    shapes: Shapes, typed: Layouts = (), declared: Layouts = (), counts: AxisCounts = ()
) -> tuple[Reading, ...]:
    """Return the ways in which shapes fit each other, usual ones first; empty if they do not.

    Axes are b h n d or b n h d, the same for q, k and v. Declared layouts decide between the two,
    then what is usual in models. If several readings are left, only an output can tell.

    Args:
        shapes: The shapes of the tensors of one layer, by part.
        typed: Layouts that the user typed, which nothing overrides.
        declared: Layouts in the metadata, which shapes may contradict.
        counts: Fields of `Dims` in the metadata, which shapes may contradict as well.
    """
    lengths, typed_layouts = dict(shapes), dict(typed)
    orders: tuple[bool, ...] = (True, False)
    q = typed_layouts.get("q", ())
    if "h" in q and "n" in q:
        orders = (q.index("h") < q.index("n"),)
    fitting: dict[Layouts, tuple[Layouts, Dims]] = {}
    for heads_first in orders:
        choices = []
        for part, shape in shapes:
            texts = (_MATRICES if part == "weights" else _VECTORS).get(len(shape), ())
            usual = [tuple(text) for text in texts]
            if part in typed_layouts:
                usual = [typed_layouts[part]] if len(typed_layouts[part]) == len(shape) else []
            elif part != "weights":
                usual = usual if heads_first else usual[::-1]
                # Heads and positions of an output are often swapped before it is returned.
                usual = usual if part == "out" else usual[:1]
            choices.append(usual)
        for pick in product(*choices):
            layouts = tuple(zip(lengths, pick, strict=True))
            vectors = tuple(pair for pair in layouts if pair[0] != "weights")
            dims = _solved(shapes, layouts)
            if dims and vectors not in fitting:
                fitting[vectors] = layouts, dims
    stated = [pair for pair in declared if len(pair[1]) == len(lengths.get(pair[0], ()))]
    judged = []
    for layouts, dims in fitting.values():
        q_layout = dict(layouts)["q"]
        is_declared = typed or ("q", q_layout) in stated or dims.heads == dict(counts).get("heads")
        is_odd = dims.heads > MOST_HEADS or dims.heads > dims.queries > dims.keys
        if is_odd and "nh" in layout_text(q_layout) and not is_declared:
            continue
        denied = sum(getattr(dims, name) not in (0, value) for name, value in counts)
        denied += any(pair not in layouts for pair in stated)
        judged.append((denied, layouts, dims))
    least = min((denied for denied, _, _ in judged), default=0)
    kept = [(layouts, dims) for denied, layouts, dims in judged if denied == least]
    for is_sensible in _SENSIBLE:
        kept = [pair for pair in kept if is_sensible(pair[1])] or kept
    # Axes of length 1 may stand anywhere: keep the first of readings that differ only in them.
    same: dict[object, Reading] = {}
    for layouts, dims in kept:
        longer = tuple(
            tuple(axis for axis, length in zip(axes, lengths[part], strict=True) if length != 1)
            for part, axes in layouts
        )
        same.setdefault((dims, longer), Reading(layouts, "grouped", dims))
    return tuple(same.values())


def alternatives(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """Return the readings between which no convention decides, the first of each layout.

    By convention, heads stand before positions, and there are more positions than heads.
    """
    first = readings[0]
    is_odd = first.dims.heads > first.dims.keys
    by_layout = {
        reading.layouts: reading
        for reading in reversed(readings)
        if is_odd or reading.dims == first.dims
    }
    return tuple(by_layout.values())[::-1]


def with_kv_mappings(reading: Reading) -> Iterator[Reading]:
    """Yield a reading, and the same with interleaved KV heads if that is possible."""
    yield reading
    if 1 < reading.dims.kv_heads < reading.dims.heads:
        yield replace(reading, kv_mapping="interleaved")


def _solved(shapes: Shapes, layouts: Layouts) -> Dims | None:
    """Return the dims that explain all shapes in the given layouts, or None."""
    sizes: dict[str, int] = {}
    for (part, shape), (_, layout) in zip(shapes, layouts, strict=True):
        names = VARIABLES[part]
        lengths = dict(zip(layout, shape, strict=True))
        missing = {"b", "h", "n"} & names.keys() - lengths.keys()
        for axis, length in (lengths | dict.fromkeys(missing, 1)).items():
            if sizes.setdefault(names[axis], length) != length:
                return None
    if sizes.get("heads", 1) % max(sizes.get("kv_heads", 1), 1) or 0 in sizes.values():
        return None
    return Dims(**sizes)
