"""Writes q, k, v and out of every call of jax.nn.dot_product_attention into one file.

Around one forward pass that is not compiled; what calls return stays the same:

    with capture("capture.safetensors"), jax.disable_jit():
        model(x)

Then: attn-tui doctor capture.safetensors --config config.json
"""

from contextlib import contextmanager
from unittest.mock import patch

from jax import nn
from numpy import asarray, ascontiguousarray, stack
from safetensors.numpy import save_file


@contextmanager
def capture(path):
    """Capture each call within a ``with`` block: layers 0, 1, 2 … in their order."""
    original, tensors, claims, calls = nn.dot_product_attention, {}, {}, []

    def attend(query, key, value, bias=None, mask=None, **options):
        out = original(query, key, value, bias, mask, **options)
        found = {"q": query, "k": key, "v": value, "bias": bias, "mask": mask}
        found["out"] = out[0] if isinstance(out, tuple) else out
        queries, keys = (options.get(f"{of}_seq_lengths") for of in ("query", "key_value"))
        if queries is not None or keys is not None:
            most = [[each.shape[-3]] * len(query) for each in (query, key)]
            pairs = zip((queries, keys), most, strict=True)
            found["lengths"] = stack([n if each is None else each for each, n in pairs], 1)
        for name, array in found.items():
            if array is not None:
                array = asarray(array)
                axes = 4 - array.ndim if name != "lengths" else 0
                tensors[f"{len(calls)}.{name}"] = ascontiguousarray(array[(None,) * axes])
        for name in ("scale", "is_causal", "local_window_size"):
            claims[f"{len(calls)}.{name}"] = str(options.get(name))
        calls.append(True)
        return out

    with patch.object(nn, original.__name__, attend):
        yield
    if not calls:  # Where a module imported the function by its name, patch that module.
        raise RuntimeError("nothing called jax.nn.dot_product_attention")
    save_file(tensors, path, {**claims, "layout": "bnhd"})
