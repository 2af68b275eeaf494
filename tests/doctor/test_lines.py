"""What a line says beside the verdict: the cause, the next step, and what contradicts itself."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from attn_tui.captures.opening import open_capture
from attn_tui.compute.fit.simulate import computed
from attn_tui.compute.heads.mask import HeadMask, upper_triangle
from tests.doctor.captures import save, tensors, write
from tests.doctor.command import HEALTHY, LLAMA, run


def test_captured_weights_that_do_not_give_the_output_are_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    logits = np.einsum("bhqd,bhkd->bhqk", parts["q"], parts["k"]) / 4.0
    own, key = np.arange(64)[:, None], np.arange(64)
    for m, start in ((1.0, "agrees: "), (0.0, "cannot tell: the captured weights do not give")):
        exponentials = np.where(key <= own, np.exp(m * logits), 0.0)
        weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
        path = save(tmp_path / "b.npz", **parts, weights=weights.astype(np.float32))
        assert run(path, "--config", str(tmp_path)).stdout.startswith(start)


@pytest.mark.parametrize("is_captured", [False, True])
@pytest.mark.parametrize("model_type", ["llama", "bert"])
def test_the_upper_triangle_with_its_diagonal_is_named(
    tmp_path: Path, model_type: str, is_captured: bool
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA | {"model_type": model_type}))
    mask = upper_triangle(HeadMask())
    extra = {"0.mask": np.triu(np.ones((1, 1, 64, 64), bool))} if is_captured else {}
    path = write(tmp_path / "a.safetensors", replace(HEALTHY, mask=mask), extra=extra)
    line = run(path, "--config", str(tmp_path)).stdout.partition("\n")[0]
    start = "differs: the captured mask is the" if is_captured else "differs: mask the"
    assert line.startswith(f"{start} upper triangle, promised ")
    assert "triu in place of tril" in line


def test_an_honest_output_beside_an_inverted_mask_sees_what_it_should(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    extra = {"0.mask": np.triu(np.ones((1, 1, 64, 64), bool), 1)}
    path = write(tmp_path / "a.safetensors", HEALTHY, extra=extra)
    line = run(path, "--config", str(tmp_path)).stdout
    assert line.startswith("differs: the captured mask is inverted, promised causal: it marks")


@pytest.mark.slow
def test_what_cannot_be_told_comes_with_a_next_step(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    other = np.random.default_rng(1).standard_normal(parts["out"].shape)
    path = save(tmp_path / "b.npz", **parts | {"out": other})
    line = run(path, "--config", str(tmp_path)).stdout.partition("\n")[0]
    assert "none comes near it: is `out` what attention gave, before the projection?" in line
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "t5", "num_heads": 2,
                                                      "d_kv": 16, "d_model": 32}))  # fmt: skip
    line = run(path, "--config", str(tmp_path)).stdout.partition("\n")[0]
    assert line.startswith("cannot tell: ")
    assert "capture `bias`" in line


def test_a_promised_cap_that_rounding_could_hide_differs_where_nothing_was_rounded(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "a.safetensors", replace(HEALTHY, path="float32"), logit_std=4.0)
    line = run(path, "--expect", "m=0.25,softcap=50,mask=causal").stdout
    assert line.startswith("differs: soft cap none, promised 50")


@pytest.mark.slow
@pytest.mark.parametrize(("mask", "name"), [
    (HeadMask("none"), "none"), (HeadMask("window", 0, 7), "window of 7 keys"),
])  # fmt: skip
def test_the_mask_beside_a_promised_m_is_named_as_not_promised(
    tmp_path: Path, mask: HeadMask, name: str
) -> None:
    path = write(tmp_path / "a.safetensors", replace(HEALTHY, mask=mask))
    line = run(path, "--expect", "m=0.25").stdout.partition("\n")[0]
    assert line.startswith("agrees: m = 0.2")
    assert f"as promised, mask {name} (not promised)" in line


def test_a_configuration_beside_a_capture_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama", ')
    line = run(write(tmp_path / "a.safetensors", HEALTHY)).stdout.partition("\n")[0]
    assert line.startswith("no expectation: ")
    assert "config.json beside it is no configuration" in line


def test_no_rule_of_kv_heads_is_stated_where_heads_break_it(tmp_path: Path) -> None:
    config = LLAMA | {"num_attention_heads": 4, "hidden_size": 64, "num_key_value_heads": 2}
    (tmp_path / "config.json").write_text(json.dumps(config))
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY, heads=4))
    few = {part: parts[part][:, :2] for part in ("k", "v")}
    capture = open_capture([save(tmp_path / "c.npz", q=parts["q"], **few)])
    outputs = []
    for number in range(4):
        keys, values = (few[part][0, number % 2] for part in ("k", "v"))
        head = replace(capture.read(HeadId(0, 0, number)), keys=keys, values=values)
        outputs.append(np.asarray(computed(head, HEALTHY).output))
    path = save(tmp_path / "b.npz", q=parts["q"], **few, out=np.stack(outputs)[None])
    text = run(path, "--config", str(tmp_path)).stdout
    assert text.startswith("differs: head 1 has KV head 1")
    assert "as the output says" not in text
