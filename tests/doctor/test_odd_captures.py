"""The command of the doctor on captures of odd layouts, padded, shared or infinite."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.fit.simulate import Arithmetic, computed
from attn_tui.compute.heads.rows import HeadRows
from tests.doctor.captures import save, tensors, write
from tests.doctor.command import HEALTHY, LLAMA, call, printed, run


def test_heads_in_one_axis_are_those_of_the_configuration(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY, layers=2)
    every, fused = slice(None), {}
    for layer in (0, 1):
        for part, tensor in open_capture([path]).tensors(layer).items():
            numbers = [tensor.pieces[0].take((0, head, every, every)) for head in range(2)]
            fused[f"{layer}.{part}"] = np.concatenate(numbers, 1)[None]
    write_safetensors(path, fused)
    (config := tmp_path / "config.json").write_text(json.dumps(LLAMA))
    result = run(path, "--config", str(config))
    assert result.stdout.startswith("agrees: m = 0.2")
    assert "4 of 4 heads" in result.stdout
    said = " ".join(result.stdout.split())
    assert "The heads are those of the configuration: --layout 'q=bn(2d),k=bn(2d)," in said
    # What is of no such heads either stays another model's.
    config.write_text(json.dumps({**LLAMA, "head_dim": 24}))
    result = run(path, "--config", str(config))
    assert (result.exit_code, "its queries are of length 24" in result.stderr) == (2, True)


def test_rows_of_zeros_are_left_out_and_counted(tmp_path: Path) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    parts["out"][0, 1, 40] = 0
    parts["out"][0, :, :3] = 0
    parts["out"][0, :, 60:] = 0
    path = save(tmp_path / "odd.npz", **parts)
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "num_hidden_layers": 1}))
    result = run(path, "--rows", "64", "--config", str(tmp_path))
    assert result.stdout.startswith("agrees: m = ")
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert "layer 0, head 1: 8 rows of the output are all 0 and are left out" in said
    heads = printed(run(path, "--rows", "64", "--json"))["heads"]
    assert [(each["rows"]["used"], each["rows"]["odd"]) for each in heads] == [(57, []), (56, [])]


def test_heads_whose_keys_are_infinite_are_read_as_the_others(tmp_path: Path) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY, heads=4))
    for name in "kv":
        parts[name] = parts[name][:, ::2]
    parts["k"][0, 0] = np.inf
    result = run(save(tmp_path / "odd.npz", **parts), "--json", "--head", "1")
    (head,) = printed(result)["heads"]
    assert (head["kv_head"], head["rows"]["used"]) == (0, 0)


def test_an_output_without_values_is_bad_input(tmp_path: Path) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    del parts["v"]
    result = run(save(tmp_path / "b.npz", **parts))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "0.v is missing" in result.stderr


@pytest.mark.parametrize(
    ("lost", "problem"),
    [
        ({"1.out"}, "layer 1 has nothing that attention returned"),
        ({"1.v"}, "1.v is missing"),
    ],
)
def test_a_layer_without_output_stops_no_other(
    lost: set[str], problem: str, tmp_path: Path, config: str
) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    layers = {f"{layer}.{part}": each for layer in range(2) for part, each in parts.items()}
    path = save(tmp_path / "b.npz", **{k: v for k, v in layers.items() if k not in lost})
    result = run(path, "--config", config)
    assert (result.exit_code, result.stderr) == (3, "")
    line = result.stdout.splitlines()[0]
    assert (
        line
        == f"cannot tell: {problem}; 2 of 4 heads (all of layer 1; 2 agree); "
        + line.rpartition("; ")[2]
    )
    assert "2 heads of layer 0: agrees" in result.stdout
    heads = printed(run(path, "--config", config, "--json"))["heads"]
    assert [each["verdict"] for each in heads] == ["agrees"] * 2 + ["cannot tell"] * 2
    alone = run(path, "--layer", "1")
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert problem in alone.stderr


def test_an_output_that_may_be_turned_is_read_as_it_fits(tmp_path: Path, config: str) -> None:
    """As many heads as positions as dimensions, and the output as transformers returns it."""
    how = Arithmetic(0.25, format="float32")
    made = tensors(write(tmp_path / "a.safetensors", how, heads=16, n_keys=16))
    path = save(tmp_path / "b.npz", **made | {"out": np.swapaxes(made["out"], 1, 2)})
    (tmp_path / "config.json").write_text(json.dumps(LLAMA | {"num_attention_heads": 16}))
    result = run(path, "--config", config)
    assert result.exit_code == 0, result.stdout
    assert "16 of 16 heads" in result.stdout
    heads = call("heads", path).stdout
    assert "misses the output by almost nothing" in " ".join(heads.split())


def test_zeros_that_pad_a_head_are_no_other_model(tmp_path: Path, config: str) -> None:
    made = tensors(write(tmp_path / "a.safetensors", Arithmetic(0.25, format="float32")))
    padding = ((0, 0), (0, 0), (0, 0), (0, 16))
    padded = {part: np.pad(made[part], padding) for part in "qk"}
    assert run(save(tmp_path / "b.npz", **made | padded), "--config", config).exit_code == 0
    padded["q"][0, 0, 0, 20] = 1.0
    assert run(save(tmp_path / "c.npz", **made | padded), "--config", config).exit_code == 2


def test_keys_that_heads_share_are_found(tmp_path: Path) -> None:
    how = Arithmetic(0.25, format="float32")
    made = tensors(write(tmp_path / "a.safetensors", how, heads=4))

    def out(of: tuple[int, ...]) -> Any:
        every = []
        for head, kv in enumerate(of):
            k, v = made["k"][0, kv], made["v"][0, kv]
            rows = HeadRows(np.arange(64), 64, made["q"][0, head], k, v)
            every.append(np.asarray(computed(rows, how).output))
        return np.stack(every)[None]

    for of, shared in (((0, 0, 1, 1), [0, 0, 1, 1]), ((0, 1, 0, 1), [0, 1, 0, 1])):
        parts = made | {"k": made["k"][:, :2], "v": made["v"][:, :2], "out": out(of)}
        plain = printed(run(save(tmp_path / "b.npz", **parts), "--json"))
        assert [head["kv_head"] for head in plain["heads"]] == shared
        assert plain["counts"] == {"no expectation": 4}


@pytest.mark.parametrize(("factor", "said"), [(np.nan, "NaN"), (0.0, "all 0")])
def test_where_no_row_can_be_used_nothing_is_tested_or_suspected(
    tmp_path: Path, factor: float, said: str
) -> None:
    extra = {"0.out": np.full((1, 4, 64, 16), factor, np.float32)}
    path = write(tmp_path / "a.safetensors", HEALTHY, heads=4, extra=extra)
    result = run(path)
    assert result.exit_code == 3
    line = f"cannot tell: the output is {said} in every row; 4 of 4 heads"
    assert result.stdout.partition("\n")[0] == line
    for word in ("residual", "tested", "Only a few fits were tried"):
        assert word not in result.stdout
    assert printed(run(path, "--json"))["verdict"] == "cannot tell"
