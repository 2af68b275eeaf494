"""What the classes of transformers do in attention that their configurations do not say.

Read in the source of each class, and checked on random models by benchmarks.verdicts.architectures.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from attn_tui.files.models import alibi, layer_types, multipliers
from attn_tui.files.models.alibi import Bias
from attn_tui.files.models.fields import Fields, words
from attn_tui.files.models.layer_types import Windows


@dataclass(frozen=True)
class Architecture:
    """The attention of a class.

    Attributes:
        mask: Whether queries see keys up to their own, or all.
        multiplier: The rule of m.
        windows: How layers have windows; None if the class has none.
        varies: Whether the mask also depends on the input or on weights: image tokens, prefixes,
            sparse attention.
        cap: The field of the soft cap, and the cap where it is absent; None for a class without.
        sinks: The layers with a learned sink.
        bias: The biases of heads by position: a function that returns them, ``"none"``, or
            ``"learned"`` if they are parameters or depend on the input.
        heads: The fields with the number of heads, in place of the usual ones.
        width: The fields with the width that heads share, in place of the usual ones.
        length: The fields with d_k, in place of the usual ones.
        parts: The encoder and decoder that the class consists of.
    """

    mask: Literal["causal", "none"] = "causal"
    multiplier: multipliers.Rule = multipliers.root
    windows: Windows | None = None
    varies: bool = False
    cap: tuple[str, float | None] | None = None
    sinks: Literal["none", "all", "sliding"] = "none"
    bias: Callable[[Fields, int, float], Bias] | Literal["none", "learned"] = "none"
    heads: tuple[str, ...] = ()
    width: tuple[str, ...] = ()
    length: tuple[str, ...] = ()
    parts: tuple["Part", ...] = ()


@dataclass(frozen=True)
class Part:
    """An encoder or a decoder in one configuration with the other.

    Attributes:
        name: ``"encoder"`` or ``"decoder"``.
        mask: Whether its queries see keys up to their own, or all.
        layers: The fields with the number of its layers.
        heads: The fields with the number of its heads.
    """

    name: Literal["encoder", "decoder"]
    mask: Literal["causal", "none"]
    layers: tuple[str, ...]
    heads: tuple[str, ...]


_DECODER = Architecture()
_ENCODER = Architecture("none")
_CAP = ("attn_logit_softcapping", 50.0)
_EVERY = Windows(layer_types.every, has_types=False)
_TYPES = Windows(layer_types.full)
_DEEP = Windows(layer_types.deep(28), length=4096, switch=("use_sliding_window", False))
_GEMMA3 = Windows(layer_types.periodic(6, "sliding_window_pattern"), length=4096, is_free=True)
_GEMMA4 = Windows(layer_types.periodic(6, last=True), length=512, is_free=True)

_BART_PARTS = (
    Part("encoder", "none", ("encoder_layers",), ("encoder_attention_heads",)),
    Part("decoder", "causal", ("decoder_layers",), ("decoder_attention_heads",)),
)
_T5_PARTS = (
    Part("encoder", "none", ("num_layers",), ("num_heads",)),
    Part("decoder", "causal", ("num_decoder_layers", "num_layers"), ("num_heads",)),
)
_BART = Architecture("none", parts=_BART_PARTS)
_T5 = Architecture("none", multipliers.one, bias="learned", length=("d_kv",), parts=_T5_PARTS)


def _windowed(windows: Windows) -> Architecture:
    return Architecture(windows=windows)


def _listed(names: str, architecture: Architecture) -> Iterable[tuple[str, Architecture]]:
    return ((name, architecture) for name in words(names))


ARCHITECTURES: Mapping[str, Architecture] = dict(
    [
        *_listed(
            """apertus arcee biogpt bitnet chatglm codegen codeshell cohere dbrx diffllama
            ernie4_5 ernie4_5_moe flex_olmo glm glm4 glm4_moe gpt_neox gptj helium
            hunyuan_v1_dense hunyuan_v1_moe hy_v3 internlm2 internlm3 jais2 jamba lfm2 lfm2_moe
            llama minimax_m2 nanochat nemotron olmo olmo2 olmoe persimmon phi qwen qwen3_5
            qwen3_5_moe qwen3_5_text qwen3_5_moe_text qwen3_next seed_oss stablelm csm""",
            _DECODER,
        ),
        *_listed(
            """albert bert camembert clip_vision_model data2vec-text deit dinov2 distilbert electra
            ernie hubert ijepa roberta siglip_vision_model vit vit_mae wav2vec2 xlm-roberta""",
            _ENCODER,
        ),
        *_listed("opt xglm", replace(_DECODER, multiplier=multipliers.carried)),
        *_listed("esm", replace(_ENCODER, multiplier=multipliers.carried)),
        *_listed("qwen2_audio_encoder vits", replace(_ENCODER, multiplier=multipliers.carried)),
        *_listed("trocr", replace(_DECODER, multiplier=multipliers.carried)),
        *_listed("whisper speecht5", replace(_BART, multiplier=multipliers.carried)),
        *_listed("longt5 mt5 pix2struct pop2piano switch_transformers t5 udop umt5", _T5),
        *_listed("wavlm", replace(_ENCODER, bias="learned")),
        *_listed("mixtral phi3 phimoe starcoder2", _windowed(_EVERY)),
        ("mistral", _windowed(replace(_EVERY, length=4096))),
        ("ministral3", _windowed(_EVERY)),
        (
            "qwen3_moe",
            _windowed(replace(_EVERY, length=4096, switch=("use_sliding_window", False))),
        ),
        ("ministral", _windowed(Windows(layer_types.every, length=4096))),
        *_listed("qwen2 qwen3", _windowed(_DEEP)),
        *_listed(
            "qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text",
            _windowed(replace(_DEEP, default=layer_types.deep(80))),
        ),
        ("qwen2_moe", _windowed(replace(_DEEP, default=layer_types.shallow))),
        *_listed("qwen2_5_vl_vision", Architecture("none", length=(), heads=("num_heads",))),
        (
            "qwen2_vl_vision",
            Architecture("none", heads=("num_heads",), width=("embed_dim",)),
        ),
        ("dots1", _windowed(Windows(layer_types.deep(62), length=4096))),
        *_listed("minimax", _windowed(Windows(layer_types.every, has_types=False))),
        ("lfm3", _windowed(replace(_TYPES, length=256))),
        ("laguna", _windowed(replace(_TYPES, length=512))),
        (
            "cohere2",
            _windowed(Windows(layer_types.periodic(4, "sliding_window_pattern"), length=4096)),
        ),
        ("exaone4", _windowed(Windows(layer_types.exaone, length=4096))),
        ("olmo3", _windowed(Windows(layer_types.periodic(4), length=4096))),
        ("smollm3", _windowed(Windows(layer_types.smollm3, switch=("use_sliding_window", False)))),
        (
            "modernbert-decoder",
            _windowed(
                Windows(
                    layer_types.leading(3, "global_attn_every_n_layers"),
                    "local_attention",
                    128,
                    times=0.5,
                )
            ),
        ),
        (
            "modernbert",
            replace(
                _ENCODER,
                windows=Windows(
                    layer_types.leading(3, "global_attn_every_n_layers"), "local_attention", 128
                ),
            ),
        ),
        *_listed(
            "llama4 llama4_text",
            _windowed(Windows(layer_types.without_rope, "attention_chunk_size", 8192)),
        ),
        ("gemma", _DECODER),
        (
            "gemma2",
            Architecture(
                multiplier=multipliers.scalar(256.0),
                windows=Windows(layer_types.periodic(2), length=4096),
                cap=_CAP,
            ),
        ),
        (
            "vaultgemma",
            Architecture(
                multiplier=multipliers.scalar(256.0),
                windows=Windows(layer_types.periodic(2), length=4096),
                cap=_CAP,
            ),
        ),
        (
            "gemma3",
            Architecture(multiplier=multipliers.scalar(256.0), windows=_GEMMA3, varies=True),
        ),
        ("gemma3_text", Architecture(multiplier=multipliers.scalar(256.0), windows=_GEMMA3)),
        *_listed(
            "gemma3n gemma3n_text",
            Architecture(
                multiplier=multipliers.one,
                windows=Windows(layer_types.periodic(5), length=512),
            ),
        ),
        *_listed("gemma4 gemma4_text", Architecture(multiplier=multipliers.one, windows=_GEMMA4)),
        (
            "gpt_oss",
            Architecture(windows=Windows(layer_types.periodic(2), length=128), sinks="all"),
        ),
        (
            "mimo_v2_flash",
            Architecture(windows=Windows(layer_types.mimo, length=129), sinks="sliding"),
        ),
        *_listed(
            "granite granitemoe granitemoehybrid granitemoeshared",
            Architecture(multiplier=multipliers.granite),
        ),
        *_listed("gpt2 gpt_bigcode", Architecture(multiplier=multipliers.gpt2)),
        (
            "gpt_neo",
            Architecture(
                multiplier=multipliers.one,
                windows=Windows(layer_types.gpt_neo, "window_size", 256, has_types=False),
            ),
        ),
        *_listed(
            "deepseek_v2 deepseek_v3 glm4_moe_lite longcat_flash minicpm3 mistral4 youtu",
            Architecture(multiplier=multipliers.latent),
        ),
        ("kimi_linear", Architecture(multiplier=multipliers.root_only)),
        (
            "deepseek_v32",
            Architecture(multiplier=multipliers.latent, varies=True),
        ),
        (
            "deepseek_v4",
            Architecture(windows=Windows(layer_types.every, length=128), varies=True, sinks="all"),
        ),
        ("doge", Architecture(windows=_EVERY, varies=True, bias="learned")),
        ("bloom", Architecture(bias=alibi.bloom)),
        ("falcon", Architecture(bias=alibi.falcon)),
        ("mpt", Architecture(multiplier=multipliers.mpt, bias=alibi.mpt)),
        ("jais", Architecture(multiplier=multipliers.jais, bias=alibi.jais)),
        ("baichuan", Architecture(bias=alibi.baichuan)),
    ]
)
"""The classes that we know, by model_type."""
