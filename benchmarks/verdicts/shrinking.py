"""Small random models of any architecture of transformers, made from its configuration alone."""

import importlib
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

WIDTH, HEADS, GROUPS, LENGTH = 64, 4, 2, 24
"""The width of a layer, its heads, its KV heads, and the length of a head that is said apart."""

TOKENS, WORDS, WINDOW = 40, 60, 8
"""The tokens of a text, the size of the vocabulary, and the length of windows and chunks."""

IMAGE, PATCH = 32, 8

NUMBERS: Mapping[str, int] = {
    **dict.fromkeys(
        ("hidden_size", "d_model", "n_embd", "embed_dim", "dim", "intermediate_size", "ffn_dim",
         "d_ff", "encoder_ffn_dim", "decoder_ffn_dim", "word_embed_proj_dim", "hidden_dim",
         "embedding_size", "projection_dim", "n_inner", "proj_size", "emb_dim", "d_inner",
         "intermediate_size_mlp", "dense_intermediate_size", "output_dim", "out_hidden_size",
         "text_embed_dim", "vision_embed_dim", "true_hidden_size", "out_channels_hidden",
         "encoder_hidden_size", "decoder_hidden_size", "cross_attention_hidden_size",
         "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
         "projector_hidden_size", "mlp_dim", "model_dim", "conv_dim_hidden", "d_embed"),
        WIDTH,
    ),
    **dict.fromkeys(
        ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads",
         "decoder_attention_heads", "attention_heads", "num_decoder_attention_heads",
         "decoder_self_attention_heads", "decoder_num_attention_heads"),
        HEADS,
    ),
    **dict.fromkeys(("num_key_value_heads", "num_kv_heads", "n_kv_heads"), GROUPS),
    **dict.fromkeys(("head_dim", "global_head_dim", "attention_head_dim"), LENGTH),
    **dict.fromkeys(
        ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers",
         "decoder_layers", "num_decoder_layers", "depth", "num_encoder_layers"),
        2,
    ),
    **dict.fromkeys(
        ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts",
         "moe_num_primary_experts"),
        4,
    ),
    **dict.fromkeys(("num_experts_per_tok", "moe_topk", "moe_k", "n_group", "topk_group",
                     "num_experts_per_token", "moe_top_k"), 1),
    **dict.fromkeys(("moe_intermediate_size", "expert_intermediate_size"), 32),
    **dict.fromkeys(("sliding_window", "window_size_local", "attention_chunk_size",
                     "local_attention", "attention_window_size", "sliding_window_size"), WINDOW),
    "vocab_size": WORDS, "q_lora_rank": 32, "kv_lora_rank": 32, "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16, "v_head_dim": 12, "d_kv": LENGTH, "first_k_dense_replace": 1,
    "image_size": IMAGE, "patch_size": PATCH, "num_mel_bins": 16, "max_source_positions": TOKENS,
    "max_window_layers": 1, "rotary_dim": 8,
}  # fmt: skip
"""Numbers of small models by the name of the field, where a configuration has it."""

TOKENS_BELOW: Mapping[str, int] = {
    "bos_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0, "cls_token_id": 2,
    "sep_token_id": 3, "mask_token_id": 4,
}  # fmt: skip
"""Tokens within the vocabulary."""

SKIPPED = ("per_layer_config", "rope_parameters", "rope_scaling", "task_specific_params")


