"""What a configuration says of attention, in the words of transformers' config.json."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite, log
from typing import Any

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.fit.model import LAWS, LEARNED, Law
from attn_tui.files.models.expected import NONE, Expectation, Expected, Hint, Mask, Shape

LEAST, MOST = 1e-30, 1e30
"""Numbers of attention are between: their squares and roots are finite."""

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
_MLA = words("deepseek_v2 deepseek_v3 longcat_flash minicpm3 youtu")
"""Their multiplier has YaRN's μ²."""
_SINKS = words("gpt_oss mimo_v2_flash")
_CAPPED = words("gemma2 vaultgemma")
"""A cap of 50 and a scalar of 256 are the defaults of their class."""

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
_WIDTH = ("hidden_size", "n_embd", "d_model", "dim")


@dataclass(frozen=True)
class Fields:
    """The fields of a configuration by name.

    Attributes:
        of: The fields.
        file: Where they stand, for errors.
    """

    of: Mapping[str, Any]
    file: str

    def number(self, *names: str) -> float | None:
        """Return the first of some fields that is there, a finite number of 0 or more.

        Raises:
            InputError: With field ``"config"``, if it is none.
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
        found = (self.of.get(name) for name in names)
        return next((each for each in found if type(each) is int and each > 0), None)

    def whole(self, *names: str) -> int | None:
        """Return the first of some fields that is there, a whole number above 0.

        Raises:
            InputError: With field ``"config"``, if it is none.
        """
        value = self.number(*names)
        if value is not None and (value != int(value) or not 0 < value < 2**31):
            name = next(name for name in names if self.of.get(name) is not None)
            raise self.bad(f"{inert(name)} is {value:g}", "a whole number above 0")
        return None if value is None else int(value)

    def shared(self, width: int, heads: int) -> int:
        """Return the width that each of some heads has.

        Raises:
            InputError: With field ``"config"``, if there are more heads than that.
        """
        if width < heads:
            raise self.bad(f"{heads:,} heads share a width of {width:,}", "at least 1 for each")
        return width // heads

    def flag(self, name: str, default: bool = False) -> bool:
        """Return whether something is on."""
        value = self.of.get(name)
        return default if value is None else bool(value)

    def inner(self, *names: str) -> "Fields":
        """Return the first of some objects among the fields that is there; else an empty one."""
        found = (self.of.get(name) for name in names)
        return Fields(next((each for each in found if isinstance(each, Mapping)), {}), self.file)

    def bad(self, problem: str, expected: str) -> InputError:
        """Return the error that something in the file is wrong."""
        return InputError("config", problem, expected, self.file)


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
    return Reader(fields).expectation()


class Reader:
    """Reads one configuration, and notes which fields decide.

    Args:
        fields: Of the text model.
    """

    def __init__(self, fields: Fields) -> None:
        kind = fields.of.get("model_type")
        self.fields = fields
        self.kind = kind if isinstance(kind, str) else ""
        self.named = f" ({inert(self.kind)[1:-1]})" if self.kind else ""
        self.known = self.kind in _DECODERS | _ENCODERS | _UNSCALED | _SCALED_Q
        self.heads, self.width = fields.whole(*HEADS), fields.whole(*_WIDTH)
        self.by_layer = fields.flag("scale_attn_by_inverse_layer_idx")
        self.decides: list[str] = []
        self.notes: list[str] = []
        self.form = ""

    def expectation(self) -> Expectation:
        """Return what it expects."""
        d_k, said, lengths = self._d_k()
        multiplier, yarn = self._multiplier(d_k, said)
        common = Expected(multiplier, self._cap() or None, form=self.form)
        if self.known:
            common = replace(common, softcap=common.softcap or NONE, sink=NONE, value_scale=1.0)
        if self.kind in _SINKS:
            common = replace(common, sink=LEARNED)
        # Whoever captures counts encoder, decoder and cross attention as he likes.
        is_both = self.fields.flag("is_encoder_decoder")
        count = None if is_both else self.fields.whole(*_LAYERS)
        n_layers = min(count or 1, _MOST_LAYERS)
        layers = [self._of_layer(common, layer) for layer in range(n_layers)]
        if count is None or all(layer == layers[0] for layer in layers):
            common, layers = layers[0], []
        source = self.decides
        if multiplier is None:
            unknown = "is not a model we know" if self.kind else "names no model_type"
            source = [f"assumed 1/√head_dim, for it {unknown}", *source]
        return Expectation(
            f"{self.fields.file}{self.named}: {'; '.join(source)}",
            common,
            tuple(layers),
            Shape(frozenset(lengths), self.heads, count, self._kv_heads()),
            multiplier is None,
            tuple(self._hints()),
            yarn,
            tuple(self.notes),
            self.kind,
            self._laws(),
        )

    def _kv_heads(self) -> int | None:
        fields = self.fields
        if "num_global_key_value_heads" in fields.of or fields.flag("multi_query"):
            return None  # Some layers have fewer; Falcon has one, whatever else it says.
        if self.kind in _MLA:
            return None  # Latent keys are those of one head, and have none in the configuration.
        return fields.count("num_key_value_heads", "num_kv_heads", "n_kv_heads")

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
        wide = whole("global_head_dim")
        if wide is None and self.kind.startswith("gemma4"):
            wide = 512
        return own, said, {length for length in (own, wide) if length is not None}

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
        own = []
        if length:
            own.append(Law("llama 4", length, 0.1 if scale is None else scale))
        if grok and grok > 1.0:
            own.append(Law("grok", grok))
        return (*own, *LAWS)

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

    def _cap(self) -> float | None:
        cap = self.fields.number("attn_logit_softcapping", "attn_logit_cap")
        name = "attn_logit_softcapping"
        if cap is None and self.kind in _CAPPED and name not in self.fields.of:
            cap = 50.0
        if cap:
            self.decides.append(f"{name} {cap:g}")
        if self.by_layer:
            self.decides.append("scale_attn_by_inverse_layer_idx, m/(layer + 1)")
        return cap

    def _of_layer(self, common: Expected, layer: int) -> Expected:
        mask, window, chunk = self._mask(layer)
        multiplier, sink, form = common.multiplier, common.sink, common.form
        if multiplier is not None and self.by_layer:
            multiplier /= layer + 1.0
            if form and layer:
                form = f"1/({layer + 1}·{form.removeprefix('1/')})"
        if self.kind == "mimo_v2_flash":
            # Its layers without a window have none.
            sink = NONE if mask else None
            if mask == "window":
                sink = LEARNED
        common = replace(common, multiplier=multiplier, form=form, sink=sink)
        return replace(common, mask=mask, window=window, chunk=chunk)

    def _mask(self, layer: int) -> tuple[Mask | None, int | None, int | None]:
        """Return which keys a layer sees, its window, and the length of its chunks."""
        fields, whole = self.fields, self.fields.whole
        kind = self._kind_of(layer)
        if self.kind == "modernbert":
            local = whole("local_attention") or 128
            return ("local", local, None) if kind == "sliding" else ("none", None, None)
        named = fields.of.get("architectures")
        names = [each for each in named if isinstance(each, str)] if isinstance(named, list) else []
        # BERT may be a decoder, and Llama an encoder; what a window is then, nothing says.
        is_encoder = (
            fields.of.get("is_causal") is False
            or fields.flag("use_bidirectional_attention")
            or any("Bidirectional" in each for each in names)
        )
        if self.kind in _ENCODERS:
            is_decoder = fields.flag("is_decoder") and not is_encoder
            return "causal" if is_decoder else "none", None, None
        if self.kind not in _DECODERS or not kind or (is_encoder and kind == "sliding"):
            return None, None, None
        if is_encoder:
            return "none", None, None
        if kind == "sliding":
            return "window", whole("sliding_window"), None
        chunk = whole("attention_chunk_size") if kind == "chunked" else None
        return "causal", None, chunk

    def _kind_of(self, layer: int) -> str:
        """Return whether a layer is ``full``, ``sliding`` or ``chunked``; or nothing."""
        fields = self.fields
        window = fields.whole("sliding_window") if fields.of.get("sliding_window") else None
        types = fields.of.get("layer_types")
        if isinstance(types, list) and layer < len(types):
            has_window = window is not None or self.kind == "modernbert"
            known = {
                "full_attention": "full",
                "sliding_attention": "sliding" if has_window else "",
                "chunked_attention": "chunked" if self.kind in _CHUNKED else "",
            }
            return known.get(types[layer], "") if isinstance(types[layer], str) else ""
        if self.kind == "modernbert":
            return (
                "sliding" if layer % (fields.whole("global_attn_every_n_layers") or 3) else "full"
            )
        if self.kind in _CHUNKED:
            # Its layers without RoPE see all keys up to their own.
            plan = fields.of.get("no_rope_layers")
            has_rope = bool((layer + 1) % (fields.whole("no_rope_layer_interval") or 4))
            if isinstance(plan, list) and layer < len(plan):
                has_rope = bool(plan[layer])
            return "chunked" if has_rope else "full"
        if not window or not fields.flag("use_sliding_window", True):
            return "full"
        if self.kind in _ALL_LAYERS:
            return "sliding"
        every = fields.whole("sliding_window_pattern") or _PATTERNS.get(self.kind)
        if every is None:
            return ""
        return "sliding" if (layer + 1) % every else "full"

    def _hints(self) -> Iterator[Hint]:
        """Yield numbers that are taken for d_k."""
        fields, whole = self.fields, self.fields.whole
        rope, latent = whole("qk_rope_head_dim"), whole("kv_lora_rank")
        known: dict[str, float | None] = {}
        if rope and latent:
            known["the absorbed MLA dimension"] = latent + rope
            known["MLA's latent dimension"] = latent
        known["the part of a head without RoPE"] = whole("qk_nope_head_dim")
        known["the part of a head with RoPE"] = rope
        known["√d_model for √d_head"] = self.width
        if self.width and self.heads:
            known["hidden_size/num_attention_heads"] = self.width / self.heads
        for name in ("query_pre_attn_scalar", "head_dim", "v_head_dim", "global_head_dim"):
            known[name] = fields.number(name)
        return (Hint(value, meaning) for meaning, value in known.items() if value)

    def _inverse_root(self, d_k: int, said: str) -> tuple[float, float]:
        """Return 1/√d_k, with YaRN's μ² where it belongs, and μ."""
        m, yarn = self._root(d_k, said), self._yarn()
        if self.kind in _MLA and yarn != 1.0:
            self.decides.append(f"YaRN's mscale² {yarn * yarn:.4f}")
            m, self.form = m * yarn * yarn, ""
        return m, yarn

    def _root(self, a: float, said: str) -> float:
        """Return 1/√a, which is said so."""
        self.form = f"1/√{a:g}"
        self.decides.append(f"{said}, m = {self.form}")
        return float(a**-0.5)
