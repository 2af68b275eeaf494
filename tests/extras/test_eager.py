"""The recipe for attention made of products and a softmax, on models of transformers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import Capture, HeadId
from attn_tui.compute.scale import LogitMap
from benchmarks.verdicts.promise import agreements
from tests.extras.recipes import capturing, far, needed, opened

torch, transformers = map(needed, ("torch", "transformers"))
pytestmark = pytest.mark.filterwarnings("ignore")

Module: Any = torch.nn.Module

SIZES = {"n_layer": 2, "n_head": 4, "vocab_size": 50}
MODELS: dict[str, tuple[str, float, dict[str, Any]]] = {
    "bloom": ("Bloom", 0.25, {**SIZES, "hidden_size": 64}),
    "falcon": ("Falcon", 0.25, {"hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 50,
                                "num_attention_heads": 4, "multi_query": True}),
    "falcon alibi": ("Falcon", 0.25, {"hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 50,
                                      "num_attention_heads": 4, "alibi": True,
                                      "multi_query": False}),
    "gptj": ("GPTJ", 0.25, {**SIZES, "n_embd": 64, "rotary_dim": 8, "n_positions": 64}),
    "gpt_neo": ("GPTNeo", 1.0, {"hidden_size": 64, "num_layers": 2, "num_heads": 4,
                                "vocab_size": 50, "window_size": 8,
                                "attention_types": [[["global", "local"], 1]]}),
    "mpt": ("Mpt", 0.25, {"d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 50,
                          "max_seq_len": 64}),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_bias_and_mask_are_what_the_layer_added(name: str, tmp_path: Path) -> None:
    kind, m, given = MODELS[name]
    torch.manual_seed(3)
    config = getattr(transformers, f"{kind}Config")(**given)
    model = transformers.AutoModel.from_config(config, attn_implementation="eager").eval()
    for parameter in model.parameters():
        parameter.data *= 4 if parameter.dim() > 1 else 1
    ids = torch.randint(5, 50, (2, 40), generator=torch.manual_seed(0))
    path = tmp_path / "c.safetensors"
    with torch.no_grad():
        plain = model(ids).last_hidden_state
        with capturing("eager")(path):
            within = model(ids).last_hidden_state
    assert torch.equal(plain, within)
    capture = opened(path)
    assert capture.layers == (0, 1)
    assert len(capture.heads) == 16
    assert capture.config["1.config"] == config.model_type
    for head in capture.heads:
        rows = capture.read(head)
        assert far(rows, LogitMap(m)) < 1e-5
        assert rows.seen is not None
        last = 8 if name == "gpt_neo" and head.layer else 40
        assert rows.seen.sum(1).tolist() == [min(row + 1, last) for row in range(40)]
        assert (rows.bias is not None) == (name in ("bloom", "falcon alibi", "mpt"))


class Head(Module):  # type: ignore[misc]
    """One head, as teaching codes have it, which divides by √d_model."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(32, 8) for _ in range(3))

    def forward(self, x: Any) -> Any:
        scores = self.q(x) @ self.k(x).transpose(-2, -1) * 32**-0.5
        hidden = torch.ones(x.shape[1], x.shape[1]).triu(1) > 0
        return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ self.v(x)


