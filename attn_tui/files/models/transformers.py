"""Read what a config.json of transformers says about attention."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from attn_tui.compute.errors import inert
from attn_tui.compute.heads.head_model import LAWS, LEARNED, Law
from attn_tui.files.models import multipliers
from attn_tui.files.models.architectures import ARCHITECTURES, Architecture, Part
from attn_tui.files.models.biases import jina
from attn_tui.files.models.fields import HEADS, KV_HEADS, LAYERS, WIDTHS, Fields, words
from attn_tui.files.models.multipliers import Lengths, Multiplier
from attn_tui.files.models.promise import NONE, Bias, Expectation, Hint, Mask, Promise, Shape, Sink

_MOST_LAYERS = 10_000
_MOST_HEADS = 4_096
_DEEPEST = 4
"""The most levels of configurations in configurations."""

_IMAGE_MASKS = words("gemma3 paligemma pi0 shieldgemma2")
"""Models whose text sees the tokens of an image, or a prefix, to both sides."""

_BY_LAYER = "scale_attn_by_inverse_layer_idx"
_D_K = ("head_dim", "d_head", "d_kv", "attention_head_size", "attention_head_dim")
_CAP = "attn_logit_softcapping"


def expectation(config: Mapping[str, Any], file: str) -> Expectation:
    """Return what a configuration promises: of a class that we do not know, m at most.

    Args:
        config: The object in the file.
        file: The name of the file, for messages.

    Raises:
        InputError: With field ``"config"``, if it is no configuration of attention, or a number in
            it is not valid.
    """
    fields = Fields(config, file)
    towers = [*_towers(fields, "", "", 0)]
    if not towers:
        raise fields.bad("it says neither heads nor width", "a config.json of transformers")
    named = f" ({inert(fields.kind)[1:-1]})" if fields.kind else ""
    if len(towers) == 1:
        source = f"{file}{named or _named(towers[0])}: {towers[0].source}"
        return replace(towers[0], source=source, name="", kind=fields.kind or towers[0].kind)
    sources = "; ".join(f"{tower.name} {tower.source}" for tower in towers)
    lengths = frozenset[int]().union(*(tower.shape.d_k for tower in towers))
    are_complete = all(tower.shape.d_k for tower in towers)
    return Expectation(
        f"{file}{named}: {sources}",
        Promise(),
        shape=Shape(lengths if are_complete else frozenset()),
        kind=fields.kind,
        towers=tuple(towers),
    )


def _named(tower: Expectation) -> str:
    return f" ({inert(tower.kind)[1:-1]})" if tower.kind else ""


def _towers(fields: Fields, name: str, parent: str, depth: int) -> Iterator[Expectation]:
    """Yield the parts of a model with layers of their own.

    Args:
        fields: The configuration of the model, or one in it.
        name: The name of the field that holds it; empty for the model.
        parent: The architecture of the configuration around it.
        depth: How many configurations are around it.
    """
    kind = _kind(fields.kind, name, parent)
    inner: list[Expectation] = []
    if depth < _DEEPEST:
        for field, sub in fields.objects():
            if _is_configuration(sub):
                inner += _towers(sub, field, fields.kind or parent, depth + 1)
    has_heads = any(field in fields.of for field in _heads(kind))
    if has_heads or (not inner and any(field in fields.of for field in WIDTHS)):
        yield from _parts(fields, kind, name, parent)
    yield from inner


def _heads(kind: str) -> tuple[str, ...]:
    architecture = ARCHITECTURES.get(kind)
    return (architecture.heads if architecture else ()) or HEADS


def _is_configuration(fields: Fields) -> bool:
    return bool(fields.kind) or any(field in fields.of for field in HEADS)


def _kind(kind: str, name: str, parent: str) -> str:
    """Return the architecture of a part, which may bear the name of the model, or none."""
    if not name or (kind and kind != parent):
        return kind
    stem = name.removesuffix("_config")
    candidates = (f"{parent}_{stem}", f"{parent}_{stem}_model", f"{parent}_{stem}_encoder")
    return next((each for each in candidates if each in ARCHITECTURES), kind)


def _parts(fields: Fields, kind: str, name: str, parent: str) -> Iterator[Expectation]:
    """Yield the encoder and the decoder of a configuration, or all of it."""
    architecture = ARCHITECTURES.get(kind)
    if architecture and parent in _IMAGE_MASKS:
        architecture = replace(architecture, varies=architecture.varies or name == "text_config")
    is_pair = fields.flag("is_encoder_decoder", True)
    if architecture is None or not architecture.parts or not is_pair:
        yield _tower(fields, kind, name, architecture)
        return
    for part in architecture.parts:
        yield _tower(_of_part(fields, part), kind, part.name, _as_part(architecture, part))


def _of_part(fields: Fields, part: Part) -> Fields:
    """Return fields in which an encoder or a decoder has the usual names."""
    usual = {HEADS[0]: part.heads, LAYERS[0]: part.layers}
    renamed = {
        name: next((fields.of[each] for each in names if fields.of.get(each) is not None), None)
        for name, names in usual.items()
    }
    return Fields({**fields.of, **renamed}, fields.file)


def _as_part(architecture: Architecture, part: Part) -> Architecture:
    bias = architecture.bias if part.bias else NONE
    return replace(architecture, mask=part.mask, bias=bias, heads=(), parts=())


def _tower(fields: Fields, kind: str, name: str, architecture: Architecture | None) -> Expectation:
    count = _count(fields)
    layers = [
        _Layer(_of_layer(fields, layer), kind, architecture, layer, count or 1)
        for layer in range(min(count or 1, _MOST_LAYERS))
    ]
    promises = [layer.promise() for layer in layers]
    are_equal = all(promise == promises[0] for promise in promises)
    multiplier = layers[0].multiplier
    return Expectation(
        "; ".join(layers[0].decides()),
        promises[0],
        () if count is None or are_equal else tuple(promises),
        _shape(layers, count),
        tuple(_hints(fields, layers[0])),
        multiplier.yarn,
        multiplier.notes,
        kind,
        _laws(fields),
        name=name,
    )


def _count(fields: Fields) -> int | None:
    """Return the number of layers; of depths by stage, their sum."""
    if fields.flag("is_encoder_decoder") and HEADS[0] not in fields.of:
        # Nothing says how a capture numbers encoder, decoder and cross attention.
        return None
    depths = fields.counts(*LAYERS, "depths")
    return sum(depths) if depths else fields.whole(*LAYERS)


def _of_layer(fields: Fields, layer: int) -> Fields:
    """Return the fields of a layer, with what ``per_layer_config`` has of it."""
    more = fields.inner("per_layer_config").of.get(str(layer))
    return Fields({**fields.of, **more}, fields.file) if isinstance(more, Mapping) else fields


class _Layer:
    """One layer of a part of a model, as its fields and its class say.

    Args:
        fields: The fields of the layer.
        kind: The architecture.
        architecture: What is known of it, or None.
        layer: The number of the layer.
        count: The number of layers.
    """

    def __init__(
        self,
        fields: Fields,
        kind: str,
        architecture: Architecture | None,
        layer: int,
        count: int,
    ) -> None:
        self.fields = fields
        self.kind = kind
        self.architecture = architecture
        self.layer = layer
        self.count = count
        of = architecture or Architecture()
        self.heads = None if fields.counts(*HEADS) else fields.whole(*(of.heads or HEADS))
        self.width = None if fields.counts(*WIDTHS) else fields.whole(*(of.width or WIDTHS))
        self.lengths = self._lengths(of.length or _D_K)
        self.multiplier = self._multiplier()

    def _lengths(self, names: tuple[str, ...]) -> Lengths:
        fields = self.fields
        nope, rope = fields.whole("qk_nope_head_dim"), fields.whole("qk_rope_head_dim")
        if nope and rope:
            rank = fields.whole("kv_lora_rank")
            lengths = {nope + rope, rank + rope if rank else nope + rope}
            source = f"qk_nope_head_dim {nope} + qk_rope_head_dim {rope}"
            return Lengths(nope + rope, source, frozenset(lengths))
        d_k = fields.whole(*names)
        source = f"head_dim {d_k}"
        if d_k is None and self.heads and self.width:
            if self.width < self.heads:
                problem = f"{self.heads:,} heads share a width of {self.width:,}"
                raise fields.bad(problem, "at least 1 for each")
            d_k = self.width // self.heads
            source = f"head_dim {self.width}/{self.heads} = {d_k}"
        wide = fields.whole("global_head_dim")
        has_wide = self.kind.startswith("gemma4") and "per_layer_config" not in fields.of
        if wide is None and has_wide:
            wide = 512
        return Lengths(d_k, source, frozenset(filter(None, (d_k, wide))))

    def _multiplier(self) -> Multiplier:
        rule = self.architecture.multiplier if self.architecture else multipliers.stated
        multiplier = rule(self.fields, self.lengths)
        if multiplier.value is None or not self.fields.flag(_BY_LAYER):
            return multiplier
        form = multiplier.form
        if form and self.layer:
            form = f"1/({self.layer + 1}·{form.removeprefix('1/')})"
        return replace(multiplier, value=multiplier.value / (self.layer + 1.0), form=form)

    def decides(self) -> Iterator[str]:
        """Yield the fields that decide, as text."""
        fields = self.fields
        if self.architecture is None:
            unknown = f"{inert(self.kind)[1:-1]} is no class" if self.kind else "no class"
            usual = f", for which 1/√{self.lengths.d_k} is usual" if self.lengths.d_k else ""
            yield f"{unknown} that we know{usual}"
        if self.multiplier.source:
            yield self.multiplier.source
        cap = self._cap()
        if isinstance(cap, float):
            yield f"{_CAP} {cap:g}"
        if fields.flag(_BY_LAYER):
            yield f"{_BY_LAYER}, m/(layer + 1)"

    def promise(self) -> Promise:
        """Return what is promised of the layer."""
        multiplier = self.multiplier
        if self.architecture is None:
            return Promise(multiplier.value, form=multiplier.form)
        mask, window, chunk = self._mask()
        return Promise(
            multiplier.value,
            self._cap(),
            self._sink(mask),
            mask,
            window,
            value_scale=1.0,
            form=multiplier.form,
            chunk=chunk,
            mask_varies=self._varies(),
            cross_varies=self.architecture.crosses,
            bias=self._bias(),
            is_complete=True,
        )

    def _cap(self) -> float | Any:
        cap = self.architecture.cap if self.architecture else None
        if cap is None:
            # A class without a cap ignores the field; what other programs do is not known.
            is_absent = self.fields.of.get(_CAP) is None
            return NONE if self.architecture and is_absent else None
        name, default = cap
        value = self.fields.number(name) if name in self.fields.of else default
        return value or NONE

    def _sink(self, mask: Mask | None) -> Sink:
        sinks = self.architecture.sinks if self.architecture else "none"
        if sinks == "sliding":
            return {None: None, "window": LEARNED}.get(mask, NONE)
        return LEARNED if sinks == "all" else NONE

    def _bias(self) -> Bias:
        bias = self.architecture.bias if self.architecture else NONE
        positions = self.fields.text("position_embedding_type")
        if positions.startswith("relative"):
            return LEARNED
        if self.kind == "bert" and positions == "alibi":
            bias = jina
        if isinstance(bias, str):
            return bias
        if self.multiplier.value is None or not self.heads or self.heads > _MOST_HEADS:
            return None
        return bias(self.fields, self.heads, self.multiplier.value)

    def _varies(self) -> bool:
        is_of_images = self.fields.of.get("use_bidirectional_attention") == "vision"
        has_type = self._type() == "varied"
        return bool(self.architecture and self.architecture.varies) or is_of_images or has_type

    def _type(self) -> str:
        """Return how much the layer sees, as `layer_types` has it."""
        windows = self.architecture.windows if self.architecture else None
        if windows is None:
            return "full"
        kind = windows.type(self.fields, self.layer, self.count)
        is_windowed = kind in ("sliding", "chunked")
        if is_windowed and windows.window(self.fields) is None:
            types = self.fields.of.get("layer_types")
            return "" if isinstance(types, list) and windows.has_types else "full"
        return kind

    def _mask(self) -> tuple[Mask | None, int | None, int | None]:
        """Return which keys the layer sees, its window, and the length of its chunks."""
        assert self.architecture is not None
        windows, kind = self.architecture.windows, self._type()
        is_free = self._is_bidirectional()
        if self.architecture.mask == "none":
            is_free = is_free or not self.fields.flag("is_decoder")
        length = windows.window(self.fields) if windows else None
        if windows is not None and length is not None:
            factor = windows.spread if is_free else windows.times
            length = max(int(length * factor), 1)
        if self.architecture.mask is None:
            return None, None, None
        if kind in ("full", "varied", "other") or windows is None:
            return "none" if is_free else "causal", None, None
        if kind == "chunked":
            has_chunks = windows.field == "attention_chunk_size" and not is_free
            return ("causal", None, length) if has_chunks else (None, None, None)
        if kind == "sliding" and is_free:
            has_both = self.architecture.mask == "none" or windows.is_free
            return ("local", length, None) if has_both else (None, None, None)
        return ("window", length, None) if kind == "sliding" else (None, None, None)

    def _is_bidirectional(self) -> bool:
        """Return whether a decoder is used as an encoder."""
        of = self.fields.of
        named = of.get("architectures")
        names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
        both = of.get("use_bidirectional_attention")
        return (
            of.get("is_causal") is False
            or (both == "all" or both is True)
            or any("Bidirectional" in name for name in names)
        )


def _shape(layers: list[_Layer], count: int | None) -> Shape:
    lengths = frozenset[int]().union(*(layer.lengths.queries for layer in layers))
    heads = [layer.heads for layer in layers if layer.heads]
    most = max(heads) if len(heads) == len(layers) else None
    kv_heads = {_kv_heads(layer) for layer in layers}
    return Shape(lengths, most, count, kv_heads.pop() if len(kv_heads) == 1 else None)


def _kv_heads(layer: _Layer) -> int | None:
    """Return the number of KV heads of a layer; None if it is not said, or may be less."""
    fields = layer.fields
    # Some layers have fewer; Falcon has one, whatever else it says; latent keys are one head's.
    has_fewer = "num_global_key_value_heads" in fields.of or fields.flag("multi_query")
    is_latent = fields.count("kv_lora_rank", "qk_nope_head_dim") is not None
    is_said = layer.architecture is None or layer.architecture.kv_heads
    return fields.count(*KV_HEADS) if is_said and not has_fewer and not is_latent else None


def _laws(fields: Fields) -> tuple[Law, ...]:
    scale, length = fields.number("attn_scale"), fields.number("floor_scale")
    grok = fields.number("attn_temperature_len", "temperature_len")
    laws = []
    if length:
        laws.append(Law("llama 4", length, 0.1 if scale is None else scale))
    if grok and grok > 1.0:
        laws.append(Law("grok", grok))
    return (*laws, *LAWS)


def _hints(fields: Fields, layer: _Layer) -> Iterator[Hint]:
    """Yield numbers of a configuration that are easily taken for d_k."""
    rope, latent = fields.whole("qk_rope_head_dim"), fields.whole("kv_lora_rank")
    meanings: dict[str, float | None] = {}
    if rope and latent:
        meanings["the absorbed MLA dimension"] = latent + rope
        meanings["MLA's latent dimension"] = latent
    meanings["the part of a head without RoPE"] = fields.whole("qk_nope_head_dim")
    meanings["the part of a head with RoPE"] = rope
    meanings["√d_model for √d_head"] = layer.width
    if layer.width and layer.heads:
        meanings["hidden_size/num_attention_heads"] = layer.width / layer.heads
    for name in ("query_pre_attn_scalar", "head_dim", "v_head_dim", "global_head_dim"):
        meanings[name] = fields.number(name)
    return (Hint(value, meaning) for meaning, value in meanings.items() if value)
