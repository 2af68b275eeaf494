"""Small random models of any architecture of transformers, made from its configuration alone."""

import importlib
import inspect
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

WIDTH, HEADS, GROUPS, LENGTH = 64, 4, 2, 24
"""The width of a layer, its heads, its KV heads, and the length of a head that is said apart."""

TOKENS, WORDS, WINDOW = 40, 60, 8
"""The tokens of a text, the size of the vocabulary, and the length of windows and chunks."""

IMAGE, PATCH, FRAMES = 32, 8, 2
"""The side of an image, that of a patch, and the frames of a video."""

_FLAT = 1e-3
"""Parameters that vary less than this are drawn anew."""


def _each(names: str, value: Any) -> dict[str, Any]:
    return dict.fromkeys(names.split(), value)


NUMBERS: Mapping[str, int] = {
    **_each(
        """hidden_size d_model n_embd embed_dim dim intermediate_size ffn_dim d_ff encoder_ffn_dim
        decoder_ffn_dim word_embed_proj_dim hidden_dim embedding_size projection_dim n_inner
        proj_size emb_dim d_inner intermediate_size_mlp dense_intermediate_size out_hidden_size
        text_embed_dim vision_embed_dim true_hidden_size encoder_hidden_size
        decoder_hidden_size shared_expert_intermediate_size moe_shared_expert_intermediate_size
        projector_hidden_size mlp_dim model_dim intra_bottleneck_size ffn_hidden_size
        hidden_size_per_layer_input encoder_hidden_dim decoder_ffn_hidden""",
        WIDTH,
    ),
    **_each(
        """num_attention_heads n_head n_heads num_heads encoder_attention_heads
        decoder_attention_heads attention_heads num_decoder_attention_heads
        decoder_self_attention_heads decoder_num_attention_heads
        cross_num_attention_heads swa_num_attention_heads""",
        HEADS,
    ),
    **_each(
        """num_key_value_heads num_kv_heads n_kv_heads cross_num_key_value_heads
        swa_num_key_value_heads""",
        GROUPS,
    ),
    **_each("head_dim global_head_dim attention_head_dim cross_head_dim swa_head_dim", LENGTH),
    **_each(
        """num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers
        num_decoder_layers depth num_encoder_layers layers""",
        2,
    ),
    **_each("num_local_experts num_experts n_routed_experts moe_num_experts", 4),
    **_each(
        """num_experts_per_tok moe_topk moe_k n_group topk_group num_experts_per_token
        moe_top_k moe_topk_group""",
        1,
    ),
    **_each("moe_intermediate_size expert_intermediate_size", 32),
    **_each(
        """sliding_window attention_chunk_size local_attention attention_window_size
        sliding_window_size window_size_local""",
        WINDOW,
    ),
    **_each("num_mel_bins feature_size num_mel_channels", 16),
    "vocab_size": WORDS, "q_lora_rank": 32, "kv_lora_rank": 32, "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16, "v_head_dim": 12, "d_kv": LENGTH, "first_k_dense_replace": 1,
    "image_size": IMAGE, "patch_size": PATCH, "max_source_positions": TOKENS,
    "max_window_layers": 1, "rotary_dim": 8, "vocab_size_per_layer_input": WORDS,
    "num_kv_shared_layers": 0, "index_topk": 6, "index_head_dim": 16, "index_n_heads": 2,
}  # fmt: skip
"""Numbers of small models by the name of the field, where a configuration has it."""

TOKENS_BELOW: Mapping[str, int] = {
    "bos_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0, "cls_token_id": 2,
    "pad_token_id": 3, "sep_token_id": 3, "mask_token_id": 4, "padding_idx": 3,
}  # fmt: skip
"""Tokens within the vocabulary."""

SKIPPED = ("per_layer_config", "rope_scaling", "task_specific_params")

