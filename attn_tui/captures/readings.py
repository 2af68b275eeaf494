"""Ways to read the tensors of a layer: which axis is which, and which keys a head has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import Literal

from attn_tui.captures.layouts import Layout, is_merged

KvMapping = Literal["grouped", "interleaved"]

VARIABLES: Mapping[str, Mapping[str, str]] = {
    "q": {"b": "batch", "h": "heads", "n": "queries", "d": "d_k"},
    "k": {"b": "batch", "h": "kv_heads", "n": "keys", "d": "d_k"},
    "v": {"b": "batch", "h": "kv_heads", "n": "keys", "d": "d_v"},
    "out": {"b": "batch", "h": "heads", "n": "queries", "d": "d_v"},
    "scores": {"b": "batch", "h": "heads", "q": "queries", "k": "keys"},
    "weights": {"b": "batch", "h": "heads", "q": "queries", "k": "keys"},
    "lse": {"b": "batch", "h": "heads", "n": "queries"},
}
"""Which number the length of an axis is, by part."""


@dataclass(frozen=True)
class Dims:
    """The numbers that shapes of a layer's tensors are made of; 0 where nothing says."""

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
        dims: What the lengths then are.
        query_offset: The key at which query 0 stands, where the metadata says so and is believed.
        of_rank: Which KV heads each rank has, where it is not as many ranks for each.
        unlikely: How much less likely it is than the first; below `NEAR` shapes leave it open.
    """

    layouts: tuple[tuple[str, Layout], ...]
    kv_mapping: KvMapping
    dims: Dims
    query_offset: int | None = None
    of_rank: tuple[int, ...] = ()
    unlikely: float = field(default=0.0, compare=False)

    @property
    def kind(self) -> tuple[object, ...]:
        """What readings of several layers have in common that are read alike."""
        return (self.layouts, self.kv_mapping, self.query_offset is None)

    def layout(self, part: str) -> Layout:
        """Return the axes of a tensor."""
        return dict(self.layouts)[part]

    def kv_head(self, head: int) -> int:
        """Return which keys and values a head has."""
        if self.kv_mapping == "interleaved":
            return head % self.dims.kv_heads
        return self.grouped(head)

    def grouped(self, head: int) -> int:
        """Return which keys a head has in transformers: neighbours share them."""
        if not self.of_rank:
            return head * self.dims.kv_heads // self.dims.heads
        rank, local = divmod(head, self.dims.heads // len(self.of_rank))
        each = self.dims.kv_heads // (max(self.of_rank) + 1)
        return self.of_rank[rank] * each + local * each * len(self.of_rank) // self.dims.heads


_VECTORS: Mapping[int, Sequence[tuple[str, float]]] = {
    4: [("b h n d", 0), ("b n h d", 0)],
    3: [("h n d", 0), ("n h d", 0), ("b n hd", 1)],
    2: [("n d", 0), ("n hd", 1), ("b hd", 2)],
}
"""Layouts of q, k, v and out by how many axes there are, with how unlikely each is alone."""

_TURNED_KEYS: Mapping[int, str] = {4: "b h d n", 3: "h d n", 2: "d n"}
"""Layouts of K where it is stored as the product with q needs it."""

_MATRICES: Mapping[int, Sequence[tuple[str, float]]] = {
    4: [("b h q k", 0)],
    3: [("h q k", 0), ("b q k", 1)],
    2: [("q k", 0)],
}
_ROWS: Mapping[int, Sequence[tuple[str, float]]] = {
    4: [("b h n d", 0), ("b n h d", 1)],
    3: [("b h n", 0), ("b n h", 1)],
    2: [("h n", 0), ("n h", 1)],
    1: [("n", 0)],
}

MOST = 8
"""Readings that are kept."""

MOST_HEADS = 512
"""Heads of a layer where positions come before them: of more, these are positions."""

FAR = 3.0
"""How much less likely than the first a reading may be that is kept."""

NEAR = 1.0
"""How much less likely than the first a reading may be that has to be named."""


def choices(part: str, rank: int) -> list[tuple[Layout, float]]:
    """Return the layouts a tensor may have, with how unlikely each is."""
    form = _MATRICES if part in ("scores", "weights") else _ROWS if part == "lse" else _VECTORS
    texts = [*form.get(rank, ())]
    if part == "k" and rank in _TURNED_KEYS:
        texts.append((_TURNED_KEYS[rank], 12))
    return [(tuple(text.split()), cost) for text, cost in texts]


Given = tuple[tuple[str, tuple[int, ...], tuple[tuple[Layout, float], ...]], ...]
"""Parts, their shapes, and the layouts each may have."""


@lru_cache(maxsize=256)
def readings_of(given: Given, claims: tuple[tuple[str, int], ...] = ()) -> tuple[Reading, ...]:
    """Return the ways in which shapes fit each other, the likeliest first; none if they do not.

    Args:
        given: Tensors of one layer.
        claims: Numbers of `Dims` that somebody says, tested where shapes leave them open.
    """
    found: dict[Reading, float] = {}
    is_asked = len(given[0][2]) == 1
    for pick in product(*(layouts for _, _, layouts in given)):
        layouts = tuple(
            (part, layout) for (part, _, _), (layout, _) in zip(given, pick, strict=True)
        )
        cost = sum(cost for _, cost in pick)
        for extra, dims in _solutions(given, [layout for layout, _ in pick], claims):
            is_turned = not is_asked and not _heads_first(layouts[0][1])
            if is_turned and (dims.heads > MOST_HEADS or dims.heads > dims.queries > dims.keys):
                continue  # These are positions.
            denied = sum(getattr(dims, name) not in (0, value) for name, value in claims)
            unlikely = cost + extra + 3 * denied + _unlikely(dict(layouts), dims)
            found.setdefault(Reading(layouts, "grouped", dims), unlikely)
    shapes = {part: shape for part, shape, _ in given}
    # Axes of length 1 may stand anywhere: the likeliest of those that come to the same.
    same: dict[object, Reading] = {}
    for each in sorted(found, key=lambda each: found[each]):
        same.setdefault((each.dims, _longer(each, shapes)), each)
    order = [*same.values()]
    alike = [each for each in order if not _disagreements(dict(each.layouts))] or order
    likely = [each for each in alike if found[each] - found[alike[0]] <= FAR][:MOST]
    # Where nothing else fits, one tensor may be stored unlike the others, or K turned.
    rest = [each for each in order if each.dims == alike[0].dims and each not in likely]
    return tuple(
        replace(each, unlikely=found[each] - found[alike[0]])
        for each in (*likely, *rest[: 2 * MOST])
    )


def _longer(reading: Reading, shapes: Mapping[str, tuple[int, ...]]) -> tuple[Layout, ...]:
    """Return the axes of each tensor that are longer than 1; heads·dim of one head are dim."""
    heads = {"q": reading.dims.heads, "out": reading.dims.heads}
    return tuple(
        tuple(
            "d" if is_merged(axis) and heads.get(part, reading.dims.kv_heads) == 1 else axis
            for axis, length in zip(layout, shapes[part], strict=True)
            if length != 1
        )
        for part, layout in reading.layouts
    )


def _disagreements(layouts: Mapping[str, Layout]) -> int:
    """Return how many of k and v have axes in another order than q."""
    return sum(
        not _are_alike(layouts[part], layouts["q"]) for part in ("k", "v") if part in layouts
    )


def _are_alike(one: Layout, other: Layout) -> bool:
    """Return whether one layout is the other, or that with axes left out."""
    short, long = sorted((one, other), key=len)
    return tuple(axis for axis in long if axis in short) == short


def _heads_first(layout: Layout) -> bool:
    return "h" in layout and "n" in layout and layout.index("h") < layout.index("n")


def _unlikely(layouts: Mapping[str, Layout], dims: Dims) -> float:
    """Return how unlikely layouts are together, and the numbers that they make of shapes."""
    q, out = layouts["q"], layouts.get("out", layouts["q"])
    cost = 3.0 * _disagreements(layouts) + (not _heads_first(q))
    if out != q:
        # Often it is turned before it is returned.
        cost += 2 if _heads_first(out) else 0.5
    cost += 3 if dims.queries > dims.keys else dims.queries < dims.keys
    # Few models have more heads than positions, fewer more than 128.
    return cost + 0.5 * (dims.heads > dims.keys) + (dims.heads > 128) + (dims.heads > MOST_HEADS)


def alternatives(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """Return the readings that shapes do not set apart from the first, itself among them."""
    first = readings[0]
    alike = _disagreements(dict(first.layouts))
    found = {
        each.layouts: each
        for each in reversed(readings[1:])
        if each.unlikely < (FAR if each.dims == first.dims else NEAR)
        and _disagreements(dict(each.layouts)) <= alike
    }
    found.pop(first.layouts, None)
    return (first, *reversed(found.values()))


def with_kv_mappings(reading: Reading) -> Iterator[Reading]:
    """Yield a reading, and the other way in which its heads may share keys if there is one."""
    yield reading
    if 1 < reading.dims.kv_heads < reading.dims.heads and not reading.of_rank:
        yield replace(reading, kv_mapping="interleaved")


def _solutions(
    given: Given, layouts: Sequence[Layout], claims: tuple[tuple[str, int], ...]
) -> Iterator[tuple[int, Dims]]:
    """Yield numbers that explain all shapes, with how much less likely each makes it."""
    known: dict[str, int] = {}
    merged: list[tuple[str, str, int]] = []
    for (part, shape, _), layout in zip(given, layouts, strict=True):
        names = VARIABLES[part]
        for axis, length in zip(layout, shape, strict=True):
            if is_merged(axis):
                merged.append((names["h"], names["d"], length))
                if axis != "hd" and known.setdefault(names["h"], int(axis[:-1])) != int(axis[:-1]):
                    return
            elif axis == "d" and part == "lse":
                if length != 1:
                    return
            elif known.setdefault(names[axis], length) != length:
                return
        for axis in {"b", "h", "n"} & names.keys() - set("".join(layout)):
            is_in = axis == "h" and any(map(is_merged, layout))
            if not is_in and known.setdefault(names[axis], 1) != 1:
                return
    says = dict(claims)
    seen = set()
    for cost, trusted in enumerate(
        (("heads", "kv_heads"), ("heads",), ("d_k", "d_v"), ("d_k",), ())
    ):
        solved = _solved(known, merged, {name: says[name] for name in trusted if name in says})
        if solved and solved not in seen:
            seen.add(solved)
            yield cost if merged else 0, solved


def _solved(
    known: Mapping[str, int], merged: Sequence[tuple[str, str, int]], trusted: Mapping[str, int]
) -> Dims | None:
    found = {**trusted, **known} if merged else dict(known)
    left = list(merged)
    while left:
        for each in left:
            heads, d, width = each
            one, other = (heads, d) if heads in found else (d, heads)
            if one in found:
                if not found[one] or width % found[one]:
                    return None
                if found.setdefault(other, width // found[one]) * found[one] != width:
                    return None
                left.remove(each)
                break
        else:
            return None
    if found.get("heads", 1) % max(found.get("kv_heads", 1), 1) or 0 in found.values():
        return None
    return Dims(**found)
