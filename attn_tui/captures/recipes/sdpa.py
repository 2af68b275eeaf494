"""Writes q, k, v and out of every call of PyTorch's scaled_dot_product_attention into one file.

Around one forward pass that is not compiled; calls are layers 0, 1, 2 … in their order, and
what they return stays the same:

    with capture("capture.safetensors"):
        model(x)

Then: attn-tui doctor capture.safetensors --config config.json
"""

import sys
from contextlib import contextmanager

from safetensors.torch import save_file
from torch.nn.functional import scaled_dot_product_attention as original

NAME = original.__name__


@contextmanager
def capture(path):
    """Capture what is called within a ``with`` block."""
    tensors, claims = {}, {}

    def attend(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, **options):
        out = original(query, key, value, attn_mask, dropout_p, is_causal, **options)
        layer = sum(name.endswith(".q") for name in tensors)
        found = {"q": query, "k": key, "v": value, "out": out, "mask": attn_mask}
        for name, tensor in found.items():
            if tensor is not None:
                copy = tensor.detach().cpu().clone().contiguous()
                tensors[f"{layer}.{name}"] = copy[(None,) * (4 - copy.dim())]  # four axes
        for name, option in {"is_causal": is_causal, **options}.items():
            claims[f"{layer}.{name}"] = str(option)
        return out

    # Wherever it was imported: torch.nn.MultiheadAttention calls it by its name too.
    loaded = [each for each in sys.modules.values() if hasattr(each, "__dict__")]
    modules = [each for each in loaded if vars(each).get(NAME) is original]
    for module in modules:
        setattr(module, NAME, attend)
    try:
        yield
    finally:
        for module in modules:
            setattr(module, NAME, original)
    if not tensors:
        raise RuntimeError(f"nothing called {NAME}")
    save_file(tensors, path, claims)
