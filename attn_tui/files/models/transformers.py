"""Read what a config.json of transformers says about attention."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite, log
from typing import Any, NamedTuple

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.head_model import LAWS, LEARNED, Law
from attn_tui.files.models.promise import NONE, Expectation, Hint, Mask, Promise, Shape

LEAST, MOST = 1e-30, 1e30
"""The bounds of numbers other than 0 in a configuration: their squares are finite."""

_MOST_LAYERS = 10_000


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_DECODERS = words(
    """arcee baichuan biogpt bitnet bloom chatglm codegen codeshell cohere cohere2 csm dbrx
    deepseek_v2 deepseek_v3 diffllama dots1 ernie4_5 ernie4_5_moe exaone4 falcon gemma gemma2
    gemma3 gemma3_text gemma3n gemma3n_text gemma4 gemma4_text glm glm4 glm4_moe gpt2
    gpt_bigcode gpt_neo gpt_neox gpt_oss gptj granite granitemoe granitemoehybrid
    granitemoeshared helium internlm2 internlm3 jamba llama llama4 llama4_text longcat_flash
    mimo_v2_flash minicpm3 minimax ministral mistral mixtral mpt nemotron olmo olmo2 olmo3 olmoe
    opt persimmon phi phi3 phimoe qwen qwen2 qwen2_moe qwen3 qwen3_moe seed_oss smollm3 stablelm
    starcoder2 vaultgemma xglm youtu"""
)
_ENCODERS = words(
    """albert bert camembert clip_vision_model data2vec-text deit dinov2 distilbert electra ernie
    esm hubert ijepa modernbert roberta siglip_vision_model vit vit_mae wav2vec2 wavlm
    xlm-roberta"""
)
_UNSCALED = words(
    """gpt_neo gemma3n gemma3n_text gemma4 gemma4_text longt5 mt5 pix2struct pop2piano
    switch_transformers t5 udop umt5"""
)
"""Architectures that multiply by 1, as their initialisation or QK-norm allows."""
_SCALED_Q = words("esm opt qwen2_audio_encoder speecht5 trocr vits whisper xglm")
"""Architectures that multiply q by 1/√d_k before attention, which then multiplies by 1."""
_PATTERNS = {
    "gemma2": 2, "gpt_oss": 2, "vaultgemma": 2, "cohere2": 4, "exaone4": 4, "olmo3": 4,
    "gemma3_text": 6, "gemma3": 6, "gemma4_text": 6, "gemma4": 6,
}  # fmt: skip
"""The period of full layers, which see all keys up to their own, without ``layer_types``."""
_ALL_LAYERS = words("mistral mixtral phi3 phimoe starcoder2")
"""Architectures whose layers all have the window, if there is one."""
_CHUNKED = words("llama4 llama4_text")
"""Architectures whose layers with RoPE see chunks of keys."""
_MLA = words("deepseek_v2 deepseek_v3 longcat_flash minicpm3 youtu")
"""Architectures with MLA, whose multiplier includes YaRN's μ²."""
_SINKS = words("gpt_oss mimo_v2_flash")
_CAPPED = words("gemma2 vaultgemma")
"""Architectures whose classes default to a cap of 50 and a scalar of 256."""

_KNOWN = _DECODERS | _ENCODERS | _UNSCALED | _SCALED_Q

_BY_LAYER = "scale_attn_by_inverse_layer_idx"

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
_WIDTH = ("hidden_size", "n_embd", "d_model", "dim")


