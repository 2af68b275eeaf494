"""The recipe for PyTorch's scaled_dot_product_attention, on calls of every kind."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui import diagnose
from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import LogitMap
from tests.extras.recipes import agrees, capturing, far, needed, opened

torch = needed("torch")
needed("safetensors")
F = torch.nn.functional


def drawn(*shape: int, seed: int = 1, dtype: Any = torch.float32) -> Any:
    return torch.randn(*shape, generator=torch.manual_seed(seed)).to(dtype)


CALLS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"is_causal": True},
    "scale": {"scale": 0.5},
    "seen": {"attn_mask": torch.ones(12, 12, dtype=torch.bool).tril(2)},
    "added": {"attn_mask": torch.zeros(2, 1, 12, 12).masked_fill(torch.eye(12) > 0, -torch.inf)},
    "grouped": {"enable_gqa": True},
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_call_is_captured_and_returns_the_same(name: str, dtype: Any, tmp_path: Path) -> None:
    options = dict(CALLS[name])
    if name == "added":
        options["attn_mask"] = options["attn_mask"].to(dtype)
    kv_heads = 2 if name == "grouped" else 4
    q = drawn(2, 4, 12, 16, dtype=dtype)
    k, v = (drawn(2, kv_heads, 12, 16, seed=seed, dtype=dtype) for seed in (2, 3))
    plain = F.scaled_dot_product_attention(q, k, v, **options)
    with capturing("sdpa")(tmp_path / "c.safetensors"):
        captured = F.scaled_dot_product_attention(q, k, v, **options)
    assert torch.equal(plain, captured)
    capture = opened(tmp_path / "c.safetensors")
    assert capture.tensors(0)["q"].format == str(dtype).removeprefix("torch.")
    rows = capture.read(HeadId(1, 0, 3))
    pairs = ((rows.queries, q[1, 3]), (rows.keys, k[1, -1]), (rows.output, plain[1, 3]))
    for found, given in pairs:
        assert found is not None
        assert np.array_equal(found, given.float().numpy())
    weighing = LogitMap(options.get("scale", 0.25))
    mask = HeadMask("causal") if options.get("is_causal") else None
    bounds = {torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}
    for head in capture.heads:
        assert far(capture.read(head), weighing, mask) < bounds[dtype]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_the_doctor_agrees_with_what_a_call_should_do(dtype: Any, tmp_path: Path) -> None:
    q = drawn(1, 4, 64, 32, dtype=dtype)
    k, v = (drawn(1, 2, 64, 32, seed=seed, dtype=dtype) for seed in (2, 3))
    with capturing("sdpa")(tmp_path / "c.safetensors"):
        F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True, scale=0.125)
    config = {"model_type": "granite", "hidden_size": 128, "num_attention_heads": 4}
    for layer, m in enumerate((32**-0.5, 0.125)):
        (tmp_path / "config.json").write_text(json.dumps({**config, "attention_multiplier": m}))
        agrees(tmp_path / "c.safetensors", "--config", str(tmp_path), "--layer", str(layer))


def eager(q: Any, k: Any, v: Any, cap: float | None) -> Any:
    """Return attention as models write it down, every step in the type of q."""
    n = q.shape[2]
    z = q @ k.transpose(2, 3) * q.shape[3] ** -0.5
    z = z if cap is None else torch.tanh(z / cap) * cap
    z = z + torch.full((n, n), -torch.inf, dtype=q.dtype).triu(1)
    return torch.softmax(z, -1, dtype=torch.float32).to(q.dtype) @ v


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_logits_far_from_0_are_told_from_no_other_numbers(dtype: Any) -> None:
    """Keys of trained models have a part in common: rounding then follows the logits."""
    for away in (-40.0, -15.0, 40.0, 80.0):
        q, k, v = (drawn(1, 4, 200, 64, seed=seed) for seed in (1, 2, 3))
        q = 0.2 * q
        q[..., 0] = (abs(away) * 8) ** 0.5
        k[..., 0] = q[..., 0] if away > 0 else -q[..., 0]
        q, k, v = (part.to(dtype) for part in (q, k, v))
        plain = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        for out, cap in ((plain, None), (eager(q, k, v, None), None), (eager(q, k, v, 30.0), 30.0)):
            diagnosis = diagnose(q, k, v, out, scale=0.125, causal=True, softcap=cap)
            # Where rounding leaves little of the logits, the doctor says so.
            verdicts = {"agrees"} if cap is None else {"agrees", "cannot tell"}
            assert diagnosis.verdict in verdicts, (away, cap, str(diagnosis))


def test_calls_are_layers_in_their_order_those_of_modules_among_them(tmp_path: Path) -> None:
    layer = torch.nn.MultiheadAttention(32, 4, batch_first=True, dropout=0.0)
    x = drawn(2, 5, 32)
    plain, _ = layer(x, x, x, need_weights=False)
    with capturing("sdpa")(tmp_path / "c.safetensors"):
        F.scaled_dot_product_attention(query=x, key=x, value=x)
        captured, _ = layer(x, x, x, need_weights=False)
    assert torch.equal(plain, captured)
    capture = opened(tmp_path / "c.safetensors", layout="q=bhnd,k=bhnd,v=bhnd")
    assert capture.layers == (0, 1)
    assert capture.shape(HeadId(0, 0, 0)).d_k == 32
    assert capture.shape(HeadId(1, 1, 3)).d_k == 8


def test_the_example_of_the_documentation_captures_what_attention_got(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(F, "scaled_dot_product_attention", F.scaled_dot_product_attention)
    page = Path(__file__).parents[2] / "docs" / "captures.md"
    (example,) = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    x, outputs = drawn(1, 4, 12, 16), []

    def model(scale: float) -> None:
        for times in (1.0, 2.0):
            outputs.append(F.scaled_dot_product_attention(x * times, x, x, scale=scale))

    exec(example, {"model": model, "inputs": 0.5})
    capture = opened(Path("capture.safetensors"))
    assert capture.layers == (0, 1)
    assert np.array_equal(capture.vectors(HeadId(0, 1, 3), "q"), 2.0 * x[0, 3])
    assert np.array_equal(capture.vectors(HeadId(0, 1, 3), "out"), outputs[1][0, 3])


def test_nothing_is_left_changed_and_nothing_to_capture_is_said(tmp_path: Path) -> None:
    own = F.scaled_dot_product_attention
    with pytest.raises(ZeroDivisionError), capturing("sdpa")(tmp_path / "c.safetensors"):
        _ = 1 / 0
    assert F.scaled_dot_product_attention is own
    x = drawn(1, 4, 12, 16)
    # A function that a module has imported by its name is not reached.
    for called in (lambda *_: None, own):
        with pytest.raises(RuntimeError, match="nothing called"), capturing("sdpa")(tmp_path / "c"):
            called(x, x, x)
    assert not [*tmp_path.iterdir()]
