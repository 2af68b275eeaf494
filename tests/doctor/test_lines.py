"""What a line says beside the verdict: the cause, the next step, and what contradicts itself."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from attn_tui.captures.opening import open_capture
from attn_tui.compute.fit.simulate import computed
from attn_tui.compute.heads.head_model import Alibi
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


def test_an_upper_triangle_in_place_of_a_long_window_has_a_short_line(tmp_path: Path) -> None:
    config = LLAMA | {"model_type": "mistral", "sliding_window": 4096}
    (tmp_path / "config.json").write_text(json.dumps(config))
    extra = {"0.mask": np.triu(np.ones((1, 1, 64, 64), bool))}
    path = write(tmp_path / "a.safetensors", HEALTHY, extra=extra)
    first, _, _ = run(path, "--config", str(tmp_path)).stdout.partition("; ")
    assert first.endswith("promised window of 4,096 keys: triu in place of tril, diagonal kept?")
    assert len(first) <= 120


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
    assert "none comes near it; is `out` what attention gave, before the projection?" in line
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


@pytest.mark.slow
def test_a_sentence_about_heads_holds_for_each_of_them(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    parts["out"][0, 0, 30, 3] = 4.0
    parts["out"][0, 1, [20, 40, 50], 3] = 4.0
    line = run(save(tmp_path / "b.npz", **parts), "--config", str(tmp_path)).stdout
    assert "s: 1 to 3 of 64 rows are not what is promised; the others are; 2 of 2 heads" in line


@pytest.mark.slow
def test_the_closest_model_of_several_heads_is_that_of_none_alone(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    out = parts["out"]
    out[0, 0] += 0.5 * out[0, 0, :, ::-1]
    out[0, 1] += 0.2 * out[0, 1, :, ::-1]
    line = run(save(tmp_path / "b.npz", **parts), "--config", str(tmp_path)).stdout
    missed = re.match("cannot tell: .* misses ([0-9.]+) % to ([0-9.]+) % of it; 2 of 2 heads", line)
    assert missed is not None, line
    assert float(missed[1]) < 30 < float(missed[2])


def test_nan_is_said_once_and_is_not_what_no_model_explains(tmp_path: Path) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    parts["out"][0, 1, 10:13] = np.nan
    text = run(save(tmp_path / "b.npz", **parts)).stdout
    assert "cause        the output is NaN in 3 of 64 rows (rows 10 to 12)" in text
    assert "no multiplier, cap, sink or mask" not in text
    assert "promised" not in text.partition("\n")[0].replace("(not promised)", "")


def test_ranks_that_were_joined_are_named_in_the_line(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.safetensors", HEALTHY) for name in "ab"]
    assert "; 2 files read as ranks of one capture" in run(*paths).stdout.partition("\n")[0]
    assert "ranks of one capture" not in run(paths[0]).stdout


def test_the_line_says_which_option_makes_the_status_another_than_its_verdict(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    required = run(path, "--require")
    assert required.exit_code == 3
    assert "; status 3 by --require: nothing promises m" in required.stdout.partition("\n")[0]
    failed = run(path, "--expect", "m=1/4", "--fail-if", "residual > 0")
    assert failed.exit_code == 1
    line = failed.stdout.partition("\n")[0]
    assert line.startswith("agrees: ")
    assert "; status 1 by --fail-if 'residual > 0': so in 2 heads" in line


@pytest.mark.slow
def test_what_is_promised_stands_in_its_column_beside_a_long_m(tmp_path: Path) -> None:
    config = LLAMA | {
        "model_type": "llama4_text", "attn_temperature_tuning": True, "attn_scale": 0.1,
        "floor_scale": 8, "layer_types": ["full_attention"],
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    growing = 1.0 + 0.1 * np.log(np.floor((np.arange(64) + 1.0) / 8.0) + 1.0)
    path = write(tmp_path / "a.safetensors", replace(HEALTHY, multiplier=0.25 * growing))
    lines = run(path, "--config", str(tmp_path)).stdout.splitlines()
    assert "m grows as Llama 4's" in lines[0]
    assert ", promised 0.25 = 1/√16: " in lines[0]
    header = next(line for line in lines if line.lstrip().startswith("observed"))
    column = header.index("promised")
    for label, promised in (("m ", "0.25 = 1/√16"), ("soft cap", "none"), ("mask", "causal")):
        row = next(line for line in lines[2:] if line.startswith(label) and "  " in line)
        assert row[column:] == promised, row
    assert max(map(len, lines[1:])) <= 80


def test_a_mask_alone_is_said_to_be_as_promised_where_m_is_not(tmp_path: Path) -> None:
    line = run(write(tmp_path / "a.safetensors", HEALTHY), "--expect", "mask=causal").stdout
    assert line.startswith("no expectation: m = ")
    assert ", mask causal as promised; give --config or --expect m=… to compare" in line


def test_a_promised_root_is_written_without_its_decimals_where_the_line_is_long(
    tmp_path: Path,
) -> None:
    """The cause is worth more than a number that its root says as well."""
    granite = LLAMA | {"model_type": "granite", "head_dim": 128, "hidden_size": 256}
    lines = []
    for m in (168**-0.5, 0.25):
        (tmp_path / "config.json").write_text(json.dumps(granite | {"attention_multiplier": m}))
        how, metadata = replace(HEALTHY, multiplier=m), {"0.scale": str(128**-0.5)}
        path = write(tmp_path / "a.safetensors", how, d_k=128, metadata=metadata)
        lines.append(run(path, "--config", str(tmp_path)).stdout.partition("; ")[0])
    start = "differs: the call was given the scale 0.0883883 = 1/√128, promised "
    cause = ": the default 1/√d_k of the captured d_k"
    assert lines == [f"{start}1/√168{cause}", f"{start}0.25 = 1/√16{cause}"]


@pytest.mark.slow
def test_slopes_of_alibi_that_nothing_promises_are_one_cause_in_all_heads(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    capture, outputs = open_capture([write(tmp_path / "a.safetensors", HEALTHY)]), []
    for number, slope in enumerate((0.25, 0.0625)):
        head = capture.read(HeadId(0, 0, number))
        bias = Alibi(slope).bias(head, HeadMask("causal"))
        outputs.append(np.asarray(computed(replace(head, bias=bias), HEALTHY).output))
    parts = tensors(capture.paths[0]) | {"out": np.stack(outputs)[None]}
    line = run(save(tmp_path / "b.npz", **parts), "--config", str(tmp_path)).stdout
    assert re.match(
        r"differs: a bias of slope 0\.06\d* to 0\.2\d* that falls with the distance \(ALiBi\) is "
        "added; 2 of 2 heads, ", line,
    ), line  # fmt: skip


def test_layers_that_are_promised_another_m_do_not_leave_m_open(tmp_path: Path) -> None:
    gpt2 = {
        "model_type": "gpt2", "n_head": 2, "n_embd": 32, "n_layer": 2,
        "scale_attn_by_inverse_layer_idx": True,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(gpt2))
    path = write(
        tmp_path / "a.safetensors",
        lambda layer, head: replace(HEALTHY, multiplier=0.25 / (layer + 1)), layers=2,
    )  # fmt: skip
    line = run(path, "--config", str(tmp_path)).stdout.partition("\n")[0]
    assert line.startswith("agrees: m = 0.12")
    assert "to within" not in line


def test_layers_that_agree_are_named_beside_a_part_of_the_model_that_is_not_known(
    tmp_path: Path,
) -> None:
    vision = {"model_type": "painter", "num_attention_heads": 2, "hidden_size": 32}
    config = {"model_type": "painter_vl", "text_config": LLAMA, "vision_config": vision}
    (tmp_path / "config.json").write_text(json.dumps(config))
    modules = ("language_model.layers.0", "language_model.layers.1", "visual.blocks.0")
    kinds = ("llama", "llama", "painter")
    metadata = {
        f"{layer}.{name}": text
        for name, texts in (("module", modules), ("config", kinds))
        for layer, text in enumerate(texts)
    }
    path = write(tmp_path / "a.safetensors", HEALTHY, layers=3, metadata=metadata)
    line = run(path, "--config", str(tmp_path)).stdout.partition("\n")[0]
    assert line.startswith("no expectation: m = 0.2")
    assert "2 of 6 heads (all of layer 2; 4 heads of layers 0–1 agree)" in line
