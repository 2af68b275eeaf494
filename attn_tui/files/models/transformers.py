"""A config.json of transformers: what it says of attention, in whatever words its model has."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import log
from typing import Any

from attn_tui.compute.errors import inert
from attn_tui.compute.fit.model import LAWS, LEARNED, Law
from attn_tui.files.models.expected import NONE, Expectation, Expected, Hint, Mask
from attn_tui.files.models.fields import Fields, words
from attn_tui.files.models.reader import Reader

_DECODERS = words(
    """arcee biogpt bitnet bloom codegen cohere cohere2 csm dbrx deepseek_v2 deepseek_v3 diffllama
    dots1 ernie4_5 ernie4_5_moe exaone4 falcon gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text
    gemma4 gemma4_text glm glm4 glm4_moe gpt2 gpt_bigcode gpt_neo gpt_neox gpt_oss gptj granite
    granitemoe granitemoehybrid granitemoeshared helium internlm2 internlm3 jamba llama llama4
    llama4_text longcat_flash mimo_v2_flash minicpm3 minimax ministral mistral mixtral mpt nemotron
    olmo olmo2 olmo3 olmoe opt persimmon phi phi3 phimoe qwen qwen2 qwen2_moe qwen3 qwen3_moe
    seed_oss smollm3 stablelm starcoder2 vaultgemma xglm youtu"""
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
"""They multiply by 1: their initialisation or QK-norm allows for it."""
_SCALED_Q = words("esm opt qwen2_audio_encoder speecht5 trocr vits whisper xglm")
"""They multiply q by 1/√d_k before attention, which has nothing left to do."""
_PATTERNS = {
    "gemma2": 2, "gpt_oss": 2, "vaultgemma": 2, "cohere2": 4, "exaone4": 4, "olmo3": 4,
    "gemma3_text": 6, "gemma3": 6, "gemma4_text": 6, "gemma4": 6,
}  # fmt: skip
"""Every so many-th layer sees all keys up to its own, where ``layer_types`` says nothing."""
_ALL_LAYERS = words("mistral mixtral phi3 phimoe starcoder2")
"""Every layer has the window, if there is one."""
_CHUNKED = words("llama4 llama4_text")
"""Layers with RoPE see chunks of keys."""
_CAPPED = words("gemma2 vaultgemma")
"""A cap of 50 and a scalar of 256 are the defaults of their class."""

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
_WIDTH = ("hidden_size", "n_embd", "d_model", "dim")


def expectation(config: Mapping[str, Any], file: str) -> Expectation:
    """Return what a configuration expects; of an architecture that is not known, 1/√head_dim.

    Args:
        config: The object in the file.
        file: The file, to be named.

    Raises:
        InputError: With field ``"config"``, if it is no configuration of attention, or a number in
            it is none.
    """
    fields = Fields(config, file)
    text = fields.inner("text_config")
    if text.of and not any(each in config for each in HEADS):
        fields = text
    if fields.whole(*HEADS) is None and fields.whole(*_WIDTH) is None:
        raise fields.bad("it says neither heads nor width", "a config.json of transformers")
    return _directed(_Reader(fields).expectation(), fields)


def _directed(found: Expectation, fields: Fields) -> Expectation:
    """Return an expectation with the direction that fields say, whatever its architecture has.

    BERT may be a decoder, and Llama an encoder; what a window is then, nothing says.
    """
    named = fields.of.get("architectures")
    names = [each for each in named if isinstance(each, str)] if isinstance(named, list) else []
    is_encoder = fields.of.get("is_causal") is False or any("Bidirectional" in e for e in names)
    turned: dict[Mask | None, Mask | None] = {}
    if is_encoder or fields.flag("use_bidirectional_attention"):
        turned = {"causal": "none", "window": None}
    elif fields.flag("is_decoder"):
        turned = {"none": "causal"}

    def directed(expected: Expected) -> Expected:
        mask = turned.get(expected.mask, expected.mask)
        return replace(expected, mask=mask, window=expected.window if mask else None)

    return replace(found, common=directed(found.common), layers=tuple(map(directed, found.layers)))


class _Reader(Reader):
    """Reads one configuration.

    Args:
        fields: Of the text model.
    """

    MLA = words("deepseek_v2 deepseek_v3 longcat_flash minicpm3 youtu")
    SINKS = words("gpt_oss mimo_v2_flash")
    CAPPED = _CAPPED
    CAP = ("attn_logit_softcapping", "attn_logit_cap")
    KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads")

    def __init__(self, fields: Fields) -> None:
        kind = fields.of.get("model_type")
        kind = kind if isinstance(kind, str) else ""
        known = kind in _DECODERS | _ENCODERS | _UNSCALED | _SCALED_Q
        self.by_layer = fields.flag("scale_attn_by_inverse_layer_idx")
        super().__init__(fields, kind, known, fields.whole(*HEADS), fields.whole(*_WIDTH))

    def _layers(self) -> int | None:
        # Whoever captures counts encoder, decoder and cross attention as he likes.
        return None if self.fields.flag("is_encoder_decoder") else self.fields.whole(*_LAYERS)

    def _kv_heads(self) -> int | None:
        fields = self.fields
        if "num_global_key_value_heads" in fields.of or fields.flag("multi_query"):
            return None  # Some layers have fewer; Falcon has one, whatever else it says.
        return super()._kv_heads()

    def _named(self) -> tuple[str, str]:
        if not self.kind:
            return "", "names no model_type"
        return f" ({inert(self.kind)[1:-1]})", "is not a model we know"

    def _d_k(self) -> tuple[int | None, str, set[int]]:
        whole = self.fields.whole
        nope, rope = whole("qk_nope_head_dim"), whole("qk_rope_head_dim")
        if nope and rope:
            latent = whole("kv_lora_rank")
            lengths = {nope + rope, *([latent + rope] if latent else ())}
            return nope + rope, f"qk_nope_head_dim {nope} + qk_rope_head_dim {rope}", lengths
        own = whole("head_dim", "d_head", "d_kv", "attention_head_size", "attention_head_dim")
        said = f"head_dim {own}"
        if own is None and self.heads and self.width:
            own = self.fields.shared(self.width, self.heads)
            said = f"head_dim {self.width}/{self.heads} = {own}"
        wide = whole("global_head_dim") or (512 if self.kind.startswith("gemma4") else None)
        others = (own, wide, whole("swa_head_dim"))
        return own, said, {each for each in others if each is not None}

    def _multiplier(self, d_k: int | None, said: str) -> tuple[float | None, float]:
        say, number = self.decides.append, self.fields.number
        if (scale := self.fields.inner("attn_config").number("softmax_scale")) is not None:
            say(f"softmax_scale {scale:g}")
            return scale, 1.0
        for name in ("attention_multiplier", "scaling"):
            if (scale := number(name)) is not None:
                say(f"{name} {scale:g}")
                return scale, 1.0
        if "d_head" in self.fields.of and (divisor := number("attn_scale")):
            # TransformerLens, whose scores are divided.
            divisor = divisor if self.fields.flag("use_attn_scale", True) else 1.0
            say(f"attn_scale {divisor:g}, m = 1/{divisor:g}")
            return 1.0 / divisor, 1.0
        scalar = number("query_pre_attn_scalar") or (256.0 if self.kind in _CAPPED else None)
        if scalar:
            return self._root(scalar, f"query_pre_attn_scalar {scalar:g}"), 1.0
        if self.kind in _SCALED_Q:
            say("scaling 1, for q carries 1/√head_dim already")
            return 1.0, 1.0
        if self.kind in _UNSCALED:
            say("scaling 1")
            return 1.0, 1.0
        if not self.known or d_k is None:
            return None, 1.0
        if not self.fields.flag("scale_attn_weights", True):
            say("scale_attn_weights false, m = 1")
            return 1.0, 1.0
        self._note()
        return self._inverse_root(d_k, said)

    def _note(self) -> None:
        fields, say = self.fields, self.notes.append
        if fields.flag("attn_temperature_tuning") or fields.flag("attn_temperature"):
            say("q as attention is given it carries the temperature by position already.")
        if any(fields.flag(name) for name in ("use_qk_norm", "qk_layernorm", "qk_norm")):
            say("q and k as attention is given them are normalised already.")
        if fields.number("attention_value_scale"):
            say("v as attention is given it carries attention_value_scale already.")

    def _laws(self) -> tuple[Law, ...]:
        scale, length = self.fields.number("attn_scale"), self.fields.number("floor_scale")
        grok = self.fields.number("attn_temperature_len", "temperature_len")
        own = [Law("llama 4", length, 0.1 if scale is None else scale)] if length else []
        own += [Law("grok", grok)] if grok and grok > 1.0 else []
        return (*own, *LAWS)

    def _yarn(self) -> float:
        """Return μ = 0.1·mscale_all_dim·ln(factor) + 1; 1 without YaRN."""
        rope = self.fields.inner("rope_parameters", "rope_scaling")
        factor, every = rope.number("factor"), rope.number("mscale_all_dim")
        if rope.of.get("rope_type", rope.of.get("type")) != "yarn" or not factor or factor <= 1.0:
            return 1.0
        if self.kind in self.MLA:
            return 0.1 * (every or 0.0) * log(factor) + 1.0
        self.notes.append("q and k as attention is given them carry YaRN's mscale already.")
        return 0.1 * log(factor) + 1.0

    def _cap(self) -> float | None:
        cap = super()._cap()
        if self.by_layer:
            self.decides.append("scale_attn_by_inverse_layer_idx, m/(layer + 1)")
        return cap

    def _of_layer(self, common: Expected, layer: int) -> Expected:
        mask, window = self._mask(layer)
        multiplier, sink, form = common.multiplier, common.sink, common.form
        if multiplier is not None and self.by_layer:
            multiplier /= layer + 1.0
            if form and layer:
                form = f"1/({layer + 1}·{form.removeprefix('1/')})"
        if self.kind == "mimo_v2_flash":
            # Its layers without a window have none.
            sink = LEARNED if mask == "window" else NONE if mask else None
        common = replace(common, multiplier=multiplier, form=form, chunk=self._chunk(layer))
        return replace(common, mask=mask, window=window, sink=sink)

    def _chunk(self, layer: int) -> int | None:
        """Return the length of the chunks that a layer sees, if it sees such."""
        chunk = self.fields.whole("attention_chunk_size") if self.kind in _CHUNKED else None
        types = self.fields.of.get("layer_types")
        if isinstance(types, list) and layer < len(types):
            return chunk if types[layer] == "chunked_attention" else None
        return None if self._is_nope(layer) else chunk

    def _is_nope(self, layer: int) -> bool:
        """Return whether a layer of Llama 4 has no RoPE, and sees all keys up to its own."""
        plan = self.fields.of.get("no_rope_layers")
        if isinstance(plan, list) and layer < len(plan):
            return not plan[layer]
        interval = self.fields.whole("no_rope_layer_interval") or 4
        return (layer + 1) % interval == 0

    def _mask(self, layer: int) -> tuple[Mask | None, int | None]:
        if self.kind == "modernbert":
            interval = self.fields.whole("global_attn_every_n_layers") or 3
            local = self.fields.whole("local_attention") or 128
            types = self.fields.of.get("layer_types")
            is_local = bool(layer % interval)
            if isinstance(types, list) and layer < len(types):
                is_local = types[layer] == "sliding_attention"
            return ("local", local) if is_local else ("none", None)
        if self.kind in _ENCODERS:
            return "none", None
        if self.kind not in _DECODERS:
            return None, None
        window = (
            self.fields.whole("sliding_window") if self.fields.of.get("sliding_window") else None
        )
        types = self.fields.of.get("layer_types")
        if isinstance(types, list) and layer < len(types):
            if types[layer] == "sliding_attention" and window:
                return "window", window
            chunked = types[layer] == "chunked_attention" and self.kind in _CHUNKED
            is_causal = chunked or types[layer] == "full_attention"
            return ("causal", None) if is_causal else (None, None)
        if not window or not self.fields.flag("use_sliding_window", True):
            return "causal", None
        if self.kind in _ALL_LAYERS:
            return "window", window
        every = self.fields.whole("sliding_window_pattern") or _PATTERNS.get(self.kind)
        if every is None:
            return None, None
        return ("window", window) if (layer + 1) % every else ("causal", None)

    def _hints(self) -> Iterator[Hint]:
        whole = self.fields.whole
        rope, latent = whole("qk_rope_head_dim"), whole("kv_lora_rank")
        if rope and latent:
            yield Hint(latent + rope, "the absorbed MLA dimension")
            yield Hint(latent, "MLA's latent dimension")
        for name, meaning in (
            ("qk_nope_head_dim", "the part of a head without RoPE"),
            ("qk_rope_head_dim", "the part of a head with RoPE"),
        ):
            if value := whole(name):
                yield Hint(value, meaning)
        yield from self._of_width("hidden_size/num_attention_heads")
        for name in ("query_pre_attn_scalar", "head_dim", "v_head_dim", "global_head_dim"):
            if number := self.fields.number(name):
                yield Hint(number, name)
