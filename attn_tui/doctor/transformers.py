"""A config.json of transformers: what it says of attention, in whatever words its model has."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import log
from typing import Any, Literal

from attn_tui.compute.errors import inert
from attn_tui.doctor.expected import LEARNED, NONE, Expectation, Expected, Hint, Mask, Shape
from attn_tui.doctor.fields import Fields, words

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
    esm hubert ijepa roberta siglip_vision_model vit vit_mae wav2vec2 wavlm xlm-roberta"""
)
_UNSCALED = words(
    """gpt_neo gemma3n gemma3n_text gemma4 gemma4_text longt5 mt5 pix2struct pop2piano
    switch_transformers t5 udop umt5"""
)
"""They multiply by 1: their initialisation or QK-norm allows for it."""
_SCALED_Q = words("esm opt qwen2_audio_encoder speecht5 trocr vits whisper xglm")
"""They multiply q by 1/√d_k before attention, which has nothing left to do."""
_MLA = words("deepseek_v2 deepseek_v3 longcat_flash minicpm3 youtu")
_SINKS = words("gpt_oss mimo_v2_flash")
_PATTERNS = {
    "gemma2": 2, "gpt_oss": 2, "vaultgemma": 2, "cohere2": 4, "exaone4": 4, "olmo3": 4,
    "gemma3_text": 6, "gemma3": 6, "gemma4_text": 6, "gemma4": 6,
}  # fmt: skip
"""Every so many-th layer sees all keys up to its own, where ``layer_types`` says nothing."""
_ALL_LAYERS = words("mistral mixtral phi3 phimoe starcoder2")
"""Every layer has the window, if there is one."""
_CAPPED = words("gemma2 vaultgemma")
"""A cap of 50 and a scalar of 256 are the defaults of their class."""
_MOST_LAYERS = 10_000

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
_WIDTH = ("hidden_size", "n_embd", "d_model", "dim")
_CAP = ("attn_logit_softcapping", "attn_logit_cap")


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
    return _Reader(fields).expectation()


