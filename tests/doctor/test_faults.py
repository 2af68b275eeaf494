"""Faults that people met, simulated: the doctor names each one and exits with its status."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program
from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.fit.simulate import Arithmetic, computed
from attn_tui.compute.heads.mask import HeadMask
from tests.doctor.captures import save, tensors, write
from tests.doctor.command import run
from tests.pairs import slow_after

SHAPE = {"num_attention_heads": 2, "hidden_size": 32, "head_dim": 16, "num_hidden_layers": 2}
LLAMA = SHAPE | {"model_type": "llama"}
GEMMA = SHAPE | {"model_type": "gemma2", "query_pre_attn_scalar": 16, "sliding_window": 24}
GPT_OSS = SHAPE | {"model_type": "gpt_oss", "sliding_window": 24}
BERT = SHAPE | {"model_type": "bert"}
OPT = SHAPE | {"model_type": "opt"}

PLAIN = Arithmetic(0.25, path="flash")
CAPPED = replace(PLAIN, softcap=50.0)
SEEN = replace(PLAIN, mask=HeadMask("none"))
WINDOW = HeadMask("window", 0, 24)


def alternating(how: Arithmetic) -> Any:
    """Return the arithmetic by layer: with a window in even layers, without one in odd layers."""
    return lambda layer, head: replace(how, mask=how.mask if layer % 2 else WINDOW)


FIRST = ("another cap", "no window", "no mask", "no scale", "a sink")
"""One fault of each kind, for every run of the tests; the others are slow."""

CASES: dict[str, tuple[Any, float, dict[str, Any], int, str]] = {
    "a cap and windows": (alternating(CAPPED), 4.0, GEMMA, 0, "soft cap 50 as promised"),
    "no cap": (alternating(PLAIN), 4.0, GEMMA, 1, "soft cap none, promised 50: dropped?"),
    "another cap": (alternating(replace(PLAIN, softcap=30.0)), 4.0, GEMMA, 1, "30.14, promised 50"),
    "a cap too large to be seen": (
        alternating(replace(CAPPED, path="eager")), 0.5, GEMMA, 0, "another soft cap would not show"
    ),
    "a cap that nobody asked for": (CAPPED, 4.0, LLAMA, 1, "to 50.15, promised none"),
    "no window": (CAPPED, 4.0, GEMMA, 1, "mask causal, promised window of 24 keys"),
    "a window short by one": (
        lambda layer, head: replace(
            CAPPED, mask=HeadMask("causal") if layer else HeadMask("window", 0, 23)
        ), 4.0, GEMMA, 1, "is the query's own key counted?",
    ),
    "no mask": (SEEN, 1.0, LLAMA, 1, "mask none, promised causal: was no mask given"),
    "an encoder": (SEEN, 1.0, BERT, 0, "= 1/√d_k (d_k = 16), mask none as promised"),
    "v scaled": (replace(PLAIN, value_scale=0.5**0.5), 1.0, LLAMA, 1, "a scale of v too many"),
    "no scale": (replace(PLAIN, multiplier=1.0), 4.0, LLAMA, 1, "m = 1 in all 4 heads, promised"),
    "multiplied by √d": (replace(PLAIN, multiplier=4.0), 4.0, LLAMA, 1, "multiplied by √d_k"),
    "q scaled already": (replace(PLAIN, multiplier=1.0), 1.0, OPT, 0, " = 1, mask causal as"),
    "scaled twice": (PLAIN, 1.0, OPT, 1, "the scale twice, for q carries it already?"),
    "a sink": (replace(PLAIN, sink=1.0), 1.0, LLAMA, 1, "sink b = "),
    "no sink": (alternating(PLAIN), 1.0, GPT_OSS, 1, "the sinks are dropped, in 4 of 4 heads"),
    "a learned sink": (
        alternating(replace(PLAIN, sink=1.0)), 1.0, GPT_OSS, 3,
        "cannot tell: it agrees with some sink b, but which is promised was not captured: capture",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", slow_after(len(FIRST), [*FIRST, *(name for name in CASES if name not in FIRST)])
)
def test_each_fault_is_named_with_its_status(tmp_path: Path, name: str) -> None:
    how, std, config, status, phrase = CASES[name]
    (tmp_path / "config.json").write_text(json.dumps(config))
    path = write(tmp_path / "a.safetensors", how, layers=2, logit_std=std)
    result = CliRunner().invoke(program, ["doctor", path, "--config", str(tmp_path)])
    line = result.stdout.partition("\n")[0]
    assert (result.exit_code, result.stderr) == (status, ""), line
    assert phrase in line


@pytest.mark.slow
@pytest.mark.parametrize(("dropped", "status"), [(False, 0), (True, 1)])
def test_a_sink_that_was_captured_is_what_is_expected(
    tmp_path: Path, dropped: bool, status: int
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(GPT_OSS))
    how = alternating(replace(PLAIN, sink=None if dropped else 1.0))
    sinks = {f"{layer}.sink": np.ones(2, np.float32) for layer in range(2)}
    path = write(tmp_path / "a.safetensors", how, layers=2, extra=sinks)
    result = CliRunner().invoke(program, ["doctor", path, "--config", str(tmp_path)])
    assert result.exit_code == status, result.stdout
    if dropped:
        line = result.stdout.partition("\n")[0]
        assert line.startswith("differs: the sinks are dropped, in 4 of 4 heads (as in transf")


@pytest.mark.slow
def test_sinks_that_are_rolled_by_a_head_have_one_cause_in_all_heads(tmp_path: Path) -> None:
    """The last head then has the sink of the first."""
    sinks = [0.5, -1.0, 1.5, 0.25]
    config = GPT_OSS | {"num_attention_heads": 4, "num_key_value_heads": 4, "sliding_window": None}
    (tmp_path / "config.json").write_text(json.dumps(config))
    for by, whose in ((1, "the next head"), (-1, "the head before")):
        path = write(
            tmp_path / "a.safetensors",
            lambda _, head, by=by: replace(PLAIN, sink=sinks[(head + by) % 4]),  # type: ignore[misc]
            heads=4, extra={"0.sink": np.array(sinks, np.float32)},
        )  # fmt: skip
        line = run(path, "--config", str(tmp_path)).stdout
        assert line.startswith(f"differs: the sink is that of {whose}, in 4 of 4 heads; ")


@pytest.mark.slow
def test_a_call_that_was_given_a_sink_that_is_not_promised_differs(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    path = write(tmp_path / "a.safetensors", PLAIN, extra={"0.sink": np.ones(2, np.float32)})
    result = run(path, "--config", str(tmp_path))
    assert result.exit_code == 1
    assert result.stdout.startswith("differs: the call was given a sink, promised none; ")
    assert run(path, "--expect", "m=0.25,sink=none").exit_code == 1
    # By itself, m promises no sink unless one was captured; this output has none.
    (tmp_path / "config.json").unlink()
    assert run(path, "--expect", "m=0.25").stdout.startswith("differs: the sinks are dropped")
    # Without any promise the output does not follow what its call was given.
    sinks = np.array([-1.0, 2.0], np.float32)
    path = write(tmp_path / "a.safetensors", PLAIN, extra={"0.sink": sinks})
    assert run(path).stdout.startswith("differs: sink none, promised b = −1 to 2: dropped?")


def test_sinks_that_were_not_captured_are_asked_for_once(tmp_path: Path) -> None:
    """Of a low sink only the first rows are wrong, and that is not another matter."""
    config = GPT_OSS | {"sliding_window": None}
    (tmp_path / "config.json").write_text(json.dumps(config))
    path = write(tmp_path / "a.safetensors", lambda _, head: replace(PLAIN, sink=(1.0, -4.0)[head]))
    line = run(path, "--config", str(tmp_path)).stdout.partition("\n")[0]
    assert line.count("capture `sink`") == 1
    assert "2 of 2 heads" in line


@pytest.mark.slow
def test_a_sum_that_has_one_more_is_named_by_its_cause_alone(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    parts = tensors(write(tmp_path / "a.safetensors", replace(PLAIN, format="float32")))
    z = np.where(np.tri(64, dtype=bool), 0.25 * parts["q"] @ parts["k"].swapaxes(-1, -2), -np.inf)
    weights = np.exp(z - z.max(axis=-1, keepdims=True))
    parts["out"] = weights @ parts["v"] / (1 + weights.sum(axis=-1, keepdims=True))
    result = run(save(tmp_path / "b.npz", **parts), "--config", str(tmp_path))
    assert result.stdout.startswith("differs: 1 is added to the sum after the maximum is subtr")


def test_a_model_that_decodes_agrees_by_its_last_row(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    how = replace(PLAIN, mask=HeadMask("causal", 63))
    path = write(tmp_path / "a.safetensors", how, n_queries=1)
    result = CliRunner().invoke(program, ["doctor", path, "--config", str(tmp_path)])
    assert result.exit_code == 0, result.stdout
    # The last query sees the same keys as without a mask.
    assert ", mask causal or none as promised; " in result.stdout
    assert "mask         causal or none" in result.stdout


@pytest.mark.parametrize(
    ("config", "captured", "scale", "status", "phrase"),
    [
        (GPT_OSS, None, 1.0, 3, "cannot tell: it agrees with some sink b"),
        (GPT_OSS, 2.0, 1.0, 0, "agrees: m = "),
        (GPT_OSS, 2.0, 0.5, 1, ", or another sink, promised 1"),
        (GPT_OSS, None, 4.0, 1, ", or another sink, promised 1"),
        (LLAMA, None, 1.0, 1, ", or another sink, promised 1"),
    ],
)
def test_a_sink_of_one_row_is_no_value_scale(
    tmp_path: Path,
    config: dict[str, Any],
    captured: float | None,
    scale: float,
    status: int,
    phrase: str,
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**config, "sliding_window": None}))
    how = replace(PLAIN, mask=HeadMask("causal", 63), sink=2.0, value_scale=scale)
    sinks = {} if captured is None else {"0.sink": np.full(2, captured, np.float32)}
    path = write(tmp_path / "a.safetensors", how, n_queries=1, extra=sinks)
    command = ["doctor", path, "--config", str(tmp_path)]
    result = CliRunner().invoke(program, command)
    assert phrase in result.stdout.partition("\n")[0]
    assert result.exit_code == status
    whole = [*command, "--json", "--evidence"]
    for head in json.loads(CliRunner().invoke(program, whole).stdout)["heads"]:
        reason = "it stretches all rows alike, as a value scale does"
        assert head["models"][0]["unknown"]["sink"] == reason


@pytest.mark.parametrize(
    ("offset", "status", "phrase"),
    [
        (56, 0, ", mask causal, query 0 at key 56 as promised; "),
        (
            0,
            1,
            "differs: mask causal, promised causal, query 0 at key 56: aligned at the top left",
        ),
    ],
)
def test_causal_that_ignores_the_cache_differs(
    tmp_path: Path, offset: int, status: int, phrase: str
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    how = replace(PLAIN, mask=HeadMask("causal", offset))
    path = write(tmp_path / "a.safetensors", how, n_queries=8)
    result = CliRunner().invoke(program, ["doctor", path, "--config", str(tmp_path)])
    assert phrase in result.stdout.partition("\n")[0]
    assert result.exit_code == status


@pytest.mark.parametrize(
    ("positions", "offset"), [(range(5, 25), 5), ((*range(5, 15), *range(20, 30)), None)]
)
def test_queries_stand_where_the_capture_says(
    tmp_path: Path, positions: Any, offset: int | None
) -> None:
    own = np.asarray(positions)
    path = write(tmp_path / "a.safetensors", PLAIN, n_queries=20, extra={"0.positions": own})
    made = open_capture([path])
    heads = [made.read(head) for head in made.heads]
    output = np.stack([np.asarray(computed(head, PLAIN).output) for head in heads])[None]
    extra = {"0.positions": own, "0.out": output.astype(dtype_of(PLAIN.format))}
    path = write(tmp_path / "a.safetensors", PLAIN, n_queries=20, extra=extra)
    for command, of, more in (("doctor", "heads", ["--evidence"]), ("heads", "masks", [])):
        plain = json.loads(CliRunner().invoke(program, [command, path, "--json", *more]).stdout)
        for head in plain[of]:
            mask = head["models"][0]["mask"] if command == "doctor" else head
            assert mask["kind" if command == "doctor" else "mask"] == "causal"
            assert mask["offset" if command == "doctor" else "query_offset"] == offset
        text = CliRunner().invoke(program, [command, path]).stdout
        assert (f"query 0 at key {offset}" in text) == ("query 0 at" in text) == (offset == 5)


@pytest.mark.parametrize(("how", "captured", "given", "phrase"), slow_after(4, [
        (replace(PLAIN, value_scale=0.707), {}, {}, ", value scale 0.707, mask causal (not prom"),
        (
            replace(PLAIN, multiplier=1 / 16), {}, {},
            "m = 0.0625 = 1/16 = 1/d_k, a quarter of the usual 1/√d_k: the scale twice, or",
        ),
        (replace(PLAIN, mask=WINDOW), {}, {}, ", mask window of 24 keys (not promised); give"),
        (
            replace(PLAIN, mask=HeadMask("causal", 56)), {}, {"n_queries": 8},
            ", mask causal, query 0 at key 56 (not promised); give",
        ),
        (
            SEEN, {"0.mask": np.tri(64, dtype=bool)[None, None]}, {},
            "differs: the captured mask is not applied: mask none; ",
        ),
        (
            replace(PLAIN, sink=2.0, mask=HeadMask("causal", 63)), {}, {"n_queries": 1},
            " or a sink, mask causal or none (not promised); give",
        ),
        (PLAIN, {}, {}, " = 1/√d_k (d_k = 16), mask causal (not promised); give"),
        (
            PLAIN, {"0.mask": np.tri(64, dtype=bool)[None, None]}, {},
            "(d_k = 16), mask the captured one",
        ),
    ]))  # fmt: skip
def test_the_line_says_all_that_is_unusual_without_an_expectation(
    tmp_path: Path, how: Arithmetic, captured: Any, given: dict[str, Any], phrase: str
) -> None:
    path = write(tmp_path / "a.safetensors", how, extra=captured, **given)
    line, *_ = CliRunner().invoke(program, ["doctor", path]).stdout.splitlines()
    assert phrase in line


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "status"), [("bert", 1), ("gpt_oss", 1)])
def test_a_sink_among_small_logits_differs_where_none_is_meant(
    tmp_path: Path, kind: str, status: int
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**BERT, "model_type": kind}))
    path = write(tmp_path / "a.safetensors", replace(SEEN, sink=1.0), logit_std=0.05)
    command = ["doctor", path, "--config", str(tmp_path), "--json"]
    result = CliRunner().invoke(program, command)
    assert result.exit_code == status
    # No mask differs from a causal one; an expected sink leaves the value scale open.
    for head in json.loads(result.stdout)["heads"]:
        assert ("value_scale" in head["differs"]) == (kind == "bert")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "phrase"),
    [
        (1, "differs: the output is that of the next head; 4 of 4 heads"),
        (-1, "differs: the output is that of the head before; 4 of 4 heads"),
        (2, "differs: the output is that of head "),
    ],
)
def test_outputs_of_other_heads_are_named(tmp_path: Path, by: int, phrase: str) -> None:
    shape = SHAPE | {"num_attention_heads": 4, "hidden_size": 64, "model_type": "llama"}
    (tmp_path / "config.json").write_text(json.dumps(shape))
    read = tensors(write(tmp_path / "a.safetensors", PLAIN, heads=4))
    swapped = {f"0.{part}": tensor for part, tensor in read.items()}
    swapped["0.out"] = np.roll(read["out"], -by, axis=1)
    path = tmp_path / "b.safetensors"
    write_safetensors(
        path, {part: tensor.astype(dtype_of("bfloat16")) for part, tensor in swapped.items()}
    )
    result = CliRunner().invoke(program, ["doctor", str(path), "--config", str(tmp_path)])
    assert result.stdout.startswith(phrase)
    assert result.exit_code == 1


def test_heads_that_all_have_the_first_keys_have_one_cause(tmp_path: Path) -> None:
    """Of two KV heads, the first is also that of a third head where they are tiled."""
    config = LLAMA | {"num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 64}
    (tmp_path / "config.json").write_text(json.dumps(config))
    parts = tensors(write(tmp_path / "a.safetensors", replace(PLAIN, format="float32"), heads=4))
    parts |= {part: parts[part][:, :2] for part in ("k", "v")}
    z = 0.25 * parts["q"] @ parts["k"][:, :1].swapaxes(-1, -2)
    weights = np.exp(np.where(np.tri(64, dtype=bool), z, -np.inf))
    parts["out"] = weights / weights.sum(axis=-1, keepdims=True) @ parts["v"][:, :1]
    line = run(save(tmp_path / "b.npz", **parts), "--config", str(tmp_path)).stdout
    assert line.startswith("differs: heads 2–3 all have KV head 0, promised h // 2; ")


@pytest.mark.slow
def test_heads_with_the_keys_and_values_of_others_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "right.safetensors", PLAIN, heads=4)
    parts = tensors(path)
    (tmp_path / "config.json").write_text(
        json.dumps(LLAMA | {"num_attention_heads": 4, "hidden_size": 64, "num_hidden_layers": 1})
    )

    def diagnosed(**moved: Any) -> tuple[int, dict[str, Any]]:
        moved = {f"0.{part}": tensor.astype(dtype_of("bfloat16")) for part, tensor in moved.items()}
        other = write(tmp_path / "a.safetensors", PLAIN, heads=4, extra=moved)
        result = CliRunner().invoke(program, ["doctor", other, "--json", "--evidence"])
        return result.exit_code, json.loads(result.stdout)

    rolled = {part: np.roll(parts[part], 1, axis=1) for part in ("k", "v")}
    status, report = diagnosed(**rolled)
    assert status == 1
    assert {(head["differs"][0], len(head["differs"])) for head in report["heads"]} == {
        ("kv_head", 1)
    }
    assert [head["kv_head"] for head in report["heads"]] == [1, 2, 3, 0]
    assert "head 0 has KV head 1, promised 0: in another order?" in report["why"][0]
    # Only the values being those of another head, or in another order, is a different fault.
    for values in (rolled["v"], parts["v"][:, :, ::-1]):
        status, report = diagnosed(v=values)
        assert status == 3
        assert "no multiplier, cap, sink or mask gives this output" in report["why"][0]
        assert "KV head" not in report["why"][0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("offset", "start"),
    [
        (10, "agrees: m = "),
        (56, "differs: mask causal, query 0 at key 56, promised causal, query 0 at key 10"),
        (0, "differs: mask causal, promised causal, query 0 at key 10: aligned at the top left"),
    ],
)
def test_a_kernel_that_does_not_know_where_queries_stand_is_named(
    tmp_path: Path, offset: int, start: str
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    how = replace(PLAIN, mask=HeadMask("causal", offset))
    positions = {"0.positions": np.arange(10, 18)}
    path = write(tmp_path / "a.safetensors", how, n_queries=8, extra=positions)
    assert run(path, "--config", str(tmp_path)).stdout.startswith(start)


@pytest.mark.slow
def test_heads_of_one_sequence_are_named_by_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    first, second = (
        tensors(write(tmp_path / "a.safetensors", how)) for how in (PLAIN, replace(PLAIN, sink=1.0))
    )
    both = {part: np.concatenate([first[part], second[part]]) for part in first}
    line = run(save(tmp_path / "b.npz", **both), "--config", str(tmp_path)).stdout
    assert "2 of 4 heads (all of sequence 1; 2 agree)" in line
