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
from torch import is_tensor, stack
from transformers import AttentionInterface

OPTIONS = {"scale": "scaling", "softcap": "softcap", "is_causal": "is_causal"}


@contextmanager
def capture(model, path):
    """Capture the first call of each layer; layers are 0, 1, 2 … in the order of these calls."""
    choose, layers, tensors, claims = AttentionInterface.get_interface, {}, {}, {}
    names = {module: name for name, module in model.named_modules()}

    def attend(attention, module, query, key, value, attention_mask=None, *args, **options):
        out = attention(module, query, key, value, attention_mask, *args, **options)
        # A mask has n² numbers. For long texts leave it out: causal ones and windows are found.
        found = {"q": query, "k": key, "v": value, "out": out[0], "mask": attention_mask}
        found |= {"sink": options.get("s_aux"), "bias": options.get("position_bias")}
        ends = [options.get("cu_seq_lens_q"), options.get("cu_seq_lens_k")]
        if all(map(is_tensor, ends)):  # sequence behind sequence, in a batch of 1
            found["lengths"] = stack([each.diff().long() for each in ends], 1)
        if module not in layers:
            layer, name = len(layers), names.get(module, "")
            for part, tensor in found.items():
                if is_tensor(tensor):
                    tensors[f"{layer}.{part}"] = tensor.detach().cpu().clone().contiguous()
            for ours, theirs in OPTIONS.items():
                if options.get(theirs) is not None:  # as it was passed
                    claims[f"{layer}.{ours}"] = str(options[theirs])
            claims.update({f"{layer}.module": name, f"{layer}.config": kind(model, name)})
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


def kind(model, name):
    """Return the model type of a module, or of the nearest around it with a configuration."""
    while name and not hasattr(model.get_submodule(name), "config"):
        name = name.rpartition(".")[0]
    return str(model.get_submodule(name).config.model_type)
