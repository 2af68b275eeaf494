"""``attn-tui doctor``: every verdict and every exit status, on simulated captures."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.commands import doctor
from attn_tui.compute.fit.simulate import Arithmetic
from tests.doctor.captures import save, tensors, without, write
from tests.doctor.command import HEALTHY, LLAMA, printed, run
from tests.pairs import slow_after


def test_a_healthy_capture_agrees_with_status_0(tmp_path: Path, config: str) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY, layers=2)
    result = run(path, "--config", config)
    assert (result.exit_code, result.stderr) == (0, "")
    line = result.stdout.splitlines()[0]
    assert line.startswith("agrees: m = 0.2")
    assert "1/√d_k (d_k = 16)" in line
    assert "4 of 4 heads" in line
    assert "config.json (llama): head_dim 16, m = 1/√16" in line


def test_what_was_observed_and_what_was_promised_stand_in_their_columns(tmp_path: Path) -> None:
    made = Arithmetic(32**-0.5, format="float32")
    path = write(tmp_path / "a.safetensors", made, layers=2, d_k=32)
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "head_dim": 32}))
    lines = run(path, "--config", str(tmp_path)).stdout.splitlines()
    begins = next(line for line in lines if line.endswith("  promised")).index("promised")
    row = next(line for line in lines if line.startswith("m "))
    assert row[begins:] == "0.176777 = 1/√32"
    assert max(len(line) for line in lines[1:] if str(tmp_path) not in line) <= 80


def test_on_a_terminal_no_line_is_longer_than_it_and_a_pipe_gets_the_verdict_in_one(
    tmp_path: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    piped = run(path, "--config", config).stdout.partition("\n\n")[0]
    assert "\n" not in piped
    monkeypatch.setattr(doctor, "terminal_columns", lambda: 50)
    wrapped = run(path, "--config", config).stdout.partition("\n\n")[0].split("\n")
    assert len(wrapped) > 1
    assert max(map(len, wrapped)) <= 50
    assert " ".join(wrapped) == piped


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
    assert line.startswith("no expectation: m = 0.2")
    assert "6 of 6 heads (all of layers 0, 2 so; 2 heads of layer 1: m = 1, four times" in line


def test_another_multiplier_differs_with_status_1(tmp_path: Path, config: str) -> None:
    path = write(tmp_path / "a.safetensors", Arithmetic(1 / 24, path="flash"))
    result = run(path, "--config", config)
    assert result.exit_code == 1
    line = result.stdout.splitlines()[0]
    for part in (
        "differs: m = 0.04167 = 1/√576 in both heads, promised 0.25 = 1/√16: "
        "the absorbed MLA dimension? (as in ollama 13893)",
        "2 of 2 heads",
        "with that, residual up to 0.00",
    ):
        assert part in line
    for dialect in ("scaling = 0.04167 in", "query_pre_attn_scalar", "attention_multiplier",
                    "attention.scale"):  # fmt: skip
        assert dialect in " ".join(result.stdout.split())


def test_where_no_model_fits_there_is_no_multiplier_and_status_3(
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
    assert all(head["multiplier"] is None and head["residual"] > 1 for head in plain["heads"])
    assert plain["why"][0].startswith(
        "cannot tell: no multiplier, cap, sink or mask gives this output, and none comes near it; "
    )


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        (("no/such.npz",), "no/such.npz"),
        ((), "CAPTURE: none is given"),
        (("{path}", "--layer", "7"), "--layer: there is no layer 7; expected one of 0"),
        (("{path}", "--head", "7"), "--head: there is no head 7; expected one from 0 to 1"),
        (("{path}", "--rows", "0"), "--rows: '0' will not do; expected a whole number from 1"),
        (("{path}", "--config", "no/such"), "--config, 'no/such': there is no such file"),
        (("{path}", "--expect", ""), "--expect: '' means nothing"),
        (("{path}", "--layout", "out=xyz"), "--layout: "),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    tmp_path: Path, arguments: tuple[str, ...], phrase: str
) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    result = run(*(argument.format(path=path) for argument in arguments))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("attn-tui: ")
    assert phrase in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_line_says_of_how_many_rows_it_knows(tmp_path: Path, config: str) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    assert (
        "2 of 2 heads, 8 of 64 rows of each; config"
        in run(path, "--rows", "8", "--config", config).stdout
    )
    for rows in ("64", "all"):
        line = run(path, "--rows", rows, "--config", config).stdout.splitlines()[0]
        assert "2 of 2 heads, all 64 rows of each; config" in line


@pytest.mark.slow
def test_heads_that_agree_have_m_from_the_least_to_the_largest(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY, heads=4)
    line = run(path).stdout.splitlines()[0]
    multipliers = [each["multiplier"][0] for each in printed(run(path, "--json"))["heads"]]
    ends = re.match(r"no expectation: m = (\S+) to (\S+) = 1/√d_k", line)
    assert ends is not None
    assert [float(each) for each in ends.groups()] == pytest.approx(
        [min(multipliers), max(multipliers)], rel=1e-4
    )


@pytest.mark.slow
def test_the_verdict_says_what_the_other_heads_have(tmp_path: Path, config: str) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", without(HEALTHY, multiplier=0.5), heads=4))
    parts["out"][0, 2:] = np.roll(parts["out"][0, 2:], 1, axis=-1)
    llama = LLAMA | {"num_attention_heads": 4, "hidden_size": 64}
    Path(config).write_text(json.dumps(llama))
    result = run(save(tmp_path / "b.npz", **parts), "--config", config)
    line = result.stdout.splitlines()[0]
    assert line.startswith("differs: m = 0.5 = 1/⁴√16 in 2 heads of layer 0, promised 0.25 = 1/√16")
    assert "2 of 4 heads (2 heads of layer 0: cannot tell, no multiplier, cap, sink or mask" in line


def test_a_crash_ends_with_70(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **given: object) -> None:
        raise ZeroDivisionError("by chance")

    monkeypatch.setattr("attn_tui.doctor.examine.explain", fail)
    result = run(write(tmp_path / "a.safetensors", HEALTHY))
    assert result.exit_code == 70
    assert "by chance" in result.stderr
    assert result.stdout == ""


def test_an_interrupted_run_prints_what_there_is_and_ends_with_130(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import signal

    from attn_tui.compute.fit.explain import explain

    calls: list[int] = []

    def fit(*arguments: Any, **given: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return explain(*arguments, **given)

    monkeypatch.setattr("attn_tui.doctor.examine.explain", fit)
    result = run(write(tmp_path / "a.safetensors", HEALTHY, layers=2), "--json")
    assert result.exit_code == 130
    plain = printed(result)
    done = len(plain["heads"])
    assert 0 < done < 4
    assert f"stopped before the other {4 - done}" in plain["why"][0]


@pytest.mark.slow
def test_tf32_has_room_only_where_an_option_or_the_metadata_says_so(
    tmp_path: Path, config: str
) -> None:
    made = Arithmetic(0.25, format="float32", path="tf32")
    path = write(tmp_path / "a.safetensors", made)
    assert run(path, "--config", config).exit_code == 3
    result = run(path, "--config", config, "--tf32")
    assert result.stdout.startswith("agrees: m = 0.2")
    assert "(TF32 rounding alone: " in " ".join(result.stdout.split())
    declared = write(tmp_path / "b.safetensors", made, metadata={"tf32": "true"})
    assert run(declared, "--config", config).exit_code == 0


def test_float32_tensors_of_values_of_16_bits_are_taken_for_these(
    tmp_path: Path, config: str
) -> None:
    path = save(tmp_path / "a.npz", **tensors(write(tmp_path / "a.safetensors", HEALTHY)))
    result = run(path, "--config", config)
    assert result.stdout.startswith("agrees: m = 0.2")
    assert "These are float32 tensors of bfloat16 values." in " ".join(result.stdout.split())
    plain = printed(run(path, "--config", config, "--json", "--evidence"))
    assert plain["heads"][0]["models"][0]["paths"] == ["flash"]


@pytest.mark.slow
def test_json_has_at_most_500_bytes_a_head_unless_evidence_is_asked_for(
    tmp_path: Path, config: str
) -> None:
    path = write(tmp_path / "a.safetensors", without(HEALTHY, multiplier=0.5))
    short, long = (
        run(path, "--config", config, "--json", *more).stdout for more in ([], ["--evidence"])
    )
    plain = json.loads(short)
    assert all(len(json.dumps(head)) <= 500 for head in plain["heads"])
    assert len(long) > len(short) + 1000
    (head, _) = json.loads(long)["heads"]
    assert head["models"][0]["changes"] == ["multiplier"]
    assert set(head["where"]) == {"row", "key", "channel"}


@pytest.mark.parametrize(
    ("expect", "status", "phrase"),
    slow_after(
        1,
        [
            ("m=1/sqrt(d_k)", 0, "agrees: m = "),
            ("m=1/sqrt(16),mask=causal,softcap=none,sink=none", 0, "mask causal as promised"),
            (
                "m=1/d_k",
                1,
                "in both heads, promised 0.0625 = 1/16: the default 1/√d_k of the captured d_k?",
            ),
            ("m=0.25,window=20", 1, "mask causal, promised window of 20 keys: was the window drop"),
            ("m=0.25,window=64", 0, "mask causal within the window of 64 keys as promised"),
            ("chunk=16", 1, "promised causal in chunks of 16 keys"),
            ("mask=none", 1, "mask causal, promised none"),
        ],
    ),
)
def test_what_is_typed_is_promised(tmp_path: Path, expect: str, status: int, phrase: str) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY)
    result = run(path, "--expect", expect)
    line = result.stdout.partition("\n")[0]
    assert result.exit_code == status
    assert phrase in line
    assert line.endswith(f"--expect {expect}")


@pytest.mark.parametrize(
    ("option", "value", "phrase"),
    [
        ("--expect", "m=", "'m=' means nothing; expected parts with commas between"),
        ("--expect", "m=1/0", "'m=1/0' means nothing"),
        ("--expect", "m=1e300", "means nothing"),
        ("--expect", "softcap=-5", "'softcap=-5' means nothing"),
        ("--expect", "window=0", "'window=0' means nothing"),
        ("--expect", "colour=red", "'colour=red' means nothing"),
        ("--expect", ",", "means nothing"),
        (
            "--assume",
            "luck",
            "'luck' is none of them; expected padding, packed, prefix, float8 or int8",
        ),
    ],
)
def test_an_expectation_that_means_nothing_is_one_line_and_status_2(
    tmp_path: Path, option: str, value: str, phrase: str
) -> None:
    result = run(write(tmp_path / "a.safetensors", HEALTHY), option, value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert phrase in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_configuration_of_another_architecture_is_refused_or_noted(tmp_path: Path) -> None:
    # A configuration in a folder other than that of the capture.
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.json").write_text(json.dumps(LLAMA | {"model_type": "gemma2"}))
    path = write(tmp_path / "a.safetensors", HEALTHY, metadata={"model_type": "llama"})
    result = run(path, "--config", str(tmp_path / "other"))
    assert result.exit_code == 2
    assert "it is of gemma2, and the capture says llama" in result.stderr
    plain = write(tmp_path / "b.safetensors", HEALTHY)
    (tmp_path / "config.json").write_text(json.dumps(LLAMA | {"head_dim": 64}))
    result = run(plain)
    assert result.stdout.startswith("no expectation: ")
    text = " ".join(result.stdout.split())
    assert "config.json beside it is of another model: its queries are of length 64" in text