PARTICULAR: Mapping[str, Mapping[str, Any]] = {
    "audio-spectrogram-transformer": {"max_length": 2 * TOKENS},
    "chameleon": {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},
    "yolos": {"image_size": [IMAGE, IMAGE], "num_detection_tokens": 4},
    **_each("blt_global_transformer blt_patcher", {"head_dim": 16}),
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1},
    "bamba": {"attn_layer_indices": [1]},
    "granitemoehybrid": {"layer_types": ["mamba", "attention"]},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]], "window_size": WINDOW},
    "falcon_h1": {"mamba_d_ssm": 64, "mamba_n_heads": 4},
    **_each("hunyuan_v1_dense hunyuan_v1_moe ministral", {"head_dim": LENGTH}),
    "helium": {"head_dim": 16},
    "laguna": {"layer_types": ["full_attention", "sliding_attention"]},
    "mellum": {"layer_types": ["full_attention", "sliding_attention"]},
    "zaya": {"layer_types": ["hybrid", "hybrid_sliding"], "sliding_window": WINDOW},
    "gemma3n_text": {
        "layer_types": ["sliding_attention", "full_attention"], "laurel_rank": 8,
        "activation_sparsity_pattern": [0.0, 0.0], "num_hidden_layers": 2,
    },
    "lfm2_moe": {"num_dense_layers": 1, "layer_types": ["conv", "full_attention"]},
    "dots1": {
        "n_shared_experts": 1, "n_routed_experts": 4, "moe_intermediate_size": 32,
        "num_experts_per_tok": 1,
    },
    "deepseek_v2": {"num_experts_per_tok": 1},
    "dbrx": {
        "attn_config": {"kv_n_heads": GROUPS},
        "ffn_config": {"ffn_hidden_size": WIDTH, "moe_num_experts": 4, "moe_top_k": 1},
        "rope_theta": 1e4,
    },
    "longcat_flash": {"head_dim": 8, "expert_ffn_hidden_size": 32, "ffn_hidden_size": WIDTH},
    "ernie4_5_vl_moe_text": {"head_dim": 128},
    "esm": {"vocab_size": 33, "pad_token_id": 1, "mask_token_id": 32},
    "step3p5": {"sliding_window": WINDOW},
    "autoformer": {"prediction_length": 8}, "informer": {"prediction_length": 8},
    "time_series_transformer": {"prediction_length": 8},
    "mobilebert": {"embedding_size": 64, "true_hidden_size": 64, "intra_bottleneck_size": 64,
                   "use_bottleneck": False},
    "xmod": {"default_language": "en_XX"},
    "swin": {"embed_dim": 32, "num_heads": [2, 4], "depths": [2, 2], "window_size": 4,
             "image_size": IMAGE, "patch_size": 4},
    "swinv2": {"embed_dim": 32, "num_heads": [2, 4], "depths": [2, 2], "window_size": 4,
               "image_size": IMAGE, "patch_size": 4},
    "donut-swin": {"embed_dim": 32, "num_heads": [2, 4], "depths": [2, 2], "window_size": 4,
                   "image_size": IMAGE, "patch_size": 4},
    "maskformer-swin": {"embed_dim": 32, "num_heads": [2, 4], "depths": [2, 2],
                        "window_size": 4, "image_size": IMAGE, "patch_size": 4},
    "segformer": {"sr_ratios": [1, 1, 1, 1], "image_size": IMAGE, "depths": [1, 1, 1, 1]},
    "glpn": {"sr_ratios": [1, 1, 1, 1], "depths": [1, 1, 1, 1]},
    "layoutlmv3": {"coordinate_size": 8, "shape_size": 16, "input_size": IMAGE},
    "lilt": {"channel_shrink_ratio": 4, "max_2d_position_embeddings": 1024},
    "blip_vision_model": {"projection_dim": 64},
    "mimo_v2_flash": {"layer_types": ["full_attention", "sliding_attention"]},
    "wav2vec2-bert": {"feature_projection_input_dim": 16},
    "kyutai_speech_to_text": {"codebook_vocab_size": 20, "audio_pad_token_id": 20,
                              "audio_bos_token_id": 19},
    "cohere_compass_text": {
        "layer_types": ["sliding_attention", "full_attention"],
        "rope_parameters": _each("sliding_attention full_attention",
                                 {"rope_type": "default", "rope_theta": 1e4}),
    },
    **_each("qwen2_vl_text qwen2_5_vl_text qwen2_5_omni_text glm4v_text "
            "glm_image_text glm_ocr_text", {"rope_parameters": {
        "rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 3, 3]}}),
    **_each("qwen2_5_omni_talker paddleocr_vl_text", {"rope_parameters": {
        "rope_type": "default", "rope_theta": 1e4, "mrope_section": [4, 4, 4]}}),
    "glm4v_moe_text": {"rope_parameters": {
        "rope_type": "default", "rope_theta": 1e4, "mrope_section": [1, 1, 2]}},
    "hunyuan_vl_text": {"head_dim": LENGTH, "rope_parameters": {
        "rope_type": "default", "rope_theta": 1e4, "mrope_section": [3, 3, 3, 3]}},
    **_each("owlv2_text_model owlvit_text_model", {"max_position_embeddings": TOKENS}),
    "recurrent_gemma": {"num_hidden_layers": 3, "lru_width": 64,
                        "attention_window_size": WINDOW},
    "pixtral": {"head_dim": 16},
    "mamba2": {"num_heads": 8, "head_dim": 16, "expand": 2},
    "xclip_vision_model": {"num_frames": FRAMES, "mit_hidden_size": 64},
    "vitpose_backbone": {"image_size": [IMAGE, IMAGE], "patch_size": [PATCH, PATCH]},
}  # fmt: skip
"""Fields of architectures whose sizes depend on each other."""

DROPPED: Mapping[str, tuple[str, ...]] = {
    "jamba": ("layers_block_type", "layer_types"),
    "bamba": ("layers_block_type", "layer_types"),
    "falcon_h1": ("layers_block_type", "layer_types"),
    "helium": (),
}
"""Fields that stay as their class has them."""

_SLIDING = {"use_sliding_window": True, "sliding_window": WINDOW, "layer_types": None}

VARIANTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "llama+yarn": ("llama", {"rope_parameters": {
        "rope_type": "yarn", "factor": 4.0, "rope_theta": 1e4,
        "original_max_position_embeddings": 16}}),
    "deepseek_v3+yarn": ("deepseek_v3", {"rope_parameters": {
        "rope_type": "yarn", "factor": 8.0, "rope_theta": 1e4, "mscale": 1.0,
        "mscale_all_dim": 0.7, "original_max_position_embeddings": 16}}),
    "deepseek_v2+yarn": ("deepseek_v2", {"num_experts_per_tok": 1, "rope_parameters": {
        "rope_type": "yarn", "factor": 8.0, "rope_theta": 1e4, "mscale": 0.7,
        "mscale_all_dim": 0.7, "original_max_position_embeddings": 16}}),
    "mistral4+yarn": ("mistral4", {"rope_parameters": {
        "rope_type": "yarn", "factor": 8.0, "rope_theta": 1e4, "mscale": 1.0,
        "mscale_all_dim": 1.0, "original_max_position_embeddings": 16,
        "llama_4_scaling_beta": 0.1}}),
    "ministral3+window": ("ministral3", {"sliding_window": WINDOW}),
    "qwen2+window": ("qwen2", {**_SLIDING, "max_window_layers": 1}),
    "qwen3+window": ("qwen3", {**_SLIDING, "max_window_layers": 1}),
    "qwen2_moe+window": ("qwen2_moe", {**_SLIDING, "max_window_layers": 2}),
    "qwen3_moe+window": ("qwen3_moe", {**_SLIDING}),
    "mixtral+window": ("mixtral", {"sliding_window": WINDOW}),
    "phi3+window": ("phi3", {"sliding_window": WINDOW}),
    "phimoe+window": ("phimoe", {"sliding_window": WINDOW}),
    "starcoder2+window": ("starcoder2", {"sliding_window": WINDOW}),
    "minimax+window": ("minimax", {"sliding_window": WINDOW}),
    "mistral+none": ("mistral", {"sliding_window": None}),
    "smollm3+window": ("smollm3", {
        **_SLIDING, "no_rope_layers": [1, 0]}),
    "exaone4+pattern": ("exaone4", {
        "sliding_window_pattern": "LG", "num_hidden_layers": 4, "layer_types": [
            "sliding_attention", "full_attention", "sliding_attention", "full_attention"]}),
    "gpt2+inverse": ("gpt2", {"scale_attn_by_inverse_layer_idx": True}),
    "gpt2+unscaled": ("gpt2", {"scale_attn_weights": False}),
    "gpt_bigcode+unscaled": ("gpt_bigcode", {"scale_attn_weights": False}),
    "granite+multiplier": ("granite", {"attention_multiplier": 0.3}),
    "gemma2+cap": ("gemma2", {"attn_logit_softcapping": 0.5, "query_pre_attn_scalar": 30}),
    "gemma2+none": ("gemma2", {"attn_logit_softcapping": None}),
    "gemma3_text+both": ("gemma3_text", {"use_bidirectional_attention": True}),
    "bloom+six": ("bloom", {"n_head": 6, "hidden_size": 96}),
    "mpt+six": ("mpt", {"n_heads": 6, "d_model": 96}),
    "mpt+plain": ("mpt", {"attn_config": {"alibi": False, "softmax_scale": 0.2}}),
    "bert+decoder": ("bert", {"is_decoder": True}),
    "roberta+decoder": ("roberta", {"is_decoder": True}),
    "beit+bias": ("beit", {"use_relative_position_bias": True}),
    "esm+rotary": ("esm", {"position_embedding_type": "rotary", "vocab_size": 33}),
    "llama+encoder": ("llama", {"is_causal": False}),
    "deberta+relative": ("deberta", {
        "relative_attention": True, "pos_att_type": ["c2p", "p2c"]}),
    "deberta-v2+relative": ("deberta-v2", {
        "relative_attention": True, "pos_att_type": ["c2p", "p2c"]}),
    "doge+window": ("doge", {"keep_window_size": 6}),
    "llama4_text+order": ("llama4_text", {
        "layer_types": None, "num_hidden_layers": 4, "no_rope_layers": [1, 1, 1, 0]}),
    "modernbert+six": ("modernbert", {"layer_types": None, "num_hidden_layers": 6}),
}  # fmt: skip
"""Configurations that turn on what an architecture leaves off, by a name of our own."""


def overrides(plain: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Return the fields of a configuration that a small model changes.

    Args:
        plain: The configuration, with the defaults of its class.
        depth: How many configurations are around it.
    """
    changed: dict[str, Any] = {}
    is_latent = "qk_rope_head_dim" in plain
    for name, value in plain.items():
        if name in SKIPPED or (is_latent and name == "head_dim"):
            continue
        if isinstance(value, Mapping):
            inner = overrides(value, depth + 1) if depth < 4 else {}
            if "model_type" in value and inner:
                changed[name] = {"model_type": value["model_type"], **inner}
        elif name in NUMBERS and (type(value) in (int, float) or name == "num_key_value_heads"):
            changed[name] = NUMBERS[name]
        elif name in TOKENS_BELOW and isinstance(value, int) and value >= WORDS:
            changed[name] = TOKENS_BELOW[name]
    if is_latent and changed.get("num_key_value_heads"):
        changed["num_key_value_heads"] = HEADS
    changed.update(_types(plain))
    changed.update(_rope({**plain, **changed}))
    kind = plain.get("model_type")
    if depth and isinstance(kind, str):
        changed = _completed(kind, changed)
    return changed


def _types(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return as many layers as there are types of them."""
    name = "layer_types" if plain.get("layer_types") else "layers_block_type"
    types = plain.get(name)
    if not isinstance(types, list) or not types:
        return {}
    distinct = [*dict.fromkeys(types)]
    chosen = distinct if len(distinct) > 1 else distinct * 2
    counts = [layers for layers in ("num_hidden_layers", "n_layer") if layers in plain]
    return {name: chosen, **dict.fromkeys(counts, len(chosen))}


def _rope(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return RoPE whose sections fill half of a head."""
    rope = plain.get("rope_parameters")
    if not isinstance(rope, Mapping) or not isinstance(rope.get("mrope_section"), list):
        return {}
    length = plain.get("head_dim") or plain["hidden_size"] // plain["num_attention_heads"]
    half = int(length * rope.get("partial_rotary_factor", 1.0)) // 2
    count = len(rope["mrope_section"])
    sections = [half // count] * (count - 1)
    return {"rope_parameters": {**rope, "mrope_section": [*sections, half - sum(sections)]}}


def _completed(kind: str, changed: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**changed, **PARTICULAR.get(kind, {})}
    return {name: value for name, value in merged.items() if name not in DROPPED.get(kind, ())}


def small(kind: str) -> Any:
    """Return the configuration of a small model of a model type, or of a variant of it."""
    from transformers import CONFIG_MAPPING

    kind, more = VARIANTS.get(kind, (kind, {}))
    config_class = CONFIG_MAPPING[kind]
    changed = {**_completed(kind, overrides(config_class().to_dict())), **more}
    return config_class(**changed)


def model_of(config: Any) -> Any:
    """Return a random model in float32 whose rows of attention are not flat."""
    import torch

    torch.manual_seed(3)
    model = class_of(config)._from_config(config, attn_implementation="eager", dtype=torch.float32)
    for name, parameter in model.named_parameters():
        is_matrix = parameter.dim() > 1
        # Factors that training starts from 0, such as a temperature of keys, would hide q·k.
        is_off = not parameter.any() and not is_matrix and not name.endswith("bias")
        if not parameter.isfinite().all() or "sink" in name or is_off:
            parameter.data.normal_()
        elif is_matrix and not parameter.std() > _FLAT:
            parameter.data.normal_(0.0, 0.1)
        elif is_matrix:
            # Random models start with weights so small that all weights of attention are equal.
            parameter.data *= 4
    return model.eval()


def class_of(config: Any) -> Any:
    """Return the class of the model of a configuration.

    Raises:
        LookupError: If no model has this configuration.
    """
    from transformers import MODEL_MAPPING, PreTrainedModel

    if type(config) in MODEL_MAPPING:
        found = MODEL_MAPPING[type(config)]
        return found[0] if isinstance(found, tuple) else found
    name = type(config).__module__.replace("configuration_", "modeling_")
    models = [
        each
        for each in vars(importlib.import_module(name)).values()
        if inspect.isclass(each)
        and issubclass(each, PreTrainedModel)
        and getattr(each, "config_class", None) is type(config)
        and each.__module__ == name
        and not each.__name__.endswith("PreTrainedModel")
    ]
    if not models:
        raise LookupError("it is a part without a model of its own")
    return models[0]


def inputs(model: Any) -> Iterator[dict[str, Any]]:
    """Yield random inputs that a model may take, by the names of its arguments."""
    import torch

    draw = torch.manual_seed(0)
    config, takes = model.config, inspect.signature(model.forward).parameters

    def random(*shape: int) -> Any:
        return torch.randn(*shape, generator=draw)

    words = max(min(WORDS, _field(config, "vocab_size") or WORDS), 6)
    ids = torch.randint(5, words, (2, TOKENS), generator=draw)
    width = _field(config, "hidden_size", "d_model", "dim", "embed_dim") or WIDTH
    size = _field(config, "image_size", "img_size", "input_size") or IMAGE
    sides = tuple(size) if isinstance(size, list | tuple) else (size, size)
    channels = _field(config, "num_channels", "in_channels", "in_chans") or 3
    bins = _field(config, "num_mel_bins", "feature_size", "input_dim", "n_mels") or 16
    decoder = {"decoder_input_ids": ids[:, : TOKENS - 10]} if "decoder_input_ids" in takes else {}
    boxes = {"bbox": torch.zeros(2, TOKENS, 4, dtype=torch.long)} if "bbox" in takes else {}
    if "grid_thw" in takes:
        yield from _grids(config, takes, random)
    if "input_ids" in takes:
        yield {"input_ids": ids, **decoder, **boxes}
        if "pixel_values" in takes:
            pixels = random(2, channels, *sides)
            yield {"input_ids": ids, "pixel_values": pixels, **decoder, **boxes}
        for features in ("input_features", "input_values"):
            if features in takes:
                yield {"input_ids": ids, features: random(2, bins, 2 * TOKENS)}
    if "pixel_values" in takes:
        yield {"pixel_values": random(2, channels, *sides), **decoder}
        yield {"pixel_values": random(2, FRAMES, channels, *sides)}
        frames = _field(config, "num_frames", "frames_per_clip") or FRAMES
        yield {"pixel_values": random(2, frames, channels, *sides)}
        yield {"pixel_values": random(2 * FRAMES, channels, *sides)}
    if "pixel_values_videos" in takes:
        frames = _field(config, "num_frames", "frames_per_clip") or FRAMES
        yield {"pixel_values_videos": random(2, frames, channels, *sides)}
    for features in ("input_features", "input_values", "audio_values", "hidden_states"):
        if features not in takes:
            continue
        masks = {
            name: torch.ones(2, 2 * TOKENS, dtype=torch.long)
            for name in ("input_features_mask", "attention_mask")
            if name in takes
        }
        for shape in ((2, bins, 2 * TOKENS), (2, 2 * TOKENS, bins), (2, 16_000), (2, 1, 16_000)):
            yield {features: random(*shape), **decoder}
            yield {features: random(*shape), **decoder, **masks}
    if "inputs_embeds" in takes:
        yield {"inputs_embeds": random(2, TOKENS, width)}
    if "hidden_states" in takes:
        yield {"hidden_states": random(2, TOKENS, width)}
    if "query_embeds" in takes:
        other = _field(config, "encoder_hidden_size") or width
        yield {"query_embeds": random(2, 8, width), "encoder_hidden_states": random(2, 16, other)}


def _grids(config: Any, takes: Any, random: Any) -> Iterator[dict[str, Any]]:
    """Yield the patches of an image, as they stand in a grid of frames, rows and columns."""
    import torch

    patch = _field(config, "patch_size") or PATCH
    channels = _field(config, "in_channels", "num_channels", "in_chans") or 3
    name = next((n for n in ("hidden_states", "pixel_values") if n in takes), "hidden_states")
    for frames in (_field(config, "temporal_patch_size") or 1, 1):
        length = channels * frames * patch * patch
        grid = {"grid_thw": torch.tensor([[1, 4, 4]])}
        yield {name: random(16, length), **grid}
        if "merge_sizes" in takes:
            yield {name: random(16, length), **grid, "merge_sizes": torch.tensor([1])}


def _field(config: Any, *names: str) -> Any:
    for part in _configs(config):
        for name in names:
            value = getattr(part, name, None)
            if value is not None:
                return value
    return None


def _configs(config: Any) -> Iterator[Any]:
    yield config
    for name in getattr(config, "sub_configs", {}):
        part = getattr(config, name, None)
        if part is not None:
            yield from _configs(part)


def calls(model: Any) -> list[tuple[Any, dict[str, Any]]]:
    """Return a model and the first inputs that it takes; or else those of each of its parts.

    Raises:
        Exception: What the first inputs ended with, if no part takes any.
    """
    first: Exception | None = None
    for given in inputs(model):
        try:
            _refuse_nan(model(**given))
            return [(model, given)]
        except Exception as error:
            first = first or error
    found = []
    for part in _models_in(model):
        with suppress(Exception):
            found += calls(part)
    if not found:
        raise first or ValueError("it takes none of our inputs")
    return found


def _refuse_nan(output: Any) -> None:
    """Raise ValueError if the first tensor of an output holds NaN."""
    import torch

    parts = output.values() if isinstance(output, Mapping) else [output]
    first = next((part for part in parts if torch.is_tensor(part)), None)
    if first is not None and first.is_floating_point() and first.isnan().any():
        raise ValueError("its output has no number on our inputs")


def _models_in(model: Any) -> Iterator[Any]:
    """Yield the outermost models in a model that have configurations of their own."""
    from transformers import PreTrainedModel

    for child in model.children():
        config = getattr(child, "config", None)
        is_model = isinstance(child, PreTrainedModel) and config is not None
        if is_model and config is not getattr(model, "config", None):
            yield child
        else:
            yield from _models_in(child)


def capture(kind: str, folder: Path) -> str:
    """Write a capture of a small random model, and its config.json beside.

    Returns:
        The recipe that captured it.
    """
    import torch

    from attn_tui.captures.recipes import eager, transformers

    model = model_of(small(kind))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "capture.safetensors"
    model.config.save_pretrained(folder)
    with torch.no_grad():
        chosen = calls(model)
        try:
            with transformers.capture(model, path):
                for part, given in chosen:
                    part(**given)
            return "transformers"
        except RuntimeError as error:
            if "no layer called an attention function" not in str(error):
                raise
        with eager.capture(path):
            for part, given in chosen:
                part(**given)
        return "eager"
