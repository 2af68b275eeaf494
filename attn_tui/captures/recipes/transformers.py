"""Writes q, k, v and out of every attention layer of a transformers model into one file.

Around one forward pass in eval mode, whatever attention the model uses; what it returns stays the
same, bit for bit. It takes transformers 5.1 or later; for older ones there is the recipe sdpa, and
for bloom, falcon, gptj, gpt_neo and mpt, which multiply themselves, the recipe eager:

    with capture(model, "capture.safetensors"):
        model(**tokenizer("The quick brown fox", return_tensors="pt"))

Then: attn-tui doctor capture.safetensors
"""

from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

from safetensors.torch import save_file
from torch import is_tensor
from transformers import AttentionInterface


@contextmanager
def capture(model, path):
    """Capture the first call of each layer; layers are 0, 1, 2 … in the order of these calls."""
    choose, layers, tensors, claims = AttentionInterface.get_interface, {}, {}, {}

    def attend(attention, module, query, key, value, attention_mask, *args, **options):
        out = attention(module, query, key, value, attention_mask, *args, **options)
        # A mask has n² numbers. For long texts leave it out: causal ones and windows are found.
        found = {"q": query, "k": key, "v": value, "out": out[0], "mask": attention_mask}
        found |= {"sink": options.get("s_aux"), "bias": options.get("position_bias")}
        if module not in layers:
            for name, tensor in found.items():
                if is_tensor(tensor):
                    tensors[f"{len(layers)}.{name}"] = tensor.detach().cpu().clone().contiguous()
            causal = options.get("is_causal") or getattr(module, "is_causal", None)
            for name, option in {"is_causal": causal, "scale": options.get("scaling")}.items():
                claims[f"{len(layers)}.{name}"] = str(option)
        layers[module] = True
        return out

    def chosen(*asked):
        return partial(attend, choose(*asked))

    with patch.object(AttentionInterface, "get_interface", chosen):
        yield
    if not tensors:
        raise RuntimeError("no layer called an attention function of transformers; try eager")
    config = model.config.to_json_string(use_diff=False)
    save_file(tensors, path, {**claims, "layout": "bhnd,out=bnhd", "config": config})