def overrides(plain: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Return the fields of a configuration that a small model changes.

    Args:
        plain: The configuration, with the defaults of its class.
        depth: How many configurations are around it.
    """
    changed: dict[str, Any] = {}
    for name, value in plain.items():
        if name in SKIPPED:
            continue
        if isinstance(value, Mapping) and depth < 4:
            inner = overrides(value, depth + 1)
            if "model_type" in value and inner:
                changed[name] = {"model_type": value["model_type"], **inner}
            continue
        if (name in NUMBERS and isinstance(value, int | float) and not isinstance(value, bool)) or (name in NUMBERS and value is None and name in ("num_key_value_heads",)):
            changed[name] = NUMBERS[name]
        elif name in TOKENS_BELOW and isinstance(value, int):
            changed[name] = TOKENS_BELOW[name]
        elif name == "pad_token_id" and isinstance(value, int) and value >= WORDS:
            changed[name] = None
    types = plain.get("layer_types") or plain.get("layers_block_type")
    if isinstance(types, list) and types:
        distinct = [*dict.fromkeys(types)]
        name = "layer_types" if "layer_types" in plain else "layers_block_type"
        changed[name] = distinct if len(distinct) > 1 else distinct * 2
        for layers in ("num_hidden_layers", "n_layer"):
            if layers in plain:
                changed[layers] = len(changed[name])
    return changed


def small(kind: str) -> Any:
    """Return the configuration of a small model."""
    from transformers import CONFIG_MAPPING

    config_class = CONFIG_MAPPING[kind]
    changed = overrides(config_class().to_dict())
    changed |= PARTICULAR.get(kind, {})
    for name in DROPPED.get(kind, ()):
        changed.pop(name, None)
    return config_class(**changed)


PARTICULAR: Mapping[str, Mapping[str, Any]] = {}
"""Fields of architectures whose sizes depend on each other."""

DROPPED: Mapping[str, tuple[str, ...]] = {}
"""Fields that stay as they are."""


def model_of(config: Any) -> Any:
    """Return a random model in float32 whose rows of attention are not flat."""
    import torch

    torch.manual_seed(3)
    model_class = class_of(config)
    model = model_class._from_config(config, attn_implementation="eager", dtype=torch.float32)
    for name, parameter in model.named_parameters():
        if not parameter.isfinite().all() or "sink" in name:
            parameter.data.normal_()
        elif parameter.dim() > 1:
            # Random models start with weights so small that all weights of attention are equal.
            parameter.data *= 4
    return model.eval()


def class_of(config: Any) -> Any:
    """Return the class of the model of a configuration."""
    import transformers
    from transformers import MODEL_MAPPING, PreTrainedModel

    with_mapping = type(config) in MODEL_MAPPING
    if with_mapping:
        found = MODEL_MAPPING[type(config)]
        return found[0] if isinstance(found, tuple) else found
    name = type(config).__module__.replace("configuration_", "modeling_")
    module = importlib.import_module(name)
    models = [
        each
        for each in vars(module).values()
        if inspect.isclass(each)
        and issubclass(each, PreTrainedModel)
        and each.config_class is type(config)
        and each.__module__ == name
        and not each.__name__.endswith("PreTrainedModel")
    ]
    if not models:
        raise LookupError(f"no model of {type(config).__name__} in {transformers.__name__}")
    return models[0]


def inputs(model: Any) -> dict[str, Any]:
    """Return random inputs by the names of the arguments that a model takes."""
    import torch

    draw = torch.manual_seed(0)
    config = model.config
    takes = inspect.signature(model.forward).parameters
    given: dict[str, Any] = {}
    vocabulary = _field(config, "vocab_size") or WORDS
    ids = torch.randint(5, max(min(WORDS, vocabulary), 6), (2, TOKENS), generator=draw)
    width = _field(config, "hidden_size") or WIDTH
    if "input_ids" in takes:
        given["input_ids"] = ids
        if "decoder_input_ids" in takes:
            given["decoder_input_ids"] = ids[:, : TOKENS - 10]
    elif "inputs_embeds" in takes:
        given["inputs_embeds"] = torch.randn(2, TOKENS, width, generator=draw)
    elif "pixel_values" in takes:
        size = _field(config, "image_size") or IMAGE
        sides = size if isinstance(size, list | tuple) else (size, size)
        channels = _field(config, "num_channels") or 3
        given["pixel_values"] = torch.randn(2, channels, *sides, generator=draw)
    elif "input_features" in takes:
        bins = _field(config, "num_mel_bins") or 16
        given["input_features"] = torch.randn(2, bins, 2 * TOKENS, generator=draw)
        if "decoder_input_ids" in takes:
            given["decoder_input_ids"] = ids[:, : TOKENS - 10]
    elif "input_values" in takes:
        given["input_values"] = torch.randn(2, 16_000, generator=draw)
    elif "hidden_states" in takes:
        given["hidden_states"] = torch.randn(2, TOKENS, width, generator=draw)
    return given


def _field(config: Any, name: str) -> Any:
    for part in _configs(config):
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


def capture(kind: str, folder: Path) -> str:
    """Write a capture of a small random model, and its config.json beside.

    Returns:
        The recipe that captured it.
    """
    import torch

    from attn_tui.captures.recipes import eager, transformers

    model = model_of(small(kind))
    given = inputs(model)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "capture.safetensors"
    model.config.save_pretrained(folder)
    with torch.no_grad():
        try:
            with transformers.capture(model, path):
                model(**given)
            return "transformers"
        except RuntimeError as error:
            if "no layer called an attention function" not in str(error):
                raise
        with eager.capture(path):
            model(**given)
        return "eager"
