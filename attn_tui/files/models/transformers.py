"""Read what a config.json of transformers says about attention."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

from attn_tui.compute.errors import inert
from attn_tui.compute.heads.head_model import LAWS, PositionLaw
from attn_tui.compute.text import listed
from attn_tui.files.models.architectures import ARCHITECTURES, Architecture, Tower
from attn_tui.files.models.fields import HEADS, LAYERS, WIDTHS, Fields
from attn_tui.files.models.layer import ConfiguredLayer
from attn_tui.files.models.promise import NONE, Expectation, Hint, Promise, Shape

_MOST_LAYERS = 1_000
_MOST_TOWERS = 32
_DEEPEST = 4
"""The most levels of configurations in configurations."""

_IMAGE_MASKS = {
    *((parent, "text_config") for parent in ("gemma3", "paligemma", "shieldgemma2")),
}
"""Models, and their parts that see the tokens of an image, or a prefix, to both sides."""

_UNKNOWN_MASKS = {("pi0", "dit_config")}
"""Models, and their parts that are given a mask of another kind."""


def expectation(config: Mapping[str, Any], file: str) -> Expectation:
    """Return what a configuration promises: of a class that we do not know, m at most.

    Args:
        config: The object in the file.
        file: The name of the file, for messages.

    Raises:
        InputError: With field ``"config"``, if it is no configuration of attention, or a number in
            it is not valid.
    """
    fields = Fields(config, where=file)
    towers = [*islice(_towers(fields, "", "", 0), _MOST_TOWERS)]
    if not towers:
        fields.fail("it says neither heads nor width", "a config.json of transformers")
    named = f" ({inert(fields.kind)[1:-1]})" if fields.kind else ""
    if len(towers) == 1:
        source = f"{file}{named or _named(towers[0])}: {towers[0].source}"
        return replace(towers[0], source=source, name="", kind=fields.kind or towers[0].kind)
    lengths = frozenset[int]().union(*(tower.shape.d_k for tower in towers))
    are_complete = all(tower.shape.d_k for tower in towers)
    return Expectation(
        f"{file}{named}: {_sources(towers)}",
        Promise(),
        shape=Shape(lengths if are_complete else frozenset()),
        kind=fields.kind,
        towers=tuple(towers),
    )


def _sources(towers: Sequence[Expectation]) -> str:
    """Return the fields that decide in each part, those of equal parts once."""
    names: dict[str, list[str]] = {}
    for tower in towers:
        names.setdefault(tower.source, []).append(tower.name)
    return "; ".join(f"{listed(parts)} {source}" for source, parts in names.items())


@cache
def _defaults() -> Mapping[str, Mapping[str, int]]:
    """Return the sizes that classes have by default, by model_type and name."""
    text = (files(__package__) / "defaults.json").read_text("utf-8")
    defaults: Mapping[str, Mapping[str, int]] = json.loads(text)
    return defaults


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
    if name:
        # In another configuration, one has only the fields in which it differs from its class.
        fields = replace(fields, of={**_defaults().get(kind, {}), **fields.of})
    parts = [(field, part) for field, part in fields.objects() if _is_configuration(part)]
    has_heads = any(field in fields.of for field in _heads(kind))
    if has_heads or (not parts and any(field in fields.of for field in WIDTHS)):
        yield from _parts(fields, kind, name, parent)
    for field, part in parts if depth < _DEEPEST else ():
        yield from _towers(part, field, fields.kind or parent, depth + 1)


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
    return next((candidate for candidate in candidates if candidate in ARCHITECTURES), kind)


def _parts(fields: Fields, kind: str, name: str, parent: str) -> Iterator[Expectation]:
    """Yield the encoder and the decoder of a configuration, or all of it."""
    architecture = ARCHITECTURES.get(kind)
    if architecture and (parent, name) in _IMAGE_MASKS:
        architecture = replace(architecture, varies=True)
    if architecture and (parent, name) in _UNKNOWN_MASKS:
        architecture = replace(architecture, mask=None)
    is_pair = fields.flag("is_encoder_decoder", True)
    if architecture is None or not architecture.parts or not is_pair:
        yield _tower(fields, kind, name, architecture)
        return
    for part in architecture.parts:
        yield _tower(_of_part(fields, part), kind, part.name, _as_part(architecture, part))


def _of_part(fields: Fields, part: Tower) -> Fields:
    """Return fields in which an encoder or a decoder has the usual names."""
    renamed: dict[str, Any] = {}
    for usual, names in ((HEADS[0], part.heads), (LAYERS[0], part.layers)):
        present = [fields.of[name] for name in names if fields.of.get(name) is not None]
        if present:
            renamed[usual] = present[0]
    return replace(fields, of={**fields.of, **renamed})


def _as_part(architecture: Architecture, part: Tower) -> Architecture:
    bias = architecture.bias if part.bias else NONE
    return replace(architecture, mask=part.mask, bias=bias, heads=(), parts=())


def _tower(fields: Fields, kind: str, name: str, architecture: Architecture | None) -> Expectation:
    count = _count(fields)
    first = ConfiguredLayer(fields, kind, architecture, 0, count or 1)
    layers = [first]
    if first.may_differ:
        layers += (
            replace(first, number=number) for number in range(1, min(count or 1, _MOST_LAYERS))
        )
    promises = [layer.promise() for layer in layers]
    are_equal = all(promise == promises[0] for promise in promises)
    multiplier = layers[0].multiplier
    return Expectation(
        "; ".join(layers[0].reasons()),
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
    depths = fields.counts("depths") or fields.counts(*LAYERS)
    return sum(depths) if depths else fields.whole(*LAYERS)


def _shape(layers: list[ConfiguredLayer], count: int | None) -> Shape:
    lengths = frozenset[int]().union(*(layer.heads.lengths.queries for layer in layers))
    heads = [layer.heads.count for layer in layers if layer.heads.count]
    most = max(heads) if len(heads) == len(layers) else None
    if layers[0].architecture is None:
        # Some attend more often than their layers are counted, to windows as to heads, or in parts
        # of another width; where nothing is promised, nothing can be of another model.
        return Shape(lengths) if layers[0].multiplier.value is not None else Shape()
    kv_heads = {layer.kv_heads for layer in layers}
    alike = kv_heads.pop() if len(kv_heads) == 1 else None
    return Shape(lengths, most, count, alike, frozenset(heads))


def _laws(fields: Fields) -> tuple[PositionLaw, ...]:
    scale, length = fields.number("attn_scale"), fields.number("floor_scale")
    grok = fields.number("attn_temperature_len", "temperature_len")
    laws = []
    if length:
        laws.append(PositionLaw("llama 4", length, 0.1 if scale is None else scale))
    if grok and grok > 1.0:
        laws.append(PositionLaw("grok", grok))
    return (*laws, *LAWS)


def _hints(fields: Fields, layer: ConfiguredLayer) -> Iterator[Hint]:
    """Yield numbers of a configuration that are easily taken for d_k."""
    rope, latent = fields.whole("qk_rope_head_dim"), fields.whole("kv_lora_rank")
    meanings: dict[str, float | None] = {}
    if rope and latent:
        meanings["the absorbed MLA dimension"] = latent + rope
        meanings["MLA's latent dimension"] = latent
    meanings["the part of a head without RoPE"] = fields.whole("qk_nope_head_dim")
    meanings["the part of a head with RoPE"] = rope
    width, heads = layer.heads.width, layer.heads.count
    meanings["√d_model for √d_head"] = width
    if width and heads:
        meanings["hidden_size/num_attention_heads"] = width / heads
    for name in ("query_pre_attn_scalar", "head_dim", "v_head_dim", "global_head_dim"):
        meanings[name] = fields.number(name)
    return (Hint(value, meaning) for meaning, value in meanings.items() if value)
