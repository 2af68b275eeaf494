"""Writes q, k, v and out of every attention layer of a transformers model into one file.

Around one forward pass of a model in eval mode, whatever attention it uses; what the model
returns stays the same, bit for bit:

    with capture(model, "capture.safetensors"):
        model(**tokenizer("The quick brown fox", return_tensors="pt"))

Then: attn-tui doctor capture.safetensors
"""

import sys
from contextlib import contextmanager

from safetensors.torch import save_file
from torch import is_tensor
from transformers import AttentionInterface, AttentionMaskInterface


@contextmanager
def capture(model, path):
    """Capture the first call of every layer within a ``with`` block."""
    used, modules, tensors = model.config._attn_implementation, {}, {}

    def attend(module, query, key, value, mask, *args, **options):
        eager = getattr(sys.modules[type(module).__module__], "eager_attention_forward", None)
        attention = AttentionInterface().get(used, eager)
        out = attention(module, query, key, value, mask, *args, **options)
        layer = getattr(module, "layer_idx", None) or 0
        while modules.setdefault(layer, module) is not module:
            layer += 1  # the number is taken: encoder and decoder count from 0 both
        if f"{layer}.q" not in tensors:
            # A mask has n² numbers. For long texts leave it out: causal ones and windows are found.
            found = {"q": query, "k": key, "v": value, "out": out[0], "mask": mask}
            for name, tensor in {**found, "sink": options.get("s_aux")}.items():
                if is_tensor(tensor):
                    tensors[f"{layer}.{name}"] = tensor.detach().cpu().clone().contiguous()
        return out

    AttentionInterface.register("capture", attend)
    # Without a mask function of this name no mask is made, and causality goes without a word.
    AttentionMaskInterface.register("capture", AttentionMaskInterface()[used])
    model.set_attn_implementation("capture")
    try:
        yield
    finally:
        model.set_attn_implementation(used)
    if not tensors:
        raise RuntimeError("no layer called an attention function of transformers; try sdpa")
    config = model.config.to_json_string(use_diff=False)
    save_file(tensors, path, {"layout": "out=bnhd", "config": config})
