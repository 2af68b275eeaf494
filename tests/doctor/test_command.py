"""``attn-tui doctor``: every verdict and every exit status, on captures that were simulated."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.fit.simulate import Arithmetic
from tests.doctor.captures import save, tensors, without, write
from tests.doctor.command import HEALTHY, LLAMA, printed, run


def test_a_healthy_capture_agrees_with_status_0(tmp_path: Path, config: str) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY, layers=2)
    result = run(path, "--config", config)
    assert (result.exit_code, result.stderr) == (0, "")
    line = result.stdout.splitlines()[0]
    assert line.startswith("agrees: m = 0.2")
    assert "1/√d_k (d_k = 16)" in line
    assert "4 of 4 heads" in line
    assert "config.json (llama): head_dim 16, m = 1/√16" in line


def test_what_was_found_and_what_was_expected_stand_in_their_columns(tmp_path: Path) -> None:
    made = Arithmetic(32**-0.5, format="float32")
    path = write(tmp_path / "a.safetensors", made, layers=2, d_k=32)
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "head_dim": 32}))
    lines = run(path, "--config", str(tmp_path)).stdout.splitlines()
    begins = next(line for line in lines if line.endswith("  expected")).index("expected")
    row = next(line for line in lines if line.startswith("m "))
    assert row[begins:] == "0.176777 = 1/√32"
    assert len(row) <= 80


def test_without_expectation_the_status_is_0_unless_one_is_required(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    result = run(path)
    assert result.exit_code == 0
    assert result.stdout.startswith("no expectation: m = 0.2")
    assert run(path, "--require").exit_code == 3


def test_heads_that_differ_among_themselves_are_told_apart(tmp_path: Path) -> None:
    def layers(layer: int, _: int) -> Arithmetic:
        return without(HEALTHY, multiplier=1.0) if layer == 1 else HEALTHY

    result = run(write(tmp_path / "a.safetensors", layers, layers=3))
    assert result.exit_code == 0
    line = result.stdout.partition("\n")[0]
    assert line.startswith("no expectation: heads differ: m = 0.2")
    assert "(d_k = 16) in 4 heads of layers 0, 2; m = " in line
    assert "in 2 heads of layer 1; " in line


def test_multipliers_that_lie_apart_are_counted_and_groups_of_them_say_from_where_to_where(
    tmp_path: Path,
) -> None:
    def heads(_: int, head: int) -> Arithmetic:
        return Arithmetic(0.6 * 1.003**head, format="float32")

    text = run(write(tmp_path / "a.safetensors", heads, heads=20)).stdout
    line = text.partition("\n")[0]
    assert line.startswith("no expectation: heads differ, by 20 multipliers, m = 0.6 to 0.635; ")
    groups = re.findall(r"(\d+) heads of layer 0: no expectation, m = (\S+) to (\S+); of", text)
    assert sum(int(count) for count, *_ in groups) == 20
    assert all(1.002 < float(high) / float(low) < 1.011 for _, low, high in groups)
    # What may be one is one, however many there are.
    same = run(write(tmp_path / "b.safetensors", HEALTHY, heads=8)).stdout
    assert "differ" not in same
    assert "8 heads of layer 0: no expectation; of layer 0, head 0:" in same


def test_another_multiplier_differs_with_status_1(tmp_path: Path, config: str) -> None:
    path = write(tmp_path / "a.safetensors", Arithmetic(1 / 24, path="flash"))
    result = run(path, "--config", config)
    assert result.exit_code == 1
    line = result.stdout.splitlines()[0]
    for part in (
        "differs: m = 0.167/√16 = 1/√576: the absorbed MLA dimension? (as in ollama 13893)",
        "expected 0.25 = 1/√16",
        "2 of 2 heads",
        "residual 0.00",
    ):
        assert part in line
    for dialect in ("transformers scaling", "query_pre_attn_scalar", "attention_multiplier",
                    "attention.scale"):  # fmt: skip
        assert dialect in " ".join(result.stdout.split())


def test_one_head_that_differs_among_many_makes_1(tmp_path: Path, config: str) -> None:
    def how(layer: int, head: int) -> Arithmetic:
        return Arithmetic(0.5 if (layer, head) == (1, 1) else 0.25, path="flash")

    result = run(write(tmp_path / "a.safetensors", how, layers=2), "--config", config, "--json")
    assert result.exit_code == 1
    plain = printed(result)
    assert plain["counts"] == {"differs": 1, "agrees": 3}
    assert [head["differs"] for head in plain["heads"]] == [[], [], [], ["multiplier"]]


def test_where_nothing_fits_there_is_no_multiplier_and_status_3(
    tmp_path: Path, config: str
) -> None:
    path = tmp_path / "a.npz"
    random = np.random.default_rng(1)
    parts = {name: random.normal(size=(1, 2, 64, 16)).astype(np.float32) for name in "qkv"}
    np.savez(path, allow_pickle=False, **parts, out=random.normal(size=(1, 2, 64, 16)))
    result = run(str(path), "--config", config, "--json")
    assert result.exit_code == 3
    plain = printed(result)
    assert plain["verdict"] == "cannot tell"
    assert all(head["multiplier"] is None and not head["fits"] for head in plain["heads"])
    assert "nothing fits" in plain["why"][0]


def test_a_row_that_does_not_fit_is_named_and_makes_status_3(tmp_path: Path, config: str) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", lambda layer, head: HEALTHY))
    parts["out"][0, 0, 40] = parts["out"][0, 0, 41]
    path = save(tmp_path / "odd.npz", **parts)
    for arguments in ((path, "--config", config, "--rows", "64"), (path, "--rows", "64")):
        result = run(*arguments)
        assert result.exit_code == 3
        said = "cannot tell: row 40 of the output does not fit what the other 63 rows do, with m"
        assert result.stdout.startswith(said)
    head, other = printed(run(*arguments, "--json"))["heads"]
    assert head["rows"]["odd"] == [40]
    assert head["multiplier"]["value"] == pytest.approx(0.25, rel=1e-3)
    assert (other["rows"]["odd"], other["verdict"]) == ([], "agrees")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no/such.npz",), "no/such.npz"),
        ((), "CAPTURE: none is given"),
        (("{path}", "--layer", "7"), "--layer: there is no layer 7; expected one of 0"),
        (("{path}", "--head", "7"), "--head: there is no head 7; expected one from 0 to 1"),
        (("{path}", "--rows", "0"), "--rows: '0' will not do; expected a whole number from 1"),
        (("{path}", "--config", "no/such"), "--config, 'no/such': there is no such file"),
        (("{path}", "--layout", "out=xyz"), "--layout: "),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    result = run(*(each.format(path=path) for each in arguments))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("attn-tui: ")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_line_says_of_how_many_rows_it_knows(tmp_path: Path, config: str) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    assert (
        "2 of 2 heads, 8 of 64 rows of each, captured: 1 of 2 layers; config"
        in run(path, "--rows", "8", "--config", config).stdout
    )
    for rows in ("64", "all"):
        assert (
            "2 of 2 heads, captured: 1 of 2 layers; config"
            in run(path, "--rows", rows, "--config", config).stdout
        )


def test_heads_that_agree_have_m_from_the_least_to_the_largest(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY, heads=4)
    line = run(path).stdout.splitlines()[0]
    found = [each["multiplier"]["value"] for each in printed(run(path, "--json"))["heads"]]
    ends = re.match(r"no expectation: m = (\S+) to (\S+) = 1/√d_k", line)
    assert ends is not None
    assert [float(each) for each in ends.groups()] == pytest.approx(
        [min(found), max(found)], rel=1e-4
    )


def test_of_a_multiplier_by_row_no_rounding_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", without(HEALTHY, multiplier=np.linspace(0.2, 0.3, 64)))
    result = run(path)
    assert "another for each row" in result.stdout
    assert "it is" not in result.stdout
    (head, *_) = printed(run(path, "--json"))["heads"]
    assert (head["path"], head["paths"]) == (None, [])


def test_the_verdict_says_what_the_other_heads_have(tmp_path: Path, config: str) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", without(HEALTHY, multiplier=0.5), heads=4))
    parts["k"][0, 2:] = parts["k"][0, 2:, :1]
    llama = LLAMA | {"num_attention_heads": 4, "hidden_size": 64}
    Path(config).write_text(json.dumps(llama))
    result = run(save(tmp_path / "b.npz", **parts), "--config", config)
    line = result.stdout.splitlines()[0]
    assert line.startswith("differs: m = 2/√16")
    assert "2 of 4 heads (2 cannot tell), 32" in line


def test_a_configuration_of_another_model_is_bad_input(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    (tmp_path / "config.json").write_text(json.dumps(LLAMA | {"head_dim": 64}))
    result = run(path, "--config", str(tmp_path))
    assert result.exit_code == 2
    assert "its queries are of length 64, and those captured of 16" in result.stderr


def test_a_crash_ends_with_70(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **given: object) -> None:
        raise ZeroDivisionError("by chance")

    monkeypatch.setattr("attn_tui.compute.fit.neighbours.diagnose", fail)
    result = run(write(tmp_path / "a.safetensors", HEALTHY))
    assert result.exit_code == 70
    assert "by chance" in result.stderr
    assert result.stdout == ""


def test_what_of_the_model_was_not_captured_is_said(tmp_path: Path) -> None:
    path, config = write(tmp_path / "a.safetensors", HEALTHY), tmp_path / "llama.json"
    model = {**LLAMA, "num_attention_heads": 8, "hidden_size": 128, "num_hidden_layers": 32}
    config.write_text(json.dumps(model))
    plain = printed(run(path, "--config", str(config), "--json"))
    said = "Of the model there are 1 of 32 layers and 2 of 8 heads of each layer."
    assert said in plain["capture"]["stated"]
    line = run(path, "--config", str(config)).stdout.partition("\n")[0]
    assert ", captured: 1 of 32 layers and 2 of 8 heads of each layer; llama.json" in line
    config.write_text(json.dumps({**LLAMA, "num_hidden_layers": 1}))
    assert "captured:" not in run(path, "--config", str(config)).stdout


def test_an_interrupted_run_prints_what_there_is_and_ends_with_130(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import signal

    from attn_tui.compute.fit.diagnose import diagnose

    calls: list[int] = []

    def fit(*arguments: Any, **given: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return diagnose(*arguments, **given)

    monkeypatch.setattr("attn_tui.compute.fit.neighbours.diagnose", fit)
    result = run(write(tmp_path / "a.safetensors", HEALTHY, layers=2), "--json")
    assert result.exit_code == 130
    plain = printed(result)
    done = len(plain["heads"])
    assert 0 < done < 4
    assert f"stopped before the other {4 - done}" in plain["why"][0]


def test_an_unknown_architecture_is_an_expectation_that_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    (tmp_path / "config.json").write_text(json.dumps(LLAMA | {"model_type": "newest"}))
    result = run(path, "--config", str(tmp_path), "--require")
    assert result.exit_code == 0
    assert "assumed 1/√head_dim" in result.stdout.splitlines()[0]


def test_no_line_but_the_first_is_wider_than_80_columns(tmp_path: Path, config: str) -> None:
    path = write(tmp_path / "a.safetensors", Arithmetic(1 / 24, path="flash"))
    _, *lines = run(path, "--config", config).stdout.splitlines()
    shown = [line for line in lines if str(tmp_path) not in line]
    assert max(map(len, shown)) <= 80


def test_a_model_that_multiplies_in_tf32_agrees_and_that_is_said(
    tmp_path: Path, config: str
) -> None:
    made = Arithmetic(0.25, format="float32", path="tf32")
    path = write(tmp_path / "a.safetensors", made)
    result = run(path, "--config", config)
    assert result.stdout.startswith("agrees: m = 0.2")
    said = " ".join(result.stdout.split())
    assert "(TF32 rounding alone: " in said
    assert "; it was computed in TF32" in said
    (head, *_) = printed(run(path, "--config", config, "--json"))["heads"]
    assert (head["path"], head["paths"]) == ("tf32", ["tf32"])
    assert head["rounding"]["flash"] is None
    assert head["rounding"]["tf32"] > 100 * head["rounding"]["float32"]


def test_float32_tensors_of_values_of_16_bits_are_taken_for_these(
    tmp_path: Path, config: str
) -> None:
    path = save(tmp_path / "a.npz", **tensors(write(tmp_path / "a.safetensors", HEALTHY)))
    result = run(path, "--config", config)
    assert result.stdout.startswith("agrees: m = 0.2")
    assert "These are float32 tensors of bfloat16 values." in " ".join(result.stdout.split())
    (head, *_) = printed(run(path, "--config", config, "--json"))["heads"]
    assert (head["path"], head["rounding"]["tf32"]) == ("flash", None)