@dataclass(frozen=True)
class Fields:
    """The fields of a configuration by name.

    Attributes:
        of: The fields.
        file: The name of the file, for errors.
    """

    of: Mapping[str, Any]
    file: str

    @property
    def kind(self) -> str:
        """The name of the architecture; empty if none is named."""
        kind = self.of.get("model_type")
        return kind if isinstance(kind, str) else ""

    def number(self, *names: str) -> float | None:
        """Return the first present of some fields, a finite number of 0 or more, or None.

        Raises:
            InputError: With field ``"config"``, if it is no such number.
        """
        for name in names:
            value = self.of.get(name)
            if value is None:
                continue
            called = inert(name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise self.bad(f"{called} is {inert(str(value))}", "a number")
            try:
                number = float(value)
            except OverflowError:
                number = float("inf")
            if not (isfinite(number) and number >= 0.0):
                raise self.bad(f"{called} is {number:g}", "a finite number of 0 or more")
            if number and not LEAST <= number <= MOST:
                expected = f"0, or a number from {LEAST:g} to {MOST:g}"
                raise self.bad(f"{called} is {number:g}", expected)
            return number
        return None

    def count(self, *names: str) -> int | None:
        """Return the first of some fields that is a whole number above 0, or None."""
        values = (self.of.get(name) for name in names)
        return next((value for value in values if type(value) is int and value > 0), None)

    def whole(self, *names: str) -> int | None:
        """Return the first present of some fields, a whole number above 0, or None.

        Raises:
            InputError: With field ``"config"``, if it is no such number.
        """
        value = self.number(*names)
        if value is not None and (value != int(value) or not 0 < value < 2**31):
            name = next(name for name in names if self.of.get(name) is not None)
            raise self.bad(f"{inert(name)} is {value:g}", "a whole number above 0")
        return None if value is None else int(value)

    def shared(self, width: int, heads: int) -> int:
        """Return the width of each head, if heads share a width equally.

        Raises:
            InputError: With field ``"config"``, if there are more heads than the width.
        """
        if width < heads:
            raise self.bad(f"{heads:,} heads share a width of {width:,}", "at least 1 for each")
        return width // heads

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a field as a truth value, or the default if it is absent."""
        value = self.of.get(name)
        return default if value is None else bool(value)

    def inner(self, *names: str) -> "Fields":
        """Return the fields of the first present of some objects; empty if none is present."""
        values = (self.of.get(name) for name in names)
        return Fields(
            next((value for value in values if isinstance(value, Mapping)), {}), self.file
        )

    def bad(self, problem: str, expected: str) -> InputError:
        """Return the error for a problem in the file."""
        return InputError("config", problem, expected, self.file)


class Multiplier(NamedTuple):
    """The m that a configuration says.

    Attributes:
        value: m, or None if it is not known.
        source: The fields that decide it, as text.
        form: m as written: ``1/√144``; empty if it is a plain number.
        yarn: YaRN's μ.
        notes: Sentences on factors that q, k or v already contain.
    """

    value: float | None
    source: str = ""
    form: str = ""
    yarn: float = 1.0
    notes: tuple[str, ...] = ()


def expectation(config: Mapping[str, Any], file: str) -> Expectation:
    """Return what a configuration expects; for an unknown architecture, m = 1/√head_dim.

    Args:
        config: The object in the file.
        file: The name of the file, for messages.

    Raises:
        InputError: With field ``"config"``, if it is no configuration of attention, or a number in
            it is not valid.
    """
    fields = Fields(config, file)
    text = fields.inner("text_config")
    if text.of and not any(name in config for name in HEADS):
        fields = text
    kind, heads, width = fields.kind, fields.whole(*HEADS), fields.whole(*_WIDTH)
    if heads is None and width is None:
        raise fields.bad("it says neither heads nor width", "a config.json of transformers")
    # The d_k in m, the fields that give it, and the lengths that queries may have.
    nope, rope = fields.whole("qk_nope_head_dim"), fields.whole("qk_rope_head_dim")
    if nope and rope:
        latent = fields.whole("kv_lora_rank")
        d_k: int | None = nope + rope
        source = f"qk_nope_head_dim {nope} + qk_rope_head_dim {rope}"
        lengths = {d_k, latent + rope if latent else None}
    else:
        d_k = fields.whole(
            "head_dim", "d_head", "d_kv", "attention_head_size", "attention_head_dim"
        )
        source = f"head_dim {d_k}"
        if d_k is None and heads and width:
            d_k = fields.shared(width, heads)
            source = f"head_dim {width}/{heads} = {d_k}"
        wide = fields.whole("global_head_dim")
        if wide is None and kind.startswith("gemma4"):
            wide = 512
        lengths = {d_k, wide}
    m = _multiplier(fields, d_k, source)
    decides = [m.source] if m.source else []
    cap = fields.number("attn_logit_softcapping", "attn_logit_cap")
    if cap is None and kind in _CAPPED and "attn_logit_softcapping" not in fields.of:
        cap = 50.0
    if cap:
        decides.append(f"attn_logit_softcapping {cap:g}")
    if fields.flag(_BY_LAYER):
        decides.append(f"{_BY_LAYER}, m/(layer + 1)")
    if m.value is None:
        unknown = "is not a model we know" if kind else "names no model_type"
        decides.insert(0, f"assumed 1/√head_dim, for it {unknown}")
    common = Promise(m.value, cap or None, form=m.form)
    if kind in _KNOWN:
        common = replace(common, softcap=common.softcap or NONE, sink=NONE, value_scale=1.0)
    if kind in _SINKS:
        common = replace(common, sink=LEARNED)
    # There is no rule for how a capture numbers encoder, decoder and cross attention.
    count = None if fields.flag("is_encoder_decoder") else fields.whole(*_LAYERS)
    layers = [_of_layer(fields, common, layer) for layer in range(min(count or 1, _MOST_LAYERS))]
    if count is None or all(layer == layers[0] for layer in layers):
        common, layers = layers[0], []
    kv_heads = fields.count("num_key_value_heads", "num_kv_heads", "n_kv_heads")
    if "num_global_key_value_heads" in fields.of or fields.flag("multi_query") or kind in _MLA:
        # Some layers have fewer; Falcon has one, whatever else it says; latent keys are one head's.
        kv_heads = None
    named = f" ({inert(kind)[1:-1]})" if kind else ""
    return Expectation(
        f"{fields.file}{named}: {'; '.join(decides)}",
        common,
        tuple(layers),
        Shape(frozenset(filter(None, lengths)), heads, count, kv_heads),
        m.value is None,
        tuple(_hints(fields, heads, width)),
        m.yarn,
        m.notes,
        kind,
        _laws(fields),
    )


def _multiplier(fields: Fields, d_k: int | None, source: str) -> Multiplier:
    """Return m from a field, the default of the class or 1/√d_k; None if nothing says it."""
    kind = fields.kind
    scale = fields.inner("attn_config").number("softmax_scale")
    if scale is not None:
        return Multiplier(scale, f"softmax_scale {scale:g}")
    for name in ("attention_multiplier", "scaling"):
        scale = fields.number(name)
        if scale is not None:
            return Multiplier(scale, f"{name} {scale:g}")
    scalar = fields.number("query_pre_attn_scalar") or (256.0 if kind in _CAPPED else None)
    if scalar:
        form = f"1/√{scalar:g}"
        return Multiplier(scalar**-0.5, f"query_pre_attn_scalar {scalar:g}, m = {form}", form)
    if kind in _SCALED_Q:
        return Multiplier(1.0, "scaling 1, for q carries 1/√head_dim already")
    if kind in _UNSCALED:
        return Multiplier(1.0, "scaling 1")
    if kind not in _KNOWN or d_k is None:
        return Multiplier(None)
    if not fields.flag("scale_attn_weights", True):
        return Multiplier(1.0, "scale_attn_weights false, m = 1")
    notes = []
    if fields.flag("attn_temperature_tuning") or fields.flag("attn_temperature"):
        notes.append("q as attention is given it carries the temperature by position already.")
    if any(fields.flag(name) for name in ("use_qk_norm", "qk_layernorm", "qk_norm")):
        notes.append("q and k as attention is given them are normalised already.")
    if fields.number("attention_value_scale"):
        notes.append("v as attention is given it carries attention_value_scale already.")
    m, form, yarn = d_k**-0.5, f"1/√{d_k}", 1.0
    text = f"{source}, m = {form}"
    rope = fields.inner("rope_parameters", "rope_scaling")
    factor, every = rope.number("factor"), rope.number("mscale_all_dim")
    is_yarn = rope.of.get("rope_type", rope.of.get("type")) == "yarn"
    if is_yarn and factor and factor > 1.0:
        yarn = 0.1 * log(factor) + 1.0
        if kind in _MLA:
            yarn = 0.1 * (every or 0.0) * log(factor) + 1.0
        else:
            notes.append("q and k as attention is given them carry YaRN's mscale already.")
    if kind in _MLA and yarn != 1.0:
        m, form, text = m * yarn * yarn, "", f"{text}; YaRN's mscale² {yarn * yarn:.4f}"
    return Multiplier(m, text, form, yarn, tuple(notes))


def _laws(fields: Fields) -> tuple[Law, ...]:
    scale, length = fields.number("attn_scale"), fields.number("floor_scale")
    grok = fields.number("attn_temperature_len", "temperature_len")
    own = []
    if length:
        own.append(Law("llama 4", length, 0.1 if scale is None else scale))
    if grok and grok > 1.0:
        own.append(Law("grok", grok))
    return (*own, *LAWS)


def _of_layer(fields: Fields, common: Promise, layer: int) -> Promise:
    mask, window, chunk = _mask(fields, layer)
    multiplier, sink, form = common.multiplier, common.sink, common.form
    if multiplier is not None and fields.flag(_BY_LAYER):
        multiplier /= layer + 1.0
        if form and layer:
            form = f"1/({layer + 1}·{form.removeprefix('1/')})"
    if fields.kind == "mimo_v2_flash":
        # Its layers without a window have no sink.
        sink = NONE if mask else None
        if mask == "window":
            sink = LEARNED
    return replace(
        common, multiplier=multiplier, form=form, sink=sink, mask=mask, window=window, chunk=chunk
    )


def _mask(fields: Fields, layer: int) -> tuple[Mask | None, int | None, int | None]:
    """Return which keys a layer sees, its window, and the length of its chunks."""
    kind, sees = fields.kind, _sees(fields, layer)
    if kind == "modernbert":
        local = fields.whole("local_attention") or 128
        return ("local", local, None) if sees == "sliding" else ("none", None, None)
    named = fields.of.get("architectures")
    names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    # BERT may be a decoder, and Llama an encoder, whose window nothing defines.
    is_encoder = (
        fields.of.get("is_causal") is False
        or fields.flag("use_bidirectional_attention")
        or any("Bidirectional" in name for name in names)
    )
    if kind in _ENCODERS:
        is_decoder = fields.flag("is_decoder") and not is_encoder
        return "causal" if is_decoder else "none", None, None
    if kind not in _DECODERS or not sees or (is_encoder and sees == "sliding"):
        return None, None, None
    if is_encoder:
        return "none", None, None
    if sees == "sliding":
        return "window", fields.whole("sliding_window"), None
    return "causal", None, fields.whole("attention_chunk_size") if sees == "chunked" else None


def _sees(fields: Fields, layer: int) -> str:
    """Return whether a layer is ``full``, ``sliding`` or ``chunked``; empty if unknown."""
    kind, types = fields.kind, fields.of.get("layer_types")
    window = fields.whole("sliding_window") if fields.of.get("sliding_window") else None
    if isinstance(types, list) and layer < len(types):
        possible = {
            "full_attention": True,
            "sliding_attention": window is not None or kind == "modernbert",
            "chunked_attention": kind in _CHUNKED,
        }
        name = str(types[layer])
        return name.removesuffix("_attention") if possible.get(name) else ""
    if kind == "modernbert":
        every = fields.whole("global_attn_every_n_layers") or 3
        return "sliding" if layer % every else "full"
    if kind in _CHUNKED:
        # Its layers without RoPE see all keys up to their own.
        plan = fields.of.get("no_rope_layers")
        has_rope = bool((layer + 1) % (fields.whole("no_rope_layer_interval") or 4))
        if isinstance(plan, list) and layer < len(plan):
            has_rope = bool(plan[layer])
        return "chunked" if has_rope else "full"
    if not window or not fields.flag("use_sliding_window", True):
        return "full"
    if kind in _ALL_LAYERS:
        return "sliding"
    every_so_many = fields.whole("sliding_window_pattern") or _PATTERNS.get(kind)
    if every_so_many is None:
        return ""
    return "sliding" if (layer + 1) % every_so_many else "full"


def _hints(fields: Fields, heads: int | None, width: int | None) -> Iterator[Hint]:
    """Yield numbers of a configuration that are easily taken for d_k."""
    rope, latent = fields.whole("qk_rope_head_dim"), fields.whole("kv_lora_rank")
    known: dict[str, float | None] = {}
    if rope and latent:
        known["the absorbed MLA dimension"] = latent + rope
        known["MLA's latent dimension"] = latent
    known["the part of a head without RoPE"] = fields.whole("qk_nope_head_dim")
    known["the part of a head with RoPE"] = rope
    known["√d_model for √d_head"] = width
    if width and heads:
        known["hidden_size/num_attention_heads"] = width / heads
    for name in ("query_pre_attn_scalar", "head_dim", "v_head_dim", "global_head_dim"):
        known[name] = fields.number(name)
    return (Hint(value, meaning) for meaning, value in known.items() if value)