class Heads(Module):  # type: ignore[misc]
    """Four heads, each a module."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = torch.nn.ModuleList([Head() for _ in range(4)])

    def forward(self, x: Any) -> Any:
        return torch.cat([head(x) for head in self.heads], -1)


class Einsum(Module):  # type: ignore[misc]
    """Four heads by einsum; the axes of scores are those of queries, keys, batch and heads."""

    def __init__(self, over: int) -> None:
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(32, 32) for _ in range(3))
        self.over = over

    def forward(self, x: Any) -> Any:
        n, batch = x.shape[:2]
        q, k, v = (each(x).view(n, batch, 4, 8) for each in (self.q, self.k, self.v))
        weights = torch.einsum("ibhd,jbhd->ijbh", q, k).div(8**0.5).softmax(self.over)
        return torch.einsum("ijbh,jbhd->ibhd", weights, v).reshape(n, batch, 32)


def captured(module: Any, x: Any, path: Path) -> Capture:
    torch.manual_seed(3)
    for parameter in module.parameters():
        parameter.data.normal_(0.0, 0.4)
    with torch.no_grad():
        plain = module(x)
        with capturing("eager")(path):
            within = module(x)
    assert torch.equal(plain, within)
    return opened(path)


def test_modules_for_each_head_are_the_heads_of_one_layer(tmp_path: Path) -> None:
    layers = torch.nn.Sequential(Heads(), Heads())
    capture = captured(layers, torch.randn(2, 9, 32), tmp_path / "c.safetensors")
    assert capture.layers == (0, 1)
    assert {(head.batch, head.head) for head in capture.heads} == {
        (batch, head) for batch in range(2) for head in range(4)
    }
    for head in capture.heads:
        assert far(capture.read(head), LogitMap(32**-0.5)) < 1e-5


def test_products_by_einsum_are_read_by_their_letters(tmp_path: Path) -> None:
    capture = captured(Einsum(1), torch.randn(9, 2, 32), tmp_path / "c.safetensors")
    assert len(capture.heads) == 8
    for head in capture.heads:
        assert far(capture.read(head), LogitMap(8**-0.5)) < 1e-5
    assert "0.softmax" not in capture.config


def test_a_softmax_over_queries_is_said(tmp_path: Path) -> None:
    capture = captured(Einsum(0), torch.randn(9, 2, 32), tmp_path / "c.safetensors")
    assert capture.config["0.softmax"] == "queries"
    rows = capture.read(capture.heads[3])
    scores = rows.queries @ rows.keys.T / 8**0.5
    columns = np.exp(scores - scores.max(axis=0))
    assert rows.output is not None
    assert np.allclose(columns / columns.sum(axis=0) @ rows.values, rows.output, atol=1e-5)


def test_a_teaching_code_is_captured_as_it_computes(tmp_path: Path) -> None:
    """Scores of three axes, divided in place, and masked; heads are in the batch."""
    q, k, v = (torch.randn(6, 9, 8, generator=torch.manual_seed(seed)) for seed in (1, 2, 3))

    def attend() -> Any:
        scores = torch.bmm(q, k.transpose(1, 2))
        scores /= 4.0
        scores = scores.masked_fill(torch.ones(9, 9).triu(1) > 0, float("-inf"))
        return torch.nn.functional.dropout(scores.softmax(-1), 0.1, training=False) @ v

    with capturing("eager")(tmp_path / "c.safetensors"):
        out = attend()
    rows = opened(tmp_path / "c.safetensors").read(HeadId(0, 0, 5))
    assert np.array_equal(rows.queries, q[5].numpy())
    assert np.array_equal(rows.keys, k[5].numpy())
    assert rows.output is not None
    assert np.array_equal(rows.output, out[5].numpy())
    assert far(rows, LogitMap(0.25)) < 1e-6


def test_where_nothing_is_such_attention_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no softmax stood"), capturing("eager")(tmp_path / "c"):
        torch.nn.functional.softmax(torch.zeros(2, 3, 4), -1)


@pytest.mark.parametrize(("attention", "times"), [("sdpa", 1), ("eager", 2)])
def test_the_slopes_of_falcon_are_promised_once(attention: str, times: int, tmp_path: Path) -> None:
    """Its eager attention adds them in the mask, and again to the scores."""
    given = {"hidden_size": 96, "num_hidden_layers": 1, "vocab_size": 50, "alibi": True,
             "num_attention_heads": 12, "multi_query": False}  # fmt: skip
    torch.manual_seed(3)
    config = transformers.FalconConfig(**given)
    model = transformers.AutoModel.from_config(config, attn_implementation=attention).eval()
    for parameter in model.parameters():
        parameter.data *= 4 if parameter.dim() > 1 else 1
    path = tmp_path / "capture.safetensors"
    with torch.no_grad(), capturing(attention)(path):
        # Beyond position 256, bfloat16 has no odd numbers.
        model(torch.randint(5, 50, (1, 300), generator=torch.manual_seed(0)))
    config.save_pretrained(tmp_path)
    errors = [each.error for each in agreements(tmp_path)]
    assert (max(errors) < 1e-4) == (times == 1), errors
