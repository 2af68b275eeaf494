"""What a head should do, as a configuration says: multiplier, cap, sink, mask, value scale."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Protocol

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.fit.model import LAWS, LEARNED, Law, Model, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.compute.text import counted

Mask = Literal["none", "causal", "window", "local"]

NONE: Final = "none"


@dataclass(frozen=True)
class Expected:
    """What one head should do. What is None is not said.

    Attributes:
        multiplier: m, relative to the q that attention is given.
        softcap: The cap, or that there is none.
        sink: The sink's logit, that there is one, or that there is none.
        mask: Which keys are seen.
        window: The window's length, the query's own key included; of a local one, of both sides.
        chunk: The length of chunks, if keys are cut into such.
        offset: The key that query 0 stands at, where queries are fewer than keys; the last query
            stands at the last key.
        value_scale: c of out = c·p·V.
        source: Where all this is said.
        form: How the multiplier is written there: ``1/√144``; empty where it is a plain number.
    """

    multiplier: float | None = None
    softcap: float | Literal["none"] | None = None
    sink: float | Literal["none", "learned"] | None = None
    mask: Mask | None = None
    window: int | None = None
    value_scale: float | None = None
    source: str = ""
    offset: int | None = None
    form: str = ""
    chunk: int | None = None

    @property
    def said(self) -> frozenset[Part]:
        """The parts that are said: whatever is, neither a KV head nor a second softmax is open."""
        parts: tuple[Part, ...] = ("multiplier", "softcap", "sink", "mask", "value_scale")
        named = {part for part in parts if getattr(self, part) is not None}
        more: set[Part] = {"kv_head", "softmax_twice", "law"}
        return frozenset(named | more)

    def model(self, head: HeadRows) -> Model:
        """Return what is expected of a head as a model; of what is not said, what most have."""
        sink = None if self.sink in (None, NONE) else self.sink
        cap = None if self.softcap in (None, NONE) else float(self.softcap or 0.0)
        m = self.multiplier if self.multiplier else head.d_k**-0.5
        scale = 1.0 if self.value_scale is None else self.value_scale
        return Model(m, scale, cap, sink, self.head_mask(head))  # type: ignore[arg-type]

    def head_mask(self, head: HeadRows) -> HeadMask:
        """Return the mask that is expected of a head, the last query at the last key."""
        if self.mask == "none":
            return HeadMask("none")
        offset = corner(head) if self.offset is None else self.offset
        return HeadMask(self.mask or "causal", offset, self.window, chunk=self.chunk)

    def completed(self, other: "Expected") -> "Expected":
        """Return this with what another says of what this does not; a window is part of a mask."""
        names = ("multiplier", "softcap", "mask")
        more = {name: getattr(other, name) for name in names if getattr(self, name) is None}
        return replace(self, **more)


def corner(head: HeadRows) -> int | None:
    """Return the key that query 0 stands at, if the last query stands at the last key.

    Keys of zeros at the end are a cache's that is not full.
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
    """What a configuration says of the shape of a model; what is empty or None is not said.

    Attributes:
        d_k: Dimensions that the queries of a head may have.
        heads: Query heads of a layer.
        layers: How many layers there are.
        kv_heads: Heads of keys and values of every layer, as far as all have as many.
    """

    d_k: frozenset[int] = frozenset()
    heads: int | None = None
    layers: int | None = None
    kv_heads: int | None = None


@dataclass(frozen=True)
class Hint:
    """A number of a configuration that is easily taken for d_k.

    Attributes:
        value: The number.
        meaning: What it is.
    """

    value: float
    meaning: str


class Typed(Protocol):
    """Parts that somebody typed."""

    def over(self, expected: Expected, d_k: int) -> Expected:
        """Return what is expected of a head with what was typed in place of what is said."""


@dataclass(frozen=True)
class Expectation:
    """What is expected of all heads of a model.

    Attributes:
        source: Where that is said: the file, and the names of the fields that decide.
        common: What is expected of a layer that `layers` does not have.
        layers: What is expected of each layer, where they differ.
        shape: What is said of the shape.
        assumed: Whether nothing says the multiplier: it is 1/√d_k of the captured d_k then.
        hints: Numbers that may stand where d_k should.
        yarn: YaRN's μ = 0.1·ln(factor)·mscale + 1, or 1.
        notes: What is already in q, k or v as captured, or is not compared, in sentences.
        kind: The architecture, as the file names it.
        laws: Laws of the multiplier by position that may be there once too often.
        typed: What was typed, which goes before all that is said.
        calls: What the call of each layer was given, which counts where nothing else is said.
    """

    source: str
    common: Expected
    layers: tuple[Expected, ...] = ()
    shape: Shape = Shape()
    assumed: bool = False
    hints: tuple[Hint, ...] = ()
    yarn: float = 1.0
    notes: tuple[str, ...] = ()
    kind: str = ""
    laws: tuple[Law, ...] = LAWS
    typed: Typed | None = None
    calls: Mapping[int, Expected] = field(default_factory=dict)

    def said_of(self, layer: int) -> Expected:
        """Return what is said of a layer, but for what was typed and what its call was given."""
        return self.layers[layer] if 0 <= layer < len(self.layers) else self.common

    def of(self, layer: int, d_k: int, sink: float | None = None) -> Expected:
        """Return what is expected of a head.

        Args:
            layer: Its layer, counted from 0.
            d_k: The length of its queries, as captured.
            sink: The logit of its sink, if that was captured.
        """
        found = self.said_of(layer)
        if layer in self.calls:
            found = found.completed(self.calls[layer])
        if found.multiplier is None and self.assumed:
            found = replace(found, multiplier=float(d_k) ** -0.5)
        if sink is not None and found.sink in (LEARNED, None):
            found = replace(found, sink=sink)
        if self.typed is not None:
            found = self.typed.over(found, d_k)
        return replace(found, source=self.source)

    def problem(
        self, layers: Collection[int], heads: int, d_ks: Collection[int], kv_heads: int
    ) -> str:
        """Return why this is of another model, or nothing.

        Args:
            layers: The layers that were captured.
            heads: The most query heads of a captured layer.
            d_ks: The lengths of captured queries.
            kv_heads: Heads of keys and values of such a layer.
        """
        shape = self.shape
        # A head's keys may be captured once for each query head that has them, but not fewer.
        groups = shape.kv_heads if shape.heads else None
        if shape.layers is not None and layers and max(layers) >= shape.layers:
            return f"it has {counted(shape.layers, 'layer')}, and layer {max(layers)} was captured"
        if shape.heads is not None and heads > shape.heads:
            return f"it has {counted(shape.heads, 'head')} a layer, and {heads} were captured"
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
        """Raise InputError, with field ``"config"``, if this is of another model."""
        if problem := self.problem(layers, heads, d_ks, kv_heads):
            raise InputError("config", problem, "the configuration of the model that was captured")


ASSUMED = Expectation("assumed 1/√head_dim", Expected(source="assumed 1/√head_dim"), assumed=True)
"""What is expected where nothing is known of a model."""
