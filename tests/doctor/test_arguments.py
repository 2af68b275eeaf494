"""What a call was given, beside what is promised: a faulty call never confirms itself."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.arrays import rounded
from attn_tui.compute.fit.simulate import Arithmetic, computed, simulate
from attn_tui.compute.heads.head_model import Alibi
from attn_tui.compute.heads.mask import HeadMask
from tests.doctor.captures import save, tensors, write
from tests.doctor.command import HEALTHY, LLAMA, printed, run
from tests.doctor.test_completions import seen_of
from tests.doctor.test_verdict import config_of, save_heads
from tests.pairs import slow_after

CAUSAL = HeadMask("causal")
SEEN = replace(HEALTHY, mask=HeadMask("none"))
MISTRAL = {"model_type": "mistral", "sliding_window": 24}


def masked(folder: Path, seen: np.ndarray) -> str:
    """Write a capture with a mask that its output follows, and return its path."""
    parts = tensors(write(folder / "a.safetensors", SEEN))
    heads = [
        replace(simulate(head, SEEN, n_keys=64, d_k=16, rows=range(64)), seen=seen[0, 0])
        for head in range(2)
    ]
    how = replace(HEALTHY, mask=HeadMask("given"))
    parts["out"] = np.stack([np.asarray(computed(head, how).output) for head in heads])[None]
    return save(folder / "b.npz", **parts, mask=seen)


@pytest.mark.parametrize(
    ("seen", "config", "phrase"),
    slow_after(
        3,
        [
            (~seen_of(CAUSAL), {}, "the captured mask is inverted, promised causal"),
            (
                seen_of(HeadMask("window", 0, 25)), MISTRAL,
                "the captured mask is window of 25 keys, promised window of 24 keys: is the "
                "query's own key counted?",
            ),
            (seen_of(HeadMask("none")), {}, "the captured mask hides no key, promised causal"),
            (
                seen_of(CAUSAL), MISTRAL,
                "the captured mask is causal, promised window of 24 keys: was the window dropped?",
            ),
            (
                seen_of(HeadMask("causal", 1)), {},
                "the captured mask is causal, query 0 at key 1, promised causal: one key off",
            ),
            (
                seen_of(HeadMask("none")) & (np.arange(64) != 31), {"model_type": "bert"},
                "the captured mask hides 64 scores that it should show, promised no mask",
            ),
        ],
        ["inverted", "window ± 1", "hides nothing", "no window", "one key off", "one key lost"],
    ),
)  # fmt: skip
def test_a_captured_mask_that_is_not_the_promised_one_differs_though_the_output_follows_it(
    tmp_path: Path, seen: np.ndarray, config: dict[str, Any], phrase: str
) -> None:
    path = masked(tmp_path, seen)
    result = run(path, "--config", config_of(tmp_path, **config))
    assert result.exit_code == 1
    assert f"differs: {phrase}" in result.stdout.partition("\n")[0]


def test_a_call_that_differs_while_the_output_is_right_differs_and_says_so(
    tmp_path: Path,
) -> None:
    path = write(
        tmp_path / "a.safetensors", HEALTHY, extra={"0.mask": seen_of(HeadMask("none"))}
    )  # fmt: skip
    result = run(path, "--config", config_of(tmp_path), "--json")
    assert result.exit_code == 1
    plain = printed(result)
    assert "the captured mask hides no key, promised causal" in plain["why"][0]
    assert {one["side"] for one in plain["heads"][0]["differences"]} == {"call"}
    assert plain["mask_applied"] is False


def test_a_mask_too_weak_to_hide_a_key_is_named(tmp_path: Path) -> None:
    """Models fill masks with −1e−9 where −1e9 was meant."""
    added = np.where(seen_of(CAUSAL), 0.0, -1e-9).astype(np.float32)
    path = write(tmp_path / "a.safetensors", SEEN, extra={"0.mask": added})
    result = run(path, "--config", config_of(tmp_path))
    assert result.exit_code == 1
    line = result.stdout.partition("\n")[0]
    assert "it is filled with −1e-9, which hides nothing" in line


def test_a_captured_mask_that_is_no_other_rule_is_named_by_how_many_scores_it_has_wrong(
    tmp_path: Path,
) -> None:
    chunks = [np.arange(64) // length for length in (8, 9)]
    wanted, seen = (np.tril(chunk[:, None] == chunk)[None, None] for chunk in chunks)
    path = write(tmp_path / "a.safetensors", HEALTHY, extra={"0.mask": seen})
    result = run(path, "--config", config_of(tmp_path), "--expect", "chunk=8")
    more, fewer = int((seen & ~wanted).sum()), int((wanted & ~seen).sum())
    assert result.stdout.startswith(
        f"differs: the captured mask shows {more} scores that it should hide, and hides {fewer} "
        "others, promised causal in chunks of 8 keys; "
    )


def test_masks_are_compared_by_their_effect(tmp_path: Path) -> None:
    """A window longer than the text hides what a causal mask hides."""
    config = config_of(tmp_path, model_type="mistral", sliding_window=4096)
    path = write(tmp_path / "a.safetensors", HEALTHY, extra={"0.mask": seen_of(CAUSAL)})
    assert run(path, "--config", config).exit_code == 0


@pytest.mark.parametrize(
    ("metadata", "status", "phrase"),
    [
        ({"0.scale": "0.25"}, 0, "agrees: m = "),
        ({"0.scale": "1.0"}, 1, "the call was given the scale 1, promised 0.25 = 1/√16: no scale"),
        ({"0.softcap": "50"}, 1, "the call was given the soft cap 50, promised none"),
        ({"0.is_causal": "False"}, 0, "agrees: m = "),
        ({"0.is_causal": "True"}, 0, "agrees: m = "),
    ],
)
def test_the_numbers_of_a_call_are_compared_with_the_promise(
    tmp_path: Path, metadata: dict[str, str], status: int, phrase: str
) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY, metadata=metadata)
    result = run(path, "--config", config_of(tmp_path))
    assert phrase in result.stdout.partition("\n")[0]
    assert result.exit_code == status


def test_a_causal_call_where_no_mask_is_promised_differs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", SEEN, metadata={"0.is_causal": "True"})
    result = run(path, "--config", config_of(tmp_path, model_type="bert"))
    assert result.exit_code == 1
    start = "differs: the call was given is_causal=True, promised mask none; "
    assert result.stdout.startswith(start)


@pytest.mark.slow
def test_m_may_be_as_promised_beside_a_window_that_nothing_promises(tmp_path: Path) -> None:
    window = HeadMask("window", 0, 24)
    path = write(tmp_path / "a.safetensors", replace(HEALTHY, mask=window))
    for more, start, phrase in (
        (
            ("--expect", "m=0.25"),
            "agrees: ",
            " as promised, mask window of 24 keys (not promised);",
        ),
        ((), "no expectation: ", ", mask window of 24 keys (not promised); give --config or --ex"),
    ):
        line = run(path, *more, "--layout", "bhnd").stdout.partition("\n")[0]
        assert line.startswith(f"{start}m = ")
        assert phrase in line


def test_what_is_expected_may_be_said_in_several_options_but_each_part_once(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", replace(HEALTHY, multiplier=0.5))
    result = run(path, "--expect", "m=0.25", "--expect", "mask=causal")
    assert result.stdout.startswith("differs: m = 0.5")
    result = run(path, "--expect", "m=0.25", "--expect", "m=0.5")
    assert result.exit_code == 2
    assert "--expect: m is stated twice" in result.stderr


def test_expect_overrides_the_captured_mask(tmp_path: Path) -> None:
    path = masked(tmp_path, seen_of(HeadMask("window", 0, 24)))
    assert run(path, "--expect", "m=0.25,window=24").exit_code == 0
    result = run(path, "--expect", "m=0.25,mask=causal")
    assert result.exit_code == 1
    assert "the captured mask is window of 24 keys, promised causal" in result.stdout
    # By itself, m promises no mask: the output follows the captured one.
    assert run(path, "--expect", "m=0.25").exit_code == 0


BLOOM = {"model_type": "bloom", "hidden_size": 32, "n_head": 2, "n_layer": 1}


def sloped(
    folder: Path,
    times: float,
    captured: float | None,
    slopes: tuple[float, ...] = (2.0**-4, 2.0**-8),
) -> str:
    """Write a BLOOM of two heads with its slopes times a factor, and a captured bias or none."""
    heads, biases = [], []
    for number, slope in enumerate(slopes):
        head = simulate(number, HEALTHY, n_keys=64, d_k=16, rows=range(64))
        bias = Alibi(slope).bias(head, CAUSAL)
        heads.append(computed(replace(head, bias=bias * times), HEALTHY))
        biases.append(bias)
    extra = {}
    if captured is not None:
        extra["0.bias"] = (np.stack(biases)[None] * captured).astype(np.float32)
    return save_heads(folder / "a.safetensors", heads, **extra)


@pytest.mark.parametrize(
    ("times", "captured", "status", "phrase"),
    [
        (1.0, None, 0, "agrees: m = "),
        (1.0, 1.0, 0, "agrees: m = "),
        (
            2.0,
            2.0,
            1,
            "0.00390625 to 0.0625: the slopes are added twice; ",
        ),
        (
            2.0,
            None,
            1,
            "0.00390625 to 0.0625: the slopes are added twice; ",
        ),
        (4.0, 4.0, 1, "the slopes are √d_k times too large: added after the scale?"),
        (0.0, None, 1, "no slope: was the bias dropped?"),
        (0.0, 1.0, 1, "bias none, promised the captured one: was the bias dropped?"),
        (
            1.0,
            2.0,
            1,
            "the captured bias is of slope 0.0078125 to 0.125, promised 0.0039",
        ),
    ],
)
def test_slopes_of_alibi_are_those_of_the_configuration(
    tmp_path: Path, times: float, captured: float | None, status: int, phrase: str
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(BLOOM))
    result = run(sloped(tmp_path, times, captured), "--config", str(tmp_path))
    assert phrase in result.stdout.partition("\n")[0]
    assert result.exit_code == status


@pytest.mark.parametrize("captured", [1.0, None])
def test_slopes_of_another_head_are_named_whatever_their_ratio(
    tmp_path: Path, captured: float | None
) -> None:
    """Neighbours differ by a factor of 16 where there are two heads, and of 2 where there are 8."""
    (tmp_path / "config.json").write_text(json.dumps(BLOOM))
    path = sloped(tmp_path, 1.0, captured, slopes=(2.0**-8, 2.0**-4))
    line = run(path, "--config", str(tmp_path)).stdout
    phrase = "the captured bias: " if captured else ""
    assert line.startswith(f"differs: {phrase}the slope is that of the next")


def test_a_captured_bias_is_compared_within_the_rounding_of_its_own_numbers(
    tmp_path: Path,
) -> None:
    # Falcon rounds slope · position to bfloat16, and that times m again; captures cast it up.
    (tmp_path / "config.json").write_text(json.dumps(BLOOM))
    for stored, status in (("bfloat16", 0), ("float32", 1)):
        heads, biases = [], []
        for number, slope in enumerate((2.0**-4, 2.0**-8)):
            head = simulate(number, HEALTHY, n_keys=64, d_k=16, rows=range(64))
            bias = rounded(1.003 * Alibi(slope).bias(head, CAUSAL), stored)
            heads.append(computed(replace(head, bias=bias), HEALTHY))
            biases.append(bias)
        extra = {"0.bias": np.stack(biases)[None].astype(np.float32)}
        path = save_heads(tmp_path / "a.safetensors", heads, **extra)
        assert run(path, "--config", str(tmp_path)).exit_code == status


def test_the_residual_and_the_rounding_of_a_head_are_of_one_model(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", replace(HEALTHY, multiplier=1.0), logit_std=4.0)
    result = run(path, "--config", config_of(tmp_path), "--json", "--evidence")
    head = printed(result)["heads"][0]
    model = head["models"][0]
    assert head["residual"] == model["residual"]
    assert head["rounding"] == model["rounding"][model["paths"][0]]


def test_a_dropped_mask_is_named_though_the_captured_bias_says_nothing_of_hidden_keys(
    tmp_path: Path,
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(BLOOM))
    heads, biases = [], []
    hidden = ~np.tri(64, dtype=bool)
    for number, slope in enumerate((2.0**-4, 2.0**-8)):
        head = simulate(number, HEALTHY, n_keys=64, d_k=16, rows=range(64))
        bias = Alibi(slope).bias(head, CAUSAL)
        dropped = replace(HEALTHY, mask=HeadMask("none"))
        heads.append(computed(replace(head, bias=bias), dropped))
        biases.append(np.where(hidden, -np.inf, bias))
    captured = np.stack(biases)[None].astype(np.float32)
    path = save_heads(tmp_path / "a.safetensors", heads, **{"0.bias": captured})
    result = run(path, "--config", str(tmp_path))
    assert result.exit_code == 1
    line = result.stdout.partition("\n")[0]
    assert line.startswith("differs: mask none, promised causal: was no mask given")


@pytest.mark.slow
def test_an_inverted_mask_is_named_though_no_mask_was_captured(tmp_path: Path) -> None:
    how = replace(HEALTHY, mask=HeadMask("causal", inverted=True))
    path = write(tmp_path / "a.safetensors", how)
    result = run(path, "--config", config_of(tmp_path), "--json")
    plain = printed(result)
    assert plain["why"][0].startswith(
        "differs: mask inverted, promised causal: each query sees the keys that it should not"
    )
    assert result.exit_code == 1


@pytest.mark.slow
def test_a_captured_bias_that_nothing_promises_differs(tmp_path: Path) -> None:
    result = run(sloped(tmp_path, 1.0, 1.0), "--config", config_of(tmp_path))
    assert result.exit_code == 1
    assert result.stdout.startswith("differs: the call was given a bias, promised none; ")


UNKNOWN = {**LLAMA, "model_type": "thinker", "sliding_window": 24, "attn_logit_softcapping": 30.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "fields", "status", "phrases"),
    [
        (HEALTHY, {}, 3, ["no expectation: m = 0.2", "= 1/√d_k (d_k = 16), mask causal (not prom"]),
        (replace(HEALTHY, multiplier=0.5), {}, 3, ["no expectation: m = 0.5 = "]),
        (HEALTHY, {"attention_multiplier": 0.25}, 0, ["agrees: m = 0.2"]),
        (HEALTHY, {"query_pre_attn_scalar": 16}, 0, ["agrees: m = 0.2"]),
        (replace(HEALTHY, multiplier=0.5), {"attention_multiplier": 0.25}, 1, ["differs: m = 0.5"]),
        (
            replace(HEALTHY, softcap=5.0), {"attention_multiplier": 0.25}, 3,
            ["no expectation: ", "soft cap 5"],
        ),
        (
            replace(HEALTHY, sink=2.0), {"attention_multiplier": 0.25}, 3,
            ["no expectation: ", "sink b = "],
        ),
    ],
)  # fmt: skip
def test_of_a_class_that_is_not_known_only_a_multiplier_with_one_meaning_is_a_promise(
    tmp_path: Path, how: Arithmetic, fields: dict[str, Any], status: int, phrases: list[str]
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(UNKNOWN | fields))
    path = write(tmp_path / "a.safetensors", how, logit_std=4.0)
    result = run(path, "--config", str(tmp_path), "--require")
    line = result.stdout.partition("\n")[0]
    for phrase in phrases:
        assert phrase in line
    assert result.exit_code == status


@pytest.mark.parametrize(
    ("how", "phrase"),
    [
        (replace(HEALTHY, softcap=5.0), "promised none"),
        (replace(HEALTHY, sink=2.0), "promised none"),
        (replace(HEALTHY, value_scale=0.5), "value scale 0.5, promised 1"),
    ],
)
def test_expect_m_alone_promises_that_other_parts_are_absent(
    tmp_path: Path, how: Arithmetic, phrase: str
) -> None:
    path = write(tmp_path / "a.safetensors", how, logit_std=4.0, heads=1)
    result = run(path, "--expect", "m=0.25")
    assert result.exit_code == 1
    assert phrase in result.stdout.partition("\n")[0]


@pytest.mark.slow
def test_expect_m_alone_leaves_a_captured_sink_or_bias_in_its_place(tmp_path: Path) -> None:
    sinks = {"0.sink": np.full(2, 2.0, np.float32)}
    path = write(tmp_path / "sinks.safetensors", replace(HEALTHY, sink=2.0), extra=sinks)
    assert run(path, "--expect", "m=0.25").exit_code == 0
    assert run(sloped(tmp_path, 1.0, 1.0), "--expect", "m=0.25").exit_code == 0
    assert run(sloped(tmp_path, 1.0, None), "--expect", "m=0.25").exit_code == 1


def test_expect_replaces_the_parts_that_it_names_beside_a_configuration(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    capped = write(tmp_path / "a.safetensors", replace(HEALTHY, softcap=5.0), logit_std=4.0)
    assert run(capped, "--config", config).exit_code == 1
    result = run(capped, "--config", config, "--expect", "softcap=5")
    assert result.exit_code == 0
    assert "soft cap 5 as promised" in result.stdout.replace(", mask causal", "")


@pytest.mark.slow
@pytest.mark.parametrize("stored", slow_after(1, ["float8", "int8"]))
def test_keys_and_values_stored_in_8_bits_agree_only_if_that_is_granted(
    tmp_path: Path, stored: str
) -> None:
    from tests.compute.fit.test_suspects import float8, int8

    heads = []
    for number in range(2):
        head = simulate(number, HEALTHY, n_keys=64, d_k=16, rows=range(64))
        assert head.values is not None
        rounded = float8 if stored == "float8" else int8
        coarse = replace(head, keys=rounded(head.keys), values=rounded(head.values))
        heads.append(replace(head, output=computed(coarse, HEALTHY).output))
    path = save_heads(tmp_path / "a.safetensors", heads)
    config = config_of(tmp_path)
    result = run(path, "--config", config)
    assert result.exit_code == 3
    line = result.stdout.partition("\n")[0]
    assert line.startswith("cannot tell: agrees if keys and values are stored as ")
    assert f"--assume {stored} grants it" in line
    granted = run(path, "--config", config, "--assume", stored)
    assert granted.exit_code == 0
    agreed = granted.stdout.partition("\n")[0]
    assert agreed.startswith("agrees: m = 0.25 = 1/√16, mask causal as promised, if keys and ")
    assert ", as is assumed; " in agreed
    other = {"float8": "int8", "int8": "float8"}[stored]
    assert run(path, "--config", config, "--assume", other).exit_code == 3


def test_what_float32_kernels_approximate_agrees_and_says_how_coarse_it_is(
    tmp_path: Path,
) -> None:
    how = replace(HEALTHY, format="float32", path="float32")
    parts = tensors(write(tmp_path / "a.safetensors", how))
    error = np.random.default_rng(1).uniform(-1, 1, parts["out"].shape)
    parts["out"] = (parts["out"] * (1 + 20 * 2.0**-23 * error)).astype(np.float32)
    result = run(save(tmp_path / "b.npz", **parts), "--config", config_of(tmp_path))
    assert result.exit_code == 0
    line = result.stdout.partition("\n")[0]
    assert " as promised; with " in line
    assert " times the rounding of float32; " in line