class _Reader:
    """Reads one configuration, and notes which fields decide.

    Args:
        fields: Of the text model.
    """

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        kind = fields.of.get("model_type")
        self.kind = kind if isinstance(kind, str) else ""
        self.known = self.kind in _DECODERS | _ENCODERS | _UNSCALED | _SCALED_Q
        self.heads, self.width = fields.whole(*HEADS), fields.whole(*_WIDTH)
        self.decides: list[str] = []
        self.notes: list[str] = []

    def expectation(self) -> Expectation:
        """Return what it expects."""
        d_k, said, lengths = self._d_k()
        multiplier, yarn = self._multiplier(d_k, said)
        # Layers of an encoder and of a decoder are counted together in a capture.
        both = self.fields.flag("is_encoder_decoder")
        count = None if both else self.fields.whole(*_LAYERS)
        common = Expected(
            multiplier,
            self._softcap(),
            LEARNED if self.kind in _SINKS else NONE if self.known else None,
            value_scale=1.0 if self.known else None,
        )
        if by_layer := self.fields.flag("scale_attn_by_inverse_layer_idx"):
            self.decides.append("scale_attn_by_inverse_layer_idx, m/(layer + 1)")
        if self.fields.flag("is_encoder_decoder"):
            # Whoever captures counts encoder, decoder and cross attention as he likes.
            count = None
        layers = [
            self._of_layer(common, layer, by_layer)
            for layer in range(min(count or 1, _MOST_LAYERS))
        ]
        if count is None or all(each == layers[0] for each in layers):
            common, layers = layers[0], []
        return Expectation(
            self._source(multiplier is None),
            common,
            tuple(layers),
            Shape(frozenset(lengths), self.heads, count),
            multiplier is None,
            tuple(self._hints()),
            yarn,
            tuple(self.notes),
        )

    def _source(self, assumed: bool) -> str:
        kind = f" ({inert(self.kind)[1:-1]})" if self.kind else ""
        said = "; ".join(self.decides)
        if assumed:
            unknown = "is not a model we know" if self.kind else "names no model_type"
            said = f"assumed 1/√head_dim, for it {unknown}" + (f"; {said}" if said else "")
        return f"{self.fields.file}{kind}: {said}"

    def _d_k(self) -> tuple[int | None, str, set[int]]:
        """Return the d_k that the multiplier is of, how that is said, and lengths of q."""
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
        """Return m, or None if nothing is known of it, and YaRN's μ."""
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
            say(f"query_pre_attn_scalar {scalar:g}, m = 1/√{scalar:g}")
            return scalar**-0.5, 1.0
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
        say(f"{said}, m = 1/√{d_k}")
        self._note()
        m, yarn = float(d_k) ** -0.5, self._yarn()
        if yarn != 1.0 and self.kind in _MLA:
            say(f"YaRN's mscale² {yarn * yarn:.4f}")
            m *= yarn * yarn
        return m, yarn

    def _note(self) -> None:
        fields, say = self.fields, self.notes.append
        if fields.flag("attn_temperature_tuning") or fields.flag("attn_temperature"):
            say("q as attention is given it carries the temperature by position already.")
        if any(fields.flag(name) for name in ("use_qk_norm", "qk_layernorm", "qk_norm")):
            say("q and k as attention is given them are normalised already.")
        if fields.number("attention_value_scale"):
            say("v as attention is given it carries attention_value_scale already.")

    def _yarn(self) -> float:
        """Return μ = 0.1·mscale_all_dim·ln(factor) + 1; 1 without YaRN."""
        rope = self.fields.inner("rope_parameters", "rope_scaling")
        factor, every = rope.number("factor"), rope.number("mscale_all_dim")
        if rope.of.get("rope_type", rope.of.get("type")) != "yarn" or not factor or factor <= 1.0:
            return 1.0
        if self.kind in _MLA:
            return 0.1 * (every or 0.0) * log(factor) + 1.0
        self.notes.append("q and k as attention is given them carry YaRN's mscale already.")
        return 0.1 * log(factor) + 1.0

    def _softcap(self) -> float | Literal["none"] | None:
        cap = self.fields.number(*_CAP)
        if cap is None and self.kind in _CAPPED and _CAP[0] not in self.fields.of:
            cap = 50.0
        if cap:
            self.decides.append(f"{_CAP[0]} {cap:g}")
            return cap
        return NONE if self.known else None

    def _of_layer(self, common: Expected, layer: int, by_layer: bool) -> Expected:
        mask, window = self._mask(layer)
        multiplier, sink = common.multiplier, common.sink
        if multiplier is not None and by_layer:
            multiplier /= layer + 1.0
        if self.kind == "mimo_v2_flash":
            # Its layers without a window have none.
            sink = LEARNED if mask == "window" else NONE if mask else None
        return replace(common, multiplier=multiplier, mask=mask, window=window, sink=sink)

    def _mask(self, layer: int) -> tuple[Mask | None, int | None]:
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
            return ("causal", None) if types[layer] == "full_attention" else (None, None)
        if not window or not self.fields.flag("use_sliding_window", True):
            return "causal", None
        if self.kind in _ALL_LAYERS:
            return "window", window
        every = self.fields.whole("sliding_window_pattern") or _PATTERNS.get(self.kind)
        if every is None:
            return None, None
        return ("window", window) if (layer + 1) % every else ("causal", None)

    def _hints(self) -> Iterator[Hint]:
        """Yield numbers that are taken for d_k."""
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
        if self.width:
            yield Hint(self.width, "√d_model for √d_head")
        if self.width and self.heads:
            yield Hint(self.width / self.heads, "hidden_size/num_attention_heads")
        for name in ("query_pre_attn_scalar", "head_dim", "v_head_dim", "global_head_dim"):
            if number := self.fields.number(name):
                yield Hint(number, name)
