"""What a configuration promises of one layer, by its fields and the class that reads them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from attn_tui.compute.errors import inert
from attn_tui.compute.heads.head_model import LEARNED
from attn_tui.compute.numbers import general
from attn_tui.files.models import layer_types, multipliers
from attn_tui.files.models.architectures import Architecture
from attn_tui.files.models.biases import jina
from attn_tui.files.models.fields import KV_HEADS, Fields
from attn_tui.files.models.lengths import Heads, heads_of
from attn_tui.files.models.multipliers import ConfiguredMultiplier
from attn_tui.files.models.promise import (
    NONE,
    Promise,
    PromisedBias,
    PromisedCap,
    PromisedMask,
    PromisedSink,
)

_MOST_HEADS = 4_096
_BY_LAYER = "scale_attn_by_inverse_layer_idx"
_BY_HEADS = "num_attention_heads_per_layer"
_PER_LAYER = "per_layer_config"
_CAP = "attn_logit_softcapping"


class SeenKeys(NamedTuple):
    """The keys that queries of a layer see; None where nothing says it."""

    mask: PromisedMask | None
    window: int | None = None
    chunk: int | None = None


@dataclass(frozen=True)
class ConfiguredLayer:
    """One layer of a part of a model.

    Attributes:
        common: The fields of the part.
        kind: The architecture, as it is named.
        architecture: What its class does, or None if we do not know the class.
        number: The number of the layer.
        count: The number of layers.
    """

    common: Fields
    kind: str
    architecture: Architecture | None
    number: int
    count: int

    @property
    def may_differ(self) -> bool:
        """Whether other layers may have another promise."""
        of = self.common.of
        has_windows = self.architecture is not None and self.architecture.windows is not None
        return has_windows or any(name in of for name in (_BY_LAYER, _BY_HEADS, _PER_LAYER))

    @cached_property
    def fields(self) -> Fields:
        """The fields of the layer: those of the part, and what differs in it."""
        fields = self.common
        more = fields.nested(_PER_LAYER).of.get(str(self.number))
        changed = dict(more) if isinstance(more, Mapping) else {}
        heads = fields.counts(_BY_HEADS)
        if self.number < len(heads):
            changed["num_attention_heads"] = heads[self.number]
        if self.type == "sliding":
            prefix = "swa_"
            windowed = {name: value for name, value in fields.of.items() if name[:4] == prefix}
            changed |= {name.removeprefix(prefix): value for name, value in windowed.items()}
        return replace(fields, of={**fields.of, **changed}) if changed else fields

    @property
    def type(self) -> layer_types.LayerKind:
        """How much the layer sees."""
        windows = self.architecture.windows if self.architecture else None
        if windows is None:
            return "full"
        kind = windows.type(self.common, self.number, self.count)
        if kind not in ("sliding", "chunked") or windows.window(self.common) is not None:
            return kind
        types = self.common.of.get("layer_types")
        return "" if isinstance(types, list) and windows.has_types else "full"

    @cached_property
    def heads(self) -> Heads:
        """The heads, and the lengths of their queries."""
        return heads_of(self.fields, self.kind, self.architecture or Architecture())

    @property
    def kv_heads(self) -> int | None:
        """The number of KV heads; None if it is not said, or may be less."""
        fields = self.fields
        # Some layers have fewer; Falcon has one, whatever else it says.
        has_fewer = "num_global_key_value_heads" in fields.of or fields.flag("multi_query")
        # Latent keys are those of one head.
        is_latent = fields.count("kv_lora_rank", "qk_nope_head_dim") is not None
        is_stated = self.architecture is None or self.architecture.kv_heads
        return None if has_fewer or is_latent or not is_stated else fields.count(*KV_HEADS)

    @cached_property
    def multiplier(self) -> ConfiguredMultiplier:
        """The multiplier, and the fields that decide it."""
        rule = self.architecture.multiplier if self.architecture else multipliers.stated
        multiplier = rule(self.fields, self.heads.lengths)
        if multiplier.value is None or not self.fields.flag(_BY_LAYER):
            return multiplier
        form = multiplier.form
        if form and self.number:
            form = f"1/({self.number + 1}·{form.removeprefix('1/')})"
        return replace(multiplier, value=multiplier.value / (self.number + 1.0), form=form)

    def reasons(self) -> Iterator[str]:
        """Yield the fields that decide, as text."""
        if self.architecture is None:
            d_k = self.heads.lengths.d_k
            name = f"{inert(self.kind)[1:-1]} is no class" if self.kind else "no class"
            usual = f", for which 1/√{d_k} is usual" if d_k else ""
            yield f"{name} that we know{usual}"
        if self.multiplier.source:
            yield self.multiplier.source
        cap = self._cap()
        if isinstance(cap, float):
            yield f"{_CAP} {general(cap)}"
        if self.fields.flag(_BY_LAYER):
            yield f"{_BY_LAYER}, m/(layer + 1)"

    def promise(self) -> Promise:
        """Return what is promised of the layer."""
        multiplier = self.multiplier
        if self.architecture is None:
            return Promise(multiplier.value, form=multiplier.form)
        keys = self._keys()
        return Promise(
            multiplier.value,
            self._cap(),
            self._sink(keys.mask),
            keys.mask,
            keys.window,
            value_scale=1.0,
            form=multiplier.form,
            chunk=keys.chunk,
            mask_varies=self._varies(),
            cross_varies=self.architecture.crosses,
            bias=self._bias(),
            is_complete=True,
        )

    def _cap(self) -> PromisedCap:
        if self.architecture is None:
            return None
        if self.architecture.cap is None:
            # A class without a cap ignores the field; what other programs do is not known.
            return NONE if self.fields.of.get(_CAP) is None else None
        name, default = self.architecture.cap
        value = self.fields.number(name) if name in self.fields.of else default
        return value or NONE

    def _sink(self, mask: PromisedMask | None) -> PromisedSink:
        sinks = self.architecture.sinks if self.architecture else "none"
        if sinks == "sliding":
            return {None: None, "window": LEARNED}.get(mask, NONE)
        return LEARNED if sinks == "all" else NONE

    def _bias(self) -> PromisedBias:
        bias = self.architecture.bias if self.architecture else NONE
        positions = self.fields.text("position_embedding_type")
        if positions.startswith("relative"):
            return LEARNED
        if self.kind == "bert" and positions == "alibi":
            bias = jina
        if isinstance(bias, str):
            return bias
        count = self.heads.count
        if self.multiplier.value is None or not count or count > _MOST_HEADS:
            return None
        return bias(self.fields, count, self.multiplier.value)

    def _varies(self) -> bool:
        is_of_images = self.fields.of.get("use_bidirectional_attention") == "vision"
        is_of_class = self.architecture is not None and self.architecture.varies
        return is_of_class or is_of_images or self.type == "varied"

    def _keys(self) -> SeenKeys:
        assert self.architecture is not None
        windows = self.architecture.windows
        if self.architecture.mask is None or not self.type:
            return SeenKeys(None)
        is_free = self._is_free()
        length = windows.window(self.fields) if windows else None
        if windows is None or length is None or self.type not in ("sliding", "chunked"):
            return SeenKeys("none" if is_free else "causal")
        if self.type == "chunked":
            has_chunks = windows.field == "attention_chunk_size" and not is_free
            return SeenKeys("causal", chunk=length) if has_chunks else SeenKeys(None)
        if not is_free:
            return SeenKeys("window", length)
        # Of decoders used as encoders, few classes say how far windows reach.
        is_defined = self.architecture.mask == "none" or windows.is_free
        return SeenKeys("local", int(length * windows.spread)) if is_defined else SeenKeys(None)

    def _is_free(self) -> bool:
        """Return whether queries see later keys: BERT may be a decoder, and Llama an encoder."""
        of = self.fields.of
        named = of.get("architectures")
        names = named if isinstance(named, list) else []
        is_free = (
            of.get("is_causal") is False
            or of.get("use_bidirectional_attention") in (True, "all")
            or any("Bidirectional" in name for name in names if isinstance(name, str))
        )
        is_encoder = self.architecture is not None and self.architecture.mask == "none"
        return is_free or (is_encoder and not self.fields.flag("is_decoder"))
