"""Writes q, k, v and out of every call of PyTorch's scaled_dot_product_attention into one file.

Around one forward pass that is not compiled; what calls return stays the same:

    with capture("capture.safetensors"):
        model(x)

Then: attn-tui doctor capture.safetensors --config config.json
"""

from contextlib import contextmanager
from unittest.mock import patch

from safetensors.torch import save_file
from torch.nn import functional


@contextmanager
def capture(path):
    """Capture each call within a ``with`` block: layers 0, 1, 2 … in their order."""
    original, tensors, claims, calls = functional.scaled_dot_product_attention, {}, {}, []

    def attend(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, **options):
        out = original(query, key, value, attn_mask, dropout_p, is_causal, **options)
        found = {"q": query, "k": key, "v": value, "out": out, "mask": attn_mask}
        for name, tensor in found.items():
            if tensor is not None:
                copy = tensor.detach().cpu().clone().contiguous()
                tensors[f"{len(calls)}.{name}"] = copy[(None,) * (4 - copy.dim())]  # four axes
        for name, option in {"is_causal": is_causal, **options}.items():
            claims[f"{len(calls)}.{name}"] = str(option)
        calls.append(out.shape)
        return out

    with patch.object(functional, original.__name__, attend):
        yield
    if not calls:  # Where a module imported the function by its name, patch that module.
        raise RuntimeError("nothing called torch.nn.functional.scaled_dot_product_attention")
    save_file(tensors, path, {**claims, "layout": "bhnd"})
