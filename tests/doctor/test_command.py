"""``attn-tui doctor``: every verdict and every exit status, on captures that were simulated."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program
from attn_tui.compute.fit.simulate import Arithmetic
from tests.doctor.captures import without, write

LLAMA = {
    "model_type": "llama",
    "num_attention_heads": 2,
    "hidden_size": 32,
    "head_dim": 16,
    "num_hidden_layers": 2,
}
HEALTHY = Arithmetic(0.25, path="flash")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["doctor", *arguments])


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA))
    return str(path)


def printed(result: Result) -> dict[str, Any]:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    plain: dict[str, Any] = json.loads(result.stdout, parse_constant=refuse)
    return plain


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
    assert (other["rows"]["odd"], other["verdict"]) == ([], "no expectation")


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


def test_a_row_of_zeros_between_others_is_named_and_padding_is_not(tmp_path: Path) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    parts["out"][0, 1, 40] = 0
    parts["out"][0, :, :3] = 0
    parts["out"][0, :, 60:] = 0
    result = run(save(tmp_path / "odd.npz", **parts), "--rows", "64")
    assert result.exit_code == 3
    said = "cannot tell: row 40 of the output does not fit what the other 56 rows do, with m"
    assert result.stdout.startswith(said)
    assert "; 1 of 2 heads (layer 0, head 1; 1 fits)\n" in result.stdout


def test_the_line_says_of_how_many_rows_it_knows(tmp_path: Path, config: str) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    assert (
        "2 of 2 heads, 8 of 64 rows of each; config"
        in run(path, "--rows", "8", "--config", config).stdout
    )
    for rows in ("64", "all"):
        assert "2 of 2 heads; config" in run(path, "--rows", rows, "--config", config).stdout


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
    assert line == f"cannot tell: {problem}; 2 of 4 heads (2 agree); " + line.rpartition("; ")[2]
    assert "2 heads of layer 0: agrees" in result.stdout
    heads = printed(run(path, "--config", config, "--json"))["heads"]
    assert [each["verdict"] for each in heads] == ["agrees"] * 2 + ["cannot tell"] * 2
    alone = run(path, "--layer", "1")
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert problem in alone.stderr


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


def tensors(path: str) -> dict[str, Any]:
    """The tensors of a capture's layer 0, in float32."""
    from attn_tui.captures.capture import HeadId
    from attn_tui.captures.opening import open_capture

    capture = open_capture([path])
    heads = [capture.read(each) for each in capture.heads]
    assert isinstance(capture.heads[0], HeadId)
    parts = {"q": "queries", "k": "keys", "v": "values", "out": "output"}
    return {part: np.stack([getattr(h, name) for h in heads])[None] for part, name in parts.items()}


def save(path: Path, **parts: Any) -> str:
    np.savez(path, allow_pickle=False, **parts)
    return str(path)


def test_the_layout_that_fits_is_found_where_shapes_leave_it_open(
    tmp_path: Path, config: str
) -> None:
    """As many heads as positions: q is [b, h, n, d], the output [b, n, h, d]."""
    made = tensors(
        write(tmp_path / "a.safetensors", Arithmetic(0.25, format="float32"), heads=16, n_keys=16)
    )
    path = save(tmp_path / "b.npz", **made | {"out": np.swapaxes(made["out"], 1, 2)})
    (tmp_path / "config.json").write_text(json.dumps(LLAMA | {"num_attention_heads": 16}))
    result = run(path, "--config", config)
    assert result.exit_code == 0, result.stdout
    assert "16 of 16 heads" in result.stdout


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
    from attn_tui.compute.fit.simulate import computed
    from attn_tui.compute.heads.rows import HeadRows

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
