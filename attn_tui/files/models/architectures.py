"""What the classes of transformers do in attention that their configurations do not say.

Read in the source of each class, and checked on random models by benchmarks.verdicts.architectures.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from attn_tui.files.models import biases, layer_types, multipliers
from attn_tui.files.models.fields import Fields, words
from attn_tui.files.models.layer_types import Windows
from attn_tui.files.models.promise import PromisedBias


@dataclass(frozen=True)
class Architecture:
    """The attention of a class.

    Attributes:
        mask: Whether queries see keys up to their own, or all; None if that depends on the call.
        multiplier: The rule of m.
        windows: How layers have windows; None if the class has none.
        varies: Whether the mask also depends on the input or on weights: image tokens, prefixes,
            sparse attention.
        cap: The field of the soft cap, and the cap where it is absent; None for a class without.
        crosses: Whether cross attention has a mask that depends on the input.
        sinks: The layers with a learned sink.
        bias: The biases of heads by position: a function that returns them, ``"none"``, or
            ``"learned"`` if they are parameters or depend on the input.
        heads: The fields with the number of heads, in place of the usual ones.
        width: The fields with the width that heads share, in place of the usual ones.
        length: The fields with d_k, in place of the usual ones.
        kv_heads: Whether the usual fields say how many KV heads there are.
        parts: The encoder and decoder that the class consists of.
    """

    mask: Literal["causal", "none"] | None = "causal"
    multiplier: multipliers.MultiplierRule = multipliers.root
    windows: Windows | None = None
    varies: bool = False
    crosses: bool = False
    cap: tuple[str, float | None] | None = None
    sinks: Literal["none", "all", "sliding"] = "none"
    bias: Callable[[Fields, int, float], PromisedBias] | Literal["none", "learned"] = "none"
    heads: tuple[str, ...] = ()
    width: tuple[str, ...] = ()
    length: tuple[str, ...] = ()
    kv_heads: bool = True
    parts: tuple["Tower", ...] = ()


@dataclass(frozen=True)
class Tower:
    """An encoder or a decoder in one configuration with the other.

    Attributes:
        name: ``"encoder"`` or ``"decoder"``.
        mask: Whether its queries see keys up to their own, or all.
        layers: The fields with the number of its layers.
        heads: The fields with the number of its heads.
        bias: Whether it has the bias of the class.
    """

    name: Literal["encoder", "decoder"]
    mask: Literal["causal", "none"]
    layers: tuple[str, ...]
    heads: tuple[str, ...]
    bias: bool = True


_DECODER = Architecture()
_ENCODER = Architecture("none")
_CAP = ("attn_logit_softcapping", 50.0)
_PATTERN = "sliding_window_pattern"
_EVERY = Windows(layer_types.every, has_types=False)
_TYPES = Windows(layer_types.full)
_DEEP = Windows(layer_types.deep(28), length=4096, switch=("use_sliding_window", False))
_SIX = layer_types.periodic(6, last=True)
_GEMMA4 = Windows(_SIX, length=512)
_LOCAL = Windows(layer_types.leading(3, "global_attn_every_n_layers"), "local_attention", 128)

_BART_PARTS = (
    Tower(
        "encoder",
        "none",
        ("encoder_layers", "encoder_num_hidden_layers"),
        ("encoder_attention_heads", "encoder_num_attention_heads"),
    ),
    Tower(
        "decoder",
        "causal",
        ("decoder_layers", "decoder_num_hidden_layers"),
        ("decoder_attention_heads", "decoder_num_attention_heads"),
    ),
)
_T5_PARTS = (
    Tower("encoder", "none", ("num_layers",), ("num_heads",)),
    Tower("decoder", "causal", ("num_decoder_layers", "num_layers"), ("num_heads",)),
)
_BART = Architecture("none", parts=_BART_PARTS)
_T5 = Architecture("none", multipliers.one, bias="learned", length=("d_kv",), parts=_T5_PARTS)
_SCALAR = Architecture(multiplier=multipliers.scalar(256.0))
_GRANITE = Architecture(multiplier=multipliers.granite)
_LATENT = Architecture(multiplier=multipliers.latent)


def _windowed(default: layer_types.Default, length: int | None = None) -> Architecture:
    return Architecture(windows=Windows(default, length=length))


_GROUPS: tuple[tuple[str, Architecture], ...] = (
    (
        """apertus arcee aria_text bamba biogpt bitnet canary_decoder chameleon chatglm
        clip_text_model clipseg_text_model coarse_acoustics codegen codeshell cohere cohere_asr
        cosmos3_edge_text csm csm_depth_decoder_model ctrl dbrx diffllama emu3_text_model
        ernie4_5 ernie4_5_moe ernie4_5_vl_moe_text evolla EvollaModel falcon_h1 flex_olmo gemma
        glm glm4 glm4_moe glm4v_moe_text glm4v_text glm_image_text glm_ocr_text gpt_neox
        gpt_neox_japanese gptj helium higgs_audio_v2 hunyuan_v1_dense hunyuan_v1_moe
        hunyuan_vl_text hy_v3 imagegpt internlm2 internlm3 iquestcoder jais2 jamba
        kosmos_2_text_model kyutai_speech_to_text lfm2 lfm2_moe llama metaclip_2_text_model
        minimax_m2 moshi musicgen_decoder musicgen_melody_decoder nanochat nemotron nemotron_h
        olmo olmo2 olmo_hybrid olmoe openai-gpt owlv2_text_model owlvit_text_model
        paddleocr_vl_text persimmon phi pocket_tts pp_formulanet_text qwen qwen3_5 qwen3_5_moe
        qwen3_5_moe_text qwen3_5_text qwen3_next qwen3_omni_moe_text qwen3_vl_moe_text
        qwen3_vl_text seed_oss semantic solar_open stablelm xclip_text_model""",
        _DECODER,
    ),
    (
        """aimv2_vision_model albert align_text_model altclip_text_model altclip_vision_model
        audio-spectrogram-transformer bert bert-generation blip_2_qformer blip_2_vision_model
        blip_vision_model bridgetower_text_model camembert chinese_clip_text_model
        chinese_clip_vision_model clap_text_model clip_vision_model clipseg_vision_model
        data2vec-audio data2vec-text deit dinov2 dinov2_with_registers dinov3_vit distilbert dpr
        dpt electra ernie eurobert fine_acoustics flava_image_model flava_multimodal_model
        flava_text_model git_vision_model glmasr_encoder granite_docling_vision gte hubert
        idefics2_vision idefics3_vision ijepa instructblip_qformer instructblip_vision_model
        instructblipvideo_qformer instructblipvideo_vision_model internvl_vision
        janus_vision_model jina_embeddings_v3 kosmos_2_vision_model lasr_encoder layoutlm
        markuplm megatron-bert metaclip_2_vision_model mgp-str mlcd_vision_model nomic_bert
        ovis2_vision owlv2_vision_model owlvit_vision_model pe_audio_encoder
        pe_audio_video_encoder pe_video_encoder phi4_multimodal_vision pixio qianfan_ocr_vision
        radio rembert roberta roberta-prelayernorm roc_bert roformer sapiens2 sew
        siglip2_text_model siglip2_vision_model siglip_text_model siglip_vision_model
        smolvlm_vision splinter squeezebert step3p5_vision tapas timesformer tipsv2_text_model
        tipsv2_vision_model unispeech unispeech-sat video_llama_3_vision videomae vilt
        visual_bert vit vit_mae vit_msn vivit wav2vec2 xclip_vision_model xlm-roberta
        xlm-roberta-xl xmod yolos""",
        _ENCODER,
    ),
    (
        """cohere_compass_vision cosmos3_edge_vision ernie4_5_vl_moe_vision exaone4_5_vision
        glm4v_moe_vision glm4v_vision glm5_next_vision glm_image_vision glm_ocr_vision
        hunyuan_vl_vision lfm3_vl_vision minimax_m3_vl_vision qwen2_5_omni_vision_encoder
        qwen2_5_vl_vision qwen3_5_moe_vision qwen3_5_vision qwen3_omni_moe_vision_encoder
        qwen3_vl_moe_vision qwen3_vl_vision qwen4_exp_vision rf_detr_dinov2 sam3_vit_model""",
        _ENCODER,
    ),
    ("mobilebert", Architecture("none", width=("true_hidden_size",))),
    ("layoutlmv3", Architecture("none", multipliers.carried, bias="learned")),
    ("jetmoe", Architecture(length=("kv_channels",))),
    ("qwen2_vl_vision", Architecture("none", width=("embed_dim",))),
    # Its text sees all of the image and of itself up to the query, or a prefix.
    ("git hrm_text molmo2_text", Architecture(varies=True)),
    ("idefics mllama_text_model", Architecture(crosses=True)),
    # These are causal only where a mask of padding is passed.
    ("aimv2_text_model blip_text_model blt_global_transformer", Architecture(None)),
    ("videoprism_text_model", Architecture(None, cap=_CAP)),
    (
        "clvp_decoder groupvit_text_model kosmos_2_5_text_model opt trocr xglm",
        Architecture(multiplier=multipliers.carried),
    ),
    (
        """audioflamingo3_encoder esm moss_transcribe_diarize_audio qwen2_audio_encoder vitdet
        voxtral_encoder""",
        Architecture("none", multipliers.carried),
    ),
    ("dia_encoder", Architecture("none", multipliers.one)),
    (
        """bart blenderbot blenderbot-small m2m_100 marian mbart moonshine nllb-moe pegasus plbart
        speech_to_text""",
        _BART,
    ),
    ("mvp whisper", replace(_BART, multiplier=multipliers.carried)),
    ("mt5 pop2piano switch_transformers t5 udop umt5", _T5),
    (
        "bros mpnet parakeet_encoder wav2vec2-bert wav2vec2-conformer wavlm",
        Architecture("none", bias="learned"),
    ),
    ("nemotron_asr_streaming_encoder", Architecture("none", bias="learned", varies=True)),
    ("deberta deberta-v2", Architecture("none", multipliers.carried, bias=biases.deberta)),
    ("glpn pvt pvt_v2 segformer", _ENCODER),
    # Its images stand one behind the other.
    ("pixtral", Architecture("none", varies=True)),
    (
        """deepseek_ocr2_sam_vision_model got_ocr2_vision pp_formulanet_vision sam_hq_vision_model
        sam_vision_model slanext_vision unlimited_ocr_sam_vision_model""",
        Architecture("none", multipliers.carried, bias="learned"),
    ),
    # Windows that are shifted see parts of others.
    (
        "clap_audio_model donut-swin maskformer-swin swin",
        Architecture("none", bias="learned", varies=True),
    ),
    ("cpmant", Architecture("none", bias="learned", length=("dim_head",), varies=True)),
    ("beit data2vec-vision", Architecture("none", bias=biases.beit)),
    (
        "blt_local_encoder ministral3 mixtral phi3 phi4_multimodal phimoe starcoder2",
        replace(_DECODER, windows=_EVERY),
    ),
    ("minimax", Architecture(windows=_EVERY)),
    ("mistral", Architecture(windows=replace(_EVERY, length=4096))),
    ("voxtral_realtime_text", Architecture(windows=replace(_EVERY, length=4096))),
    ("voxtral_realtime_encoder", Architecture(windows=replace(_EVERY, length=750))),
    (
        """mimi mimi_decoder mimi_encoder pocket_tts_audio_tokenizer
        pocket_tts_audio_tokenizer_decoder pocket_tts_audio_tokenizer_encoder""",
        Architecture(windows=replace(_EVERY, length=250)),
    ),
    (
        "qwen3_moe",
        Architecture(windows=replace(_EVERY, length=4096, switch=("use_sliding_window", False))),
    ),
    ("ministral", _windowed(layer_types.every, 4096)),
    ("qwen2 qwen3", Architecture(windows=_DEEP)),
    (
        "qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text",
        Architecture(windows=replace(_DEEP, default=layer_types.deep(80))),
    ),
    ("qwen2_5_omni_text qwen2_5_omni_talker", Architecture(windows=replace(_DEEP, length=32768))),
    ("blt_patcher", Architecture(windows=replace(_EVERY, length=512))),
    ("qwen3_omni_moe_talker_code_predictor", _windowed(layer_types.deep(28))),
    (
        "recurrent_gemma",
        Architecture(
            windows=Windows(
                layer_types.every, "attention_window_size", length=2048, has_types=False
            )
        ),
    ),
    ("qwen2_moe", Architecture(windows=replace(_DEEP, default=layer_types.shallow))),
    ("dots1", _windowed(layer_types.deep(62), 4096)),
    ("afmoe", _windowed(layer_types.periodic(4, "global_attn_every_n_layers"), 1024)),
    ("beam", _windowed(_SIX, 512)),
    ("cohere2", _windowed(layer_types.periodic(4, _PATTERN), 4096)),
    ("cohere_compass_text", _windowed(layer_types.full, 4096)),
    ("cohere2_moe", _windowed(layer_types.cohere2_moe, 4096)),
    ("cwm", _windowed(layer_types.leading(4), 8192)),
    ("exaone4 exaone_moe", _windowed(layer_types.exaone, 4096)),
    ("kolibri1", _windowed(layer_types.periodic(5), 513)),
    ("laguna", _windowed(layer_types.full, 512)),
    ("lfm3", _windowed(layer_types.lfm3, 256)),
    ("mellum", _windowed(layer_types.full, 1024)),
    ("muse_glimmer_text muse_spark_text", _windowed(layer_types.from_end, 2048)),
    ("olmo3", _windowed(layer_types.periodic(4), 4096)),
    ("step3p5 zaya", _windowed(layer_types.full)),
    (
        "smollm3",
        Architecture(windows=Windows(layer_types.smollm3, switch=("use_sliding_window", False))),
    ),
    (
        "llama4 llama4_text",
        Architecture(windows=Windows(layer_types.without_rope, "attention_chunk_size", 8192)),
    ),
    (
        "modernbert-decoder",
        Architecture(
            windows=Windows(
                layer_types.leading(3, "global_attn_every_n_layers"),
                length=64,
                doubled="local_attention",
            )
        ),
    ),
    ("modernbert", Architecture("none", windows=_LOCAL)),
    (
        "ultrabert",
        Architecture("none", windows=Windows(layer_types.periodic(3), length=128, spread=2.0)),
    ),
    (
        "embedding_gemma2_text",
        Architecture(
            "none",
            multipliers.one,
            windows=Windows(layer_types.periodic(6, _PATTERN, last=True), length=512, spread=2.0),
        ),
    ),
    (
        "openai_privacy_filter",
        Architecture(
            "none",
            multipliers.carried,
            sinks="all",
            windows=Windows(layer_types.every, length=128, spread=2.0, has_types=False),
        ),
    ),
    ("gemma2", replace(_SCALAR, windows=Windows(layer_types.periodic(2), length=4096), cap=_CAP)),
    (
        "vaultgemma",
        replace(_SCALAR, windows=Windows(layer_types.periodic(2), length=4096), cap=_CAP),
    ),
    (
        "t5_gemma_module",
        replace(
            _SCALAR,
            mask="none",
            cap=_CAP,
            windows=Windows(layer_types.periodic(2), length=4096, spread=2.0),
        ),
    ),
    (
        "gemma3 gemma3_text",
        replace(
            _SCALAR, windows=Windows(layer_types.periodic(6, _PATTERN), length=4096, is_free=True)
        ),
    ),
    (
        "gemma3n gemma3n_text",
        Architecture(
            multiplier=multipliers.one, windows=Windows(layer_types.periodic(5), length=512)
        ),
    ),
    ("gemma4 gemma4_text", Architecture(multiplier=multipliers.one, windows=_GEMMA4)),
    (
        "gemma4_unified gemma4_unified_text",
        Architecture(multiplier=multipliers.one, windows=replace(_GEMMA4, length=1024)),
    ),
    ("gpt_oss", Architecture(windows=Windows(layer_types.periodic(2), length=128), sinks="all")),
    ("flint", Architecture(windows=Windows(layer_types.flint, length=513), sinks="all")),
    ("mimo_v2_flash", Architecture(windows=Windows(layer_types.mimo, length=129), sinks="sliding")),
    (
        "granite granite4_vision_text granite_docling_text granitemoe granitemoehybrid "
        "granitemoeshared hyperclovax",
        _GRANITE,
    ),
    (
        "granite_swa granitemoe_swa",
        replace(_GRANITE, sinks="all", windows=Windows(layer_types.leading(4), length=128)),
    ),
    ("gpt2 gpt-sw3 gpt_bigcode decision_transformer", Architecture(multiplier=multipliers.gpt2)),
    (
        "gpt_neo",
        Architecture(
            multiplier=multipliers.one,
            windows=Windows(layer_types.gpt_neo, "window_size", 256, has_types=False),
        ),
    ),
    (
        "axk1 bailing_hybrid deepseek_v2 deepseek_v3 glm4_moe_lite longcat_flash minicpm3 mistral4 "
        "youtu",
        _LATENT,
    ),
    # Their sparse layers see the keys that an indexer chooses.
    ("axk2 deepseek_v32 glm_moe_dsa mistral_large4_text", replace(_LATENT, varies=True)),
    ("hy_v4", replace(_LATENT, varies=True, sinks="all")),
    ("minimax_m3_vl_text", Architecture(varies=True)),
    (
        "dots3_note_text",
        Architecture(
            multiplier=multipliers.root_only,
            varies=True,
            windows=Windows(layer_types.dots3, length=512),
        ),
    ),
    ("kimi_linear", Architecture(multiplier=multipliers.root_only)),
    (
        "deepseek_v4",
        Architecture(
            varies=True,
            sinks="all",
            kv_heads=False,
            windows=Windows(layer_types.varied, length=128),
        ),
    ),
    ("doge", Architecture(windows=_EVERY, varies=True, bias="learned")),
    (
        "inkling_text",
        Architecture(
            multiplier=multipliers.by_length,
            bias="learned",
            windows=Windows(layer_types.periodic(6), "sliding_window_size", 512),
        ),
    ),
    ("zamba zamba2", Architecture(multiplier=multipliers.half)),
    ("bloom", Architecture(bias=biases.bloom)),
    ("falcon", Architecture(bias=biases.falcon)),
    ("mpt", Architecture(multiplier=multipliers.mpt, bias=biases.mpt)),
    ("jais", Architecture(multiplier=multipliers.jais, bias=biases.jais)),
    ("baichuan", Architecture(bias=biases.baichuan)),
)

ARCHITECTURES: Mapping[str, Architecture] = {
    name: architecture for names, architecture in _GROUPS for name in words(names)
}
"""The classes that we know, by model_type."""
