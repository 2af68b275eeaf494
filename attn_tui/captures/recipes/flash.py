"""Writes q, k, v and out of every call of flash_attn_func and flash_attn_varlen_func into one file.

Give the module that imported them, as `modeling` here. Around one forward pass without dropout:

    with capture("capture.safetensors", modeling):
        model(x)

Then: attn-tui doctor capture.safetensors --config config.json
"""

from contextlib import ExitStack, contextmanager
from inspect import signature
from unittest.mock import patch

from safetensors.torch import save_file
from torch import arange, is_tensor, stack

NAMES = ("flash_attn_func", "flash_attn_varlen_func")


@contextmanager
def capture(path, module):
    """Capture each call within a ``with`` block: layers 0, 1, 2 … in their order."""
    tensors, claims, calls = {}, {}, []

    def attending(original):
        def attend(*args, **options):
            given = signature(original).bind(*args, **options).arguments
            found = {name: given[name] for name in "qkv"}
            out = original(*args, **options)
            found["out"] = out[0] if isinstance(out, tuple) else out
            if "cu_seqlens_q" in given:  # [tokens, heads, dim], sequence behind sequence
                ends = given["cu_seqlens_q"], given["cu_seqlens_k"]
                found["lengths"] = stack([each.diff().long() for each in ends], 1)
            elif is_tensor(slopes := given.get("alibi_slopes")):
                n_q, n_k = (found[name].shape[1] for name in "qk")
                apart = (arange(n_q)[:, None] + n_k - n_q - arange(n_k)).abs()
                found["bias"] = -slopes.cpu().reshape(-1, slopes.shape[-1], 1, 1) * apart
            for name, tensor in found.items():
                tensors[f"{len(calls)}.{name}"] = tensor.detach().cpu().clone().contiguous()
            for name in ("softmax_scale", "causal", "window_size", "softcap"):
                ours = {"softmax_scale": "scale", "causal": "is_causal"}.get(name, name)
                claims[f"{len(calls)}.{ours}"] = str(given.get(name))
            claims["layout"] = "nhd" if "lengths" in found else "bnhd"
            calls.append(True)
            return out

        return attend

    with ExitStack() as patches:
        for name in filter(lambda name: hasattr(module, name), NAMES):
            original = getattr(module, name)
            patches.enter_context(patch.object(module, name, attending(original)))
        yield
    if not calls:
        raise RuntimeError(f"nothing called {' or '.join(NAMES)} of {module.__name__}")
    save_file(tensors, path, claims)
