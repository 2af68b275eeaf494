"""Writes q, k, v and out of vLLM's attention into one file, keys and values out of its paged cache.

It takes the backend FLASH_ATTN, in this process and without graphs or compilation
(VLLM_ENABLE_V1_MULTIPROCESSING=0). The first call of each layer is captured, of one step:

    llm = LLM(MODEL, enforce_eager=True)
    with capture("capture.safetensors", vllm.v1.attention.backends.flash_attn):
        llm.generate(prompts, SamplingParams(max_tokens=1))

Then: attn-tui doctor capture.safetensors --config config.json
"""

from contextlib import contextmanager
from unittest.mock import patch

from safetensors.torch import save_file
from torch import cat, stack


@contextmanager
def capture(path, backend):
    """Capture each call within a ``with`` block: layers 0, 1, 2 … in their order."""
    original, tensors, claims, calls = backend.flash_attn_varlen_func, {}, {}, []

    def attend(q, k, v, **options):
        out = original(q=q, k=k, v=v, **options)
        starts = options["cu_seqlens_q"]
        queries = starts.diff().long()
        if (table := options.get("block_table")) is not None:
            # Blocks of [block size, KV heads, dim], those of a sequence by its row of the table.
            keys = options["seqused_k"].long()[: len(queries)]
            rows = [*zip(table[: len(queries)], keys.tolist(), strict=True)]
            k, v = (cat([cache[row].flatten(0, 1)[:n] for row, n in rows]) for cache in (k, v))
        else:
            keys = options["cu_seqlens_k"].diff().long()
        tokens = int(starts[-1])
        found = {"q": q[:tokens], "k": k, "v": v, "out": out[:tokens]}
        found |= {"lengths": stack([queries, keys], 1), "sink": options.get("s_aux")}
        for name, tensor in found.items():
            if tensor is not None:
                tensors[f"{len(calls)}.{name}"] = tensor.detach().cpu().clone().contiguous()
        for name in ("softmax_scale", "causal", "window_size", "softcap"):
            ours = {"softmax_scale": "scale", "causal": "is_causal"}.get(name, name)
            claims[f"{len(calls)}.{ours}"] = str(options.get(name))
        calls.append(True)
        return out

    with patch.object(backend, "flash_attn_varlen_func", attend):
        yield
    if not calls:
        raise RuntimeError("nothing called flash_attn_varlen_func of this backend")
    save_file(tensors, path, {**claims, "layout": "nhd"})
