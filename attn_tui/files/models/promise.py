"""What a configuration promises of a head: multiplier, cap, sink, mask, bias, value scale."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal, Protocol

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.head_model import LAWS, Alibi, HeadModel, Part, PositionLaw
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.text import counted

PromisedMask = Literal["none", "causal", "window", "local"]

PromisedCap = float | Literal["none"] | None

PromisedSink = float | tuple[float | None, ...] | Literal["none", "learned"] | None

PromisedBias = tuple[Alibi, ...] | Literal["none", "learned"] | None

NONE: Final = "none"


@dataclass(frozen=True)
class Promise:
    """What is promised of the heads of one layer; None means that a part is not stated.

    Attributes:
        multiplier: m, relative to the q that attention gets.
        softcap: The cap, or ``"none"`` if there is none.
        sink: The sink's logit, or that of each head; ``"learned"`` if it is not known, or
            ``"none"`` without a sink.
        mask: The kind of mask.
        window: The window's length, with the query's own key; for a local one, over both sides.
        chunk: The length of chunks, if keys are cut into chunks.
        offset: The key that query 0 stands at, if queries are fewer than keys; None if the last
            query stands at the last key.
        mask_varies: Whether the mask also depends on the input or on weights, as with image tokens,
            prefixes or sparse attention, so that only a captured mask has all of it.
        cross_varies: Whether the mask of its cross attention does.
        bias: The bias of each head by position; ``"learned"`` if its numbers are known to the
            model alone, or depend on the input; ``"none"`` without a bias.
        value_scale: c in out = c·p·V.
        source: Where all this is said.
        form: The multiplier as written there: ``1/√144``; empty if it is a plain number.
        is_complete: Whether the parts that have no field here are promised to be as usual: the KV
            heads grouped, softmax taken once, m the same for all positions.
        unless_captured: The parts that are promised to be absent unless they were captured.
    """

    multiplier: float | None = None
    softcap: PromisedCap = None
    sink: PromisedSink = None
    mask: PromisedMask | None = None
    window: int | None = None
    value_scale: float | None = None
    source: str = ""
    offset: int | None = None
    form: str = ""
    chunk: int | None = None
    mask_varies: bool = False
    bias: PromisedBias = None
    is_complete: bool = False
    cross_varies: bool = False
    unless_captured: frozenset[Part] = frozenset()

    @property
    def stated(self) -> frozenset[Part]:
        """The parts that are stated."""
        parts: tuple[Part, ...] = (
            "multiplier", "softcap", "sink", "mask", "bias", "value_scale"
        )  # fmt: skip
        named = {part for part in parts if getattr(self, part) is not None}
        more: set[Part] = {"kv_head", "softmax_twice", "law"} if self.is_complete else set()
        return frozenset(named | more)

    def model(self, rows: HeadRows, head: int = 0) -> HeadModel:
        """Return the promise of a head as a model, with the usual value for parts not stated.

        Args:
            rows: The rows of the head.
            head: The number of the head in its layer.
        """
        sink = self.sink
        if isinstance(sink, tuple):
            sink = sink[head % len(sink)]
        elif sink == NONE:
            sink = None
        cap = None if self.softcap == NONE else self.softcap
        m = rows.d_k**-0.5 if self.multiplier is None else self.multiplier
        scale = 1.0 if self.value_scale is None else self.value_scale
        bias = None
        if isinstance(self.bias, tuple):
            bias = self.bias[head % len(self.bias)]
        return HeadModel(m, scale, cap, sink, self.head_mask(rows), bias)

    def head_mask(self, head: HeadRows) -> HeadMask:
        """Return the promised mask of a head, by default with the last query at the last key."""
        if self.mask == "none":
            return HeadMask("none")
        offset = corner(head) if self.offset is None else self.offset
        return HeadMask(self.mask or "causal", offset, self.window, chunk=self.chunk)


def corner(head: HeadRows) -> int | None:
    """Return the key that query 0 stands at, if the last query stands at the last key.

    Keys of zeros at the end are the empty part of a cache.
    """
    if head.positions is not None:
        return head.corner
    if head.n_queries >= head.n_keys:
        return 0
    written = np.flatnonzero(head.keys.any(axis=1))
    last = int(written[-1]) + 1 if len(written) else head.n_keys
    return max(last - head.n_queries, 0)


@dataclass(frozen=True)
class Shape:
    """The shape of a model as its configuration says it; empty or None means not said.

    Attributes:
        d_k: The lengths that the queries of a head may have.
        heads: How many query heads a layer has.
        layers: How many layers there are.
        kv_heads: How many KV heads every layer has, if all have the same number.
        counts: The numbers of query heads that layers have, if they differ.
    """

    d_k: frozenset[int] = frozenset()
    heads: int | None = None
    layers: int | None = None
    kv_heads: int | None = None
    counts: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Hint:
    """A number of a configuration that is easily taken for d_k.

    Attributes:
        value: The number.
        meaning: The meaning of the number, in words.
    """

    value: float
    meaning: str


class ReplacedParts(Protocol):
    """Parts of an expectation that the user typed."""

    def over(self, promise: Promise, d_k: int) -> Promise:
        """Return an expectation with the typed parts in place of its own."""


@dataclass(frozen=True)
class LayerPlace:
    """Where a captured layer stands in its model.

    Attributes:
        towers: The numbers of the towers that it may be of; one if it is known, none if it is of a
            part that the configuration does not have.
        layer: The number of the layer in its tower, or None if that is not known.
        is_cross: Whether its keys are those of another part: cross attention, which has neither
            mask nor bias.
    """

    towers: tuple[int, ...]
    layer: int | None = None
    is_cross: bool = False


@dataclass(frozen=True)
class Expectation:
    """What is expected of all heads of a model.

    Attributes:
        source: Where this is said: the file, and the names of the fields that decide.
        common: The expectation of every layer that `layers` does not have.
        layers: The expectation of each layer, if they differ.
        shape: The shape of the model.
        hints: Numbers that may have been used in place of d_k.
        yarn: YaRN's μ = 0.1·ln(factor)·mscale + 1, or 1.
        notes: Sentences on factors that captured q, k or v already contain, or that are not
            compared.
        kind: The architecture, as the file names it.
        laws: Laws of the multiplier by position that may be applied once too often.
        typed: The parts that the user typed, which override all others.
        name: The name of the tower, as the configuration has it; empty for a model with one.
        towers: The parts of the model with layers of their own, such as text and images, or encoder
            and decoder; empty for a model with one, whose layers are those above.
        places: Where the captured layers stand, by number; those that are absent stand in the only
            tower, at their own number.
        first_head: The number in the model of the first captured head of each layer, if the capture
            says that it has some of the heads; None if it has to have all of them.
    """

    source: str
    common: Promise
    layers: tuple[Promise, ...] = ()
    shape: Shape = Shape()
    hints: tuple[Hint, ...] = ()
    yarn: float = 1.0
    notes: tuple[str, ...] = ()
    kind: str = ""
    laws: tuple[PositionLaw, ...] = LAWS
    typed: ReplacedParts | None = None
    name: str = ""
    towers: tuple["Expectation", ...] = ()
    places: Mapping[int, LayerPlace] = field(default_factory=dict)
    first_head: int | None = None

    def with_first_head(self, first_head: int | None) -> "Expectation":
        """Return it for a capture of some heads, from a first one on, or of all."""
        towers = tuple(tower.with_first_head(first_head) for tower in self.towers)
        return replace(self, towers=towers, first_head=first_head)

    def of(self, layer: int, d_k: int) -> Promise:
        """Return what is promised of the heads of a layer, with the parts that the user typed.

        Args:
            layer: Its number in the capture, counted from 0.
            d_k: The length of its queries, as captured.
        """
        promise = self._promise(layer, d_k)
        if self.typed is not None:
            promise = self.typed.over(promise, d_k)
        return replace(promise, source=self.source)

    def tower(self, layer: int) -> "Expectation":
        """Return the part of the model that a captured layer is of; the model if that is open."""
        place = self.places.get(layer)
        if not self.towers or place is None or len(place.towers) != 1:
            return self
        return self.towers[place.towers[0]]

    def numbers(self, layers: Iterable[int]) -> tuple[int, ...]:
        """Return the numbers that captured layers have in the model, as far as they are known."""
        places = (self.places.get(layer, LayerPlace((0,), layer)) for layer in layers)
        return tuple(place.layer for place in places if place.layer is not None)

    def _promise(self, layer: int, d_k: int) -> Promise:
        place = self.places.get(layer)
        if not self.towers:
            promise = self._of(layer if place is None else place.layer)
        elif place is None:
            fitting = [tower for tower in self.towers if d_k in tower.shape.d_k]
            promise = agreed(tower._of(None) for tower in fitting or self.towers)
        else:
            promise = agreed(self.towers[tower]._of(place.layer) for tower in place.towers)
        return crossing(promise) if place is not None and place.is_cross else promise

    def _of(self, layer: int | None) -> Promise:
        """Return what is promised of a layer of a tower, or of all of them alike."""
        if layer is None:
            return agreed(self.layers or (self.common,))
        return self.layers[layer] if 0 <= layer < len(self.layers) else self.common

    def problem(
        self, layers: Collection[int], heads: int, d_ks: Collection[int], kv_heads: int
    ) -> str:
        """Return why this cannot be the captured model, or an empty text if it can.

        Of a model with several towers only the lengths are compared.

        Args:
            layers: The numbers of the captured layers.
            heads: The most query heads of a captured layer.
            d_ks: The lengths of captured queries.
            kv_heads: The KV heads of the layer with the most query heads.
        """
        shape, numbers = self.shape, self.numbers(layers)
        # Keys may be captured once for each query head that uses them, but not fewer times.
        groups = shape.kv_heads if shape.heads else None
        if shape.layers is not None and numbers and max(numbers) >= shape.layers:
            return f"it has {counted(shape.layers, 'layer')}, and layer {max(numbers)} was captured"
        last = heads + (self.first_head or 0)
        is_some = heads in shape.counts or self.first_head is not None or not heads
        if shape.heads is not None and (last > shape.heads or (last < shape.heads and not is_some)):
            more = "" if self.first_head is None else f", from head {self.first_head} on"
            of_model = counted(shape.heads, "head")
            return f"it has {of_model} a layer, and {heads} were captured{more}"
        if groups is not None and heads * groups > kv_heads * (shape.heads or 0):
            return (
                f"it has {counted(groups, 'head')} of keys and values for {shape.heads} of "
                f"queries, and {kv_heads} for {heads} were captured"
            )
        if wrong := sorted({*d_ks} - shape.d_k if shape.d_k else ()):
            of = " or ".join(map(str, sorted(shape.d_k)))
            return f"its queries are of length {of}, and those captured of {wrong[0]}"
        return ""

    def check(
        self, layers: Collection[int], heads: int, d_ks: Collection[int], kv_heads: int
    ) -> None:
        """Raise InputError, with field ``"config"``, if this cannot be the captured model."""
        if problem := self.problem(layers, heads, d_ks, kv_heads):
            raise InputError("config", problem, "the configuration of the model that was captured")


NOTHING_EXPECTED = Expectation("", Promise())
"""What is expected if nothing is known about a model."""


def agreed(promises: Iterable[Promise]) -> Promise:
    """Return the parts that several promises have in common; nothing of none."""
    first, *others = [*promises] or [Promise()]
    differing: dict[str, Any] = {
        part.name: part.default
        for part in fields(Promise)
        if any(getattr(first, part.name) != getattr(other, part.name) for other in others)
    }
    if differing.keys() & {"mask", "window", "chunk"}:
        # A window is part of a mask, and not one by itself.
        differing |= {"mask": None, "window": None, "chunk": None}
    return replace(first, **differing)


def crossing(promise: Promise) -> Promise:
    """Return what is promised of cross attention in place of self-attention."""
    mask: PromisedMask | None = None if promise.mask is None else "none"
    bias: PromisedBias = None if promise.bias is None else NONE
    varies = promise.cross_varies
    return replace(promise, mask=mask, window=None, chunk=None, bias=bias, mask_varies=varies)
