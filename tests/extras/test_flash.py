"""The recipes for flash_attn and vLLM, on functions of ours with their arguments and layouts.

The libraries themselves need a GPU: what runs here is their calls, made by hand.
"""

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import LogitMap
from tests.extras.recipes import capturing, far, needed, opened

torch = needed("torch")
needed("safetensors")
F = torch.nn.functional


def drawn(*shape: int, seed: int = 1) -> Any:
    return torch.randn(*shape, generator=torch.manual_seed(seed))


def attended(q: Any, k: Any, v: Any, m: float, bias: Any = None) -> Any:
    """Return causal attention of [positions, heads, dim], the last query at the last key."""
    q, k, v = (each.transpose(0, 1) for each in (q, k, v))
    n_q, n_k = q.shape[1], k.shape[1]
    seen = torch.ones(n_q, n_k).tril(n_k - n_q) > 0
    added = torch.zeros(n_q, n_k).masked_fill(~seen, -torch.inf)
    added = added if bias is None else added + bias
    out = F.scaled_dot_product_attention(
        q[None], k[None], v[None], attn_mask=added[None], scale=m, enable_gqa=True
    )
    return out[0].transpose(0, 1)


def flash_attn_func(
    q: Any, k: Any, v: Any, dropout_p: float = 0.0, softmax_scale: Any = None,
    causal: bool = False, window_size: Any = (-1, -1), softcap: float = 0.0,
    alibi_slopes: Any = None,
) -> Any:  # fmt: skip
    n_q, n_k = q.shape[1], k.shape[1]
    bias = None
    if alibi_slopes is not None:
        apart = torch.arange(n_k)[None] - torch.arange(n_q)[:, None] - (n_k - n_q)
        bias = -alibi_slopes[:, None, None] * apart.abs()
    rows = [attended(*each, softmax_scale, bias) for each in zip(q, k, v, strict=True)]
    return torch.stack(rows)


def flash_attn_varlen_func(
    q: Any, k: Any, v: Any, cu_seqlens_q: Any, cu_seqlens_k: Any, max_seqlen_q: int,
    max_seqlen_k: int, dropout_p: float = 0.0, softmax_scale: Any = None, causal: bool = False,
) -> Any:  # fmt: skip
    parts = []
    for at in range(len(cu_seqlens_q) - 1):
        ours, theirs = (slice(*each[at : at + 2]) for each in (cu_seqlens_q, cu_seqlens_k))
        parts.append(attended(q[ours], k[theirs], v[theirs], softmax_scale))
    return torch.cat(parts)


@pytest.fixture
def module() -> Any:
    made: Any = ModuleType("modeling")
    made.flash_attn_func, made.flash_attn_varlen_func = flash_attn_func, flash_attn_varlen_func
    return made


def exact(path: Path, m: float, causal: bool = True) -> None:
    """Every head of a capture gives what was captured of its output."""
    capture = opened(path)
    for head in capture.heads:
        shape, rows = capture.shape(head), capture.read(head)
        offset = shape.n_keys - shape.n_queries
        assert far(rows, LogitMap(m), HeadMask("causal", offset)) < 1e-6


@pytest.mark.parametrize("alibi", [False, True])
def test_calls_of_flash_attn_func(module: Any, alibi: bool, tmp_path: Path) -> None:
    q, k, v = drawn(2, 9, 4, 16), drawn(2, 12, 2, 16, seed=2), drawn(2, 12, 2, 16, seed=3)
    given = {"softmax_scale": 0.5, "causal": True}
    given |= {"alibi_slopes": torch.tensor([0.5, 0.25, 0.125, 0.0625])} if alibi else {}
    plain = module.flash_attn_func(q, k, v, **given)
    with capturing("flash")(tmp_path / "c.safetensors", module):
        within = module.flash_attn_func(q, k, v, **given)
    assert torch.equal(plain, within)
    assert module.flash_attn_func is flash_attn_func
    exact(tmp_path / "c.safetensors", 0.5)
    capture = opened(tmp_path / "c.safetensors")
    assert (capture.read(HeadId(0, 0, 1)).bias is not None) == alibi
    assert (capture.config["0.scale"], capture.config["0.is_causal"]) == (0.5, "True")


def test_sequences_behind_each_other_are_captured_with_their_lengths(
    module: Any, tmp_path: Path
) -> None:
    q, k, v = drawn(9, 4, 16), drawn(14, 2, 16, seed=2), drawn(14, 2, 16, seed=3)
    ends = torch.tensor([0, 3, 4, 9]), torch.tensor([0, 5, 9, 14])
    with capturing("flash")(tmp_path / "c.safetensors", module):
        out = module.flash_attn_varlen_func(q, k, v, *ends, 5, 5, softmax_scale=0.5, causal=True)
    exact(tmp_path / "c.safetensors", 0.5)
    capture = opened(tmp_path / "c.safetensors")
    assert len(capture.heads) == 12
    assert np.array_equal(capture.vectors(HeadId(2, 0, 3), "out"), out[4:, 3].numpy())
    assert capture.shape(HeadId(1, 0, 0)).n_keys == 4


def paged(
    q: Any, k: Any, v: Any, out: Any, cu_seqlens_q: Any, max_seqlen_q: int, seqused_k: Any,
    max_seqlen_k: int, softmax_scale: float, causal: bool, block_table: Any, **_: Any,
) -> Any:  # fmt: skip
    """As vLLM calls it: k and v are blocks of a cache, and there are more rows than tokens."""
    for at, n in enumerate(seqused_k.tolist()):
        keys, values = (each[block_table[at]].flatten(0, 1)[:n] for each in (k, v))
        ours = slice(*cu_seqlens_q[at : at + 2])
        out[ours] = attended(q[ours], keys, values, softmax_scale)
    return out


def test_a_paged_cache_of_vllm_is_gathered_by_its_table(tmp_path: Path) -> None:
    backend: Any = ModuleType("flash_attn")
    backend.flash_attn_varlen_func = paged
    k, v = drawn(10, 4, 2, 16, seed=2), drawn(10, 4, 2, 16, seed=3)
    given = {
        "q": drawn(8, 4, 16), "k": k, "v": v, "out": torch.zeros(8, 4, 16),
        "cu_seqlens_q": torch.tensor([0, 5, 6]), "max_seqlen_q": 5,
        "seqused_k": torch.tensor([9, 6]), "max_seqlen_k": 9, "softmax_scale": 0.5,
        "causal": True, "block_table": torch.tensor([[7, 2, 4], [1, 9, 0]]),
        "window_size": [-1, -1], "softcap": 0.0, "s_aux": None,
    }  # fmt: skip
    with capturing("vllm")(tmp_path / "c.safetensors", backend):
        backend.flash_attn_varlen_func(**given)
    assert backend.flash_attn_varlen_func is paged
    exact(tmp_path / "c.safetensors", 0.5)
    capture = opened(tmp_path / "c.safetensors")
    assert len(capture.heads) == 8
    keys = torch.cat([k[1], k[9]])[:6, 1]
    assert np.array_equal(capture.vectors(HeadId(1, 0, 3), "k"), keys.numpy())


@pytest.mark.parametrize("name", ["flash", "vllm"])
def test_nothing_to_capture_is_said(name: str, module: Any, tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError, match="nothing called flash_attn_"),
        capturing(name)(tmp_path / "c", module),
    ):
        pass
