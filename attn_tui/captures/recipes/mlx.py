"""Writes q, k, v and out of every call of mx.fast.scaled_dot_product_attention into one file.

Around one forward pass that is not compiled; what calls return stays the same:

    with capture("capture.safetensors"):
        mx.eval(model(x))

Then: attn-tui doctor capture.safetensors --config config.json
"""

from contextlib import contextmanager
from unittest.mock import patch

import mlx.core as mx


@contextmanager
def capture(path):
    """Capture each call within a ``with`` block: layers 0, 1, 2 … in their order."""
    original, tensors, claims, calls = mx.fast.scaled_dot_product_attention, {}, {}, []

    def attend(q, k, v, *, scale, mask=None, **options):
        out = original(q, k, v, scale=scale, mask=mask, **options)
        is_causal = isinstance(mask, str)
        found = {"q": q, "k": k, "v": v, "out": out, "sink": options.get("sinks")}
        for name, array in {**found, "mask": None if is_causal else mask}.items():
            if array is not None:
                tensors[f"{len(calls)}.{name}"] = array
        claims[f"{len(calls)}.scale"] = str(scale)
        claims[f"{len(calls)}.is_causal"] = str(is_causal)
        calls.append(True)
        return out

    with patch.object(mx.fast, "scaled_dot_product_attention", attend):
        yield
    if not calls:
        raise RuntimeError("nothing called mx.fast.scaled_dot_product_attention")
    mx.save_safetensors(str(path), tensors, {**claims, "layout": "bhnd"})
