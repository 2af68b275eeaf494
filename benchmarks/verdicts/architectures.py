"""Captures of transformers' models at random weights, each with its own config.json.

    python -m benchmarks.verdicts.architectures FOLDER

FOLDER gets ``NAME/FORMAT-ATTENTION/capture.safetensors``, by the recipe for transformers, and the
model's config.json beside. It needs torch and transformers, in an environment of their own as
``tests/extras`` has it. A class that does not run there is named and left out.
"""

import sys
from pathlib import Path
from typing import Any

import click

SIZES: dict[str, Any] = {
    "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "vocab_size": 50,
    "num_attention_heads": 4,
}  # fmt: skip
GROUPED = {**SIZES, "num_key_value_heads": 2, "head_dim": 24}
PAIRED = {**SIZES, "num_key_value_heads": 2}
ENDS: dict[str, Any] = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": None}
EXPERTS = {"num_local_experts": 2, "num_experts_per_tok": 1}
BART: dict[str, Any] = {
    "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "vocab_size": 50,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64, "eos_token_id": 2,
}  # fmt: skip
LATENT: dict[str, Any] = {
    **SIZES, "num_key_value_heads": 4, "moe_intermediate_size": 32, "n_routed_experts": 4,
    "n_group": 2, "topk_group": 1, "num_experts_per_tok": 1, "q_lora_rank": 32,
    "kv_lora_rank": 32, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 12,
    "first_k_dense_replace": 2,
}  # fmt: skip
WINDOWED = {**GROUPED, "sliding_window": 8}
LAYERS = {"layer_types": ["sliding_attention", "full_attention"]}

MODELS: dict[str, dict[str, Any]] = {
    "Llama": GROUPED, "Mistral": WINDOWED, "Ministral": {**WINDOWED, **LAYERS}, "Qwen2": PAIRED,
    "Qwen3": GROUPED, "Gemma": GROUPED,
    "Gemma2": {**WINDOWED, "query_pre_attn_scalar": 48, "attn_logit_softcapping": 0.5},
    "Gemma3Text": {**WINDOWED, **LAYERS, "query_pre_attn_scalar": 48},
    "VaultGemma": {**WINDOWED, "query_pre_attn_scalar": 48},
    "Granite": {**PAIRED, "attention_multiplier": 0.1},
    "GraniteMoe": {**PAIRED, **EXPERTS, "attention_multiplier": 0.1},
    "GPT2": {"n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 50, **ENDS},
    "GPTBigCode": {"n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 50, **ENDS},
    "GPTNeoX": SIZES,
    "OPT": {"hidden_size": 64, "ffn_dim": 64, "num_hidden_layers": 2, "vocab_size": 50,
            "num_attention_heads": 4, "word_embed_proj_dim": 64},
    "BioGpt": SIZES, "GptOss": {**WINDOWED, **EXPERTS, **LAYERS},
    "Llama4Text": {**GROUPED, "num_local_experts": 2, "intermediate_size_mlp": 64,
                   "attention_chunk_size": 16},
    "DeepseekV3": LATENT, "Doge": GROUPED, "Phi": SIZES, "Phi3": {**PAIRED, **ENDS},
    "Olmo": PAIRED, "Olmo2": PAIRED, "Olmo3": {**PAIRED, "sliding_window": 8, **LAYERS},
    "Olmoe": {**PAIRED, "num_experts": 2, "num_experts_per_tok": 1}, "Cohere": PAIRED,
    "Cohere2": {**PAIRED, "sliding_window": 8, **LAYERS}, "StableLm": PAIRED,
    "Starcoder2": {**PAIRED, "sliding_window": 8}, "Nemotron": PAIRED, "Glm": {**GROUPED, **ENDS},
    "Glm4": {**GROUPED, **ENDS}, "Exaone4": {**PAIRED, "sliding_window": 8, **LAYERS},
    "SmolLM3": {**PAIRED, **ENDS}, "Mixtral": {**PAIRED, **EXPERTS}, "Arcee": PAIRED,
    "Helium": {**PAIRED, "head_dim": 16}, "Persimmon": SIZES, "SeedOss": GROUPED,
    "Ernie4_5": GROUPED,
    "ModernBert": {**SIZES, "local_attention": 8, **ENDS, "pad_token_id": 3,
                   "cls_token_id": 2, "sep_token_id": 1},
    "Bert": SIZES, "Roberta": SIZES, "Camembert": SIZES, "Electra": SIZES, "Albert": SIZES,
    "Ernie": SIZES, "XLMRoberta": SIZES, "Esm": {**SIZES, "pad_token_id": 1, "mask_token_id": 2},
    "DistilBert": {"dim": 64, "hidden_dim": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 50},
    "Bart": BART, "MBart": BART,
}  # fmt: skip
"""Sizes by class."""
FORMATS = ("float32", "bfloat16", "float16")
ATTENTIONS = ("eager", "sdpa")


def capture_of(name: str, dtype: str, attention: str, folder: Path) -> None:
    """Write a capture of two sequences of 40 tokens through a model of random weights."""
    import torch
    import transformers

    from attn_tui.captures.recipes.transformers import capture

    torch.manual_seed(3)
    config = getattr(transformers, f"{name}Config")(**MODELS[name])
    model = transformers.AutoModel.from_config(
        config, attn_implementation=attention, dtype=getattr(torch, dtype)
    ).eval()
    for parameter in model.parameters():
        # Random models start with weights so small that all weights of attention are equal.
        parameter.data *= 4 if parameter.dim() > 1 else 1
    ids = torch.randint(5, 50, (2, 40), generator=torch.manual_seed(0))
    folder.mkdir(parents=True, exist_ok=True)
    with torch.no_grad(), capture(model, folder / "capture.safetensors"):
        model(ids)
    model.config.save_pretrained(folder)


def main(folder: Path) -> None:
    """Write captures of every class."""
    for name in MODELS:
        for dtype in FORMATS:
            for attention in ATTENTIONS:
                at = folder / name / f"{dtype}-{attention}"
                try:
                    capture_of(name, dtype, attention, at)
                except Exception as error:
                    said = (str(error).strip().splitlines() or [""])[0]
                    click.echo(f"{name}, {dtype}, {attention}: {type(error).__name__}: {said}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
