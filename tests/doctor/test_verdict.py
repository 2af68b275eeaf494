"""The verdict about a capture: one head that differs, or cannot be told, decides it."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui import diagnose
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.fit.simulate import Arithmetic, computed, simulate
from attn_tui.compute.fit.suspects import buckets, rope
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from tests.compute.fit.heads import sink_head
from tests.doctor.captures import save, tensors, write
from tests.doctor.command import HEALTHY, LLAMA, printed, run
from tests.pairs import slow_after

SEEN = replace(HEALTHY, mask=HeadMask("none"))


def save_heads(path: Path, heads: list[HeadRows], **extra: Any) -> str:
    """Write the heads of one layer with all of their rows, and return the path."""
    dtype = dtype_of("bfloat16")
    names = {"q": "queries", "k": "keys", "v": "values", "out": "output"}
    parts = {
        f"0.{part}": np.stack([getattr(head, name) for head in heads])[None].astype(dtype)
        for part, name in names.items()
    }
    write_safetensors(path, parts | extra, None)
    return str(path)


def config_of(folder: Path, **changes: Any) -> str:
    (folder / "config.json").write_text(json.dumps(LLAMA | changes))
    return str(folder)


@pytest.mark.slow
def test_the_line_speaks_of_most_heads_and_names_one_that_differs_otherwise(tmp_path: Path) -> None:
    def how(_: int, head: int) -> Arithmetic:
        return replace(HEALTHY, multiplier=0.1) if head == 3 else replace(HEALTHY, softmaxes=2)

    path = write(tmp_path / "a.safetensors", how, heads=4)
    config = config_of(tmp_path, num_attention_heads=4, hidden_size=64)
    line = run(path, "--config", config).stdout.partition("\n")[0]
    assert line.startswith("differs: softmax is taken of the weights again")
    assert "4 of 4 heads (3 so; layer 0, head 3: m = 0.09999, promised 0.25 = 1/√16)" in line


@pytest.mark.parametrize(
    "odd", slow_after(2, ["another m", "one row of NaN", "no model", "one wrong row"])
)
def test_one_head_that_is_not_as_promised_decides_over_all_others(tmp_path: Path, odd: str) -> None:
    config = config_of(tmp_path, num_attention_heads=8, hidden_size=128)
    far = replace(HEALTHY, multiplier=0.25 * 1.02)
    hows = [far if head == 2 and odd == "another m" else HEALTHY for head in range(8)]
    parts = tensors(write(tmp_path / "a.safetensors", lambda _, head: hows[head], heads=8))
    head = parts["out"][0, 2]
    if odd == "no model":
        head[:] = np.roll(head, 1, axis=-1)
    elif odd == "one wrong row":
        head[40] = head[41]
    elif odd == "one row of NaN":
        head[40] = np.nan
    result = run(save(tmp_path / "b.npz", **parts), "--config", config, "--json")
    verdict = "cannot tell" if odd == "no model" else "differs"
    assert result.exit_code == (1 if verdict == "differs" else 3)
    plain = printed(result)
    assert plain["verdict"] == verdict
    assert plain["counts"] == {verdict: 1, "agrees": 7}
    line = plain["why"][0]
    assert "1 of 8 heads (layer 0, head 2; 7 agree)" in line
    if odd == "one wrong row":
        assert "1 of 64 rows is not what is promised (row 40); the others are" in line
    if odd == "one row of NaN":
        assert "NaN in 1 of 64 rows (row 40), where q, k and v give a number" in line


@pytest.mark.parametrize("value", [np.nan, 0.0])
def test_an_output_that_is_a_number_where_keys_hold_nan_does_not_agree(
    tmp_path: Path, value: float
) -> None:
    """NaN is what a key of NaN gives; where the output is a number, other keys were used."""
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    parts["k"][:, :, 60] = np.nan
    parts["out"][:, :, 60:] = value
    result = run(save(tmp_path / "b.npz", **parts), "--config", config_of(tmp_path))
    assert result.exit_code == (3 if value == 0.0 else 0)
    line = result.stdout.partition("\n")[0]
    assert "8 rows not compared: q, k or v hold NaN" in line
    assert ("the output is a number although q, k or v" in line) is (value == 0.0)


def test_nan_in_other_rows_of_each_head_is_one_matter(tmp_path: Path) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    parts["out"][0, 0, 40:] = np.nan
    parts["out"][0, 1, 20:] = np.nan
    result = run(save(tmp_path / "b.npz", **parts), "--config", config_of(tmp_path), "--json")
    plain = printed(result)
    start = "differs: the output is NaN in 24 to 44 of 64 rows, where q, k and v give a number; "
    assert plain["why"][0].startswith(start)
    causes = [head["differences"][0]["cause"] for head in plain["heads"]]
    assert "in 24 of 64 rows (rows 40 to 63)," in causes[0]
    assert "in 44 of 64 rows (rows 20 to 63)," in causes[1]


def save_leaning(path: Path, lifts: tuple[float, float]) -> str:
    """Write two causal heads of d_k 16 whose logits of key 0 exceed the others by about a lift."""
    how = Arithmetic(0.25, path="eager")
    heads = []
    for seed, lift in enumerate(lifts):
        head = sink_head(seed, how, lift)
        # All rows, with queries that lean on key 0 just as much.
        queries = np.resize(head.queries, (head.n_keys, head.d_k))[:, :16]
        narrow = replace(
            head, rows=np.arange(head.n_keys), queries=queries, keys=head.keys[:, :16],
            values=head.values[:, :16], output=None,  # type: ignore[index]
        )  # fmt: skip
        heads.append(computed(narrow, how))
    return save_heads(path, heads)


def test_a_saturated_head_is_silent_and_a_silent_layer_is_named(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    some = save_leaning(tmp_path / "a.safetensors", (0.0, 200.0))
    result = run(some, "--config", config, "--strict", "--json")
    assert result.exit_code == 0
    assert printed(result)["counts"] == {"agrees": 1, "silent": 1}
    assert printed(result)["silent"] == []
    none = save_leaning(tmp_path / "a.safetensors", (200.0, 200.0))
    result = run(none, "--config", config)
    # If no head of any layer tells, nothing is known.
    assert result.exit_code == 3
    assert "another m" in result.stdout.partition("\n")[0]


def test_heads_whose_weights_are_all_alike_could_not_have_told_m(tmp_path: Path) -> None:
    path = write(tmp_path / "a.safetensors", HEALTHY, logit_std=3e-5)
    result = run(path, "--config", config_of(tmp_path), "--json")
    assert result.exit_code == 3
    assert printed(result)["counts"] == {"silent": 2}


@pytest.mark.slow
def test_masks_that_explain_a_head_equally_well_are_all_named(tmp_path: Path) -> None:
    # All of the weight is on key 0, which a window of 24 keys hides from most rows.
    path = save_leaning(tmp_path / "a.safetensors", (200.0, 200.0))
    result = run(path, "--expect", "mask=causal,window=24", "--layout", "bhnd")
    assert result.exit_code == 1
    line = result.stdout.partition("\n")[0]
    assert line.startswith("differs: mask causal, promised window of 24 keys")
    assert "; or mask none: it fits as well; " in line


def test_only_strict_minds_a_layer_that_could_not_have_told(tmp_path: Path) -> None:
    gemma = {
        "model_type": "gemma2",
        "query_pre_attn_scalar": 16,
        "layer_types": ["full_attention"] * 2,
    }
    config = config_of(tmp_path, **gemma)
    how = replace(HEALTHY, softcap=50.0, path="eager")
    path = write(tmp_path / "a.safetensors", how, logit_std=0.5)
    result = run(path, "--config", config, "--json")
    assert result.exit_code == 0
    assert printed(result)["silent"] == [{"layer": 0, "part": "softcap", "heads": 2}]
    assert run(path, "--config", config, "--strict").exit_code == 3


@pytest.mark.slow
def test_an_output_that_nothing_comes_near_has_no_closest_model(tmp_path: Path) -> None:
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    for other, closest in (
        (
            np.random.default_rng(1).standard_normal(parts["out"].shape),
            ", and none comes near it; is `out` what",
        ),
        (parts["out"][..., ::-1] + 3 * parts["out"], "; the closest, m = 1/√16, misses "),
    ):
        odd = parts | {"out": other.astype(np.float32)}
        result = run(save(tmp_path / "b.npz", **odd), "--config", config_of(tmp_path))
        start = "cannot tell: no multiplier, cap, sink or mask gives this output"
        assert result.stdout.startswith(f"{start}{closest}"), result.stdout


@pytest.mark.slow
def test_the_verdict_of_a_head_is_not_that_of_its_neighbours(tmp_path: Path) -> None:
    hows = [
        HEALTHY, replace(HEALTHY, multiplier=0.5), replace(HEALTHY, softmaxes=2),
        replace(HEALTHY, mask=HeadMask("none")), replace(HEALTHY, value_scale=0.707),
        replace(HEALTHY, sink=1.0),
    ]  # fmt: skip
    config = config_of(tmp_path, num_attention_heads=6, hidden_size=96)
    order = [4, 2, 0, 5, 3, 1]
    reports = []
    for places in (range(6), order):
        path = write(tmp_path / "a.safetensors", lambda _, head: hows[head], heads=6)
        parts = tensors(path)
        parts = {part: value[:, list(places)] for part, value in parts.items()}
        plain = printed(run(save(tmp_path / "b.npz", **parts), "--config", config, "--json"))
        heads = [{**head, "head": None} for head in plain["heads"]]
        reports.append(heads)
    assert [reports[0][place] for place in order] == reports[1]
    assert [head["differs"] for head in reports[0]] == [
        [], ["multiplier"], ["softmax_twice"], ["mask"], ["value_scale"], ["sink"],
    ]  # fmt: skip


@pytest.mark.slow
def test_twice_the_scale_is_said_of_every_layer_whatever_the_one_before_it(tmp_path: Path) -> None:
    def how(layer: int, head: int) -> Arithmetic:
        return replace(SEEN, multiplier=0.5 if layer != 1 else 0.25, path="eager")

    config = config_of(tmp_path, model_type="bert", num_hidden_layers=3)
    path = write(tmp_path / "a.safetensors", how, layers=3, logit_std=4.0)
    line = run(path, "--config", config).stdout.partition("\n")[0]
    assert line.startswith("differs: m = 0.5 = 1/⁴√16 in 4 heads, promised 0.25 = 1/√16")
    assert "4 of 6 heads (all of layers 0, 2; 2 agree)" in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mask", "kind", "phrase"),
    slow_after(
        1,
        [
            (HeadMask("causal", 0, hidden=(0, 9)), "padding", "keys 0–9 of sequence 0 are padding"),
            (HeadMask("causal", 0, packed=(30,)), "packed", "sequence 0 is packed: keys 0–29"),
            (HeadMask("causal", 0, prefix=20), "prefix", "keys 0–19 of sequence 0 are a prefix"),
        ],
    ),
)
def test_what_no_captured_mask_says_is_an_assumption_that_is_granted(
    tmp_path: Path, mask: HeadMask, kind: str, phrase: str
) -> None:
    config = config_of(tmp_path)
    path = write(tmp_path / "a.safetensors", replace(HEALTHY, mask=mask), layers=2)
    result = run(path, "--config", config)
    assert result.exit_code == 3
    line = result.stdout.partition("\n")[0]
    assert line.startswith(f"cannot tell: agrees if {phrase}")
    assert f"--assume {kind} grants it" in line
    agreed = run(path, "--config", config, "--assume", kind).stdout.partition("\n")[0]
    assert f"mask causal as promised, if {phrase}" in agreed
    granted = run(path, "--config", config, "--assume", kind, "--json")
    assert granted.exit_code == 0
    (assumed,) = printed(granted)["assumed"]
    assert assumed.startswith(phrase)
    others = ",".join({"padding", "packed", "prefix"} - {kind})
    assert run(path, "--config", config, "--assume", others).exit_code == 3


@pytest.mark.slow
def test_granted_padding_is_no_difference_beside_another_m(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    how = replace(HEALTHY, multiplier=0.5, mask=HeadMask("causal", 0, hidden=(0, 9)))
    path = write(tmp_path / "a.safetensors", how)
    for options, parts in (((), ["multiplier", "mask"]), (("--assume", "padding"), ["multiplier"])):
        result = run(path, "--config", config, "--json", *options)
        assert result.exit_code == 1
        assert [head["differs"] for head in printed(result)["heads"]] == [parts, parts]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [64, 1])
def test_a_captured_mask_without_padding_leaves_none_to_be_granted(
    tmp_path: Path, rows: int
) -> None:
    """It says that no key is padding; an output that lacks some does not follow it."""
    seen = np.tri(64, dtype=bool) if rows > 1 else np.ones((1, 64), bool)
    how = replace(HEALTHY, mask=HeadMask("causal", 0, hidden=(0, 9)))
    path = write(tmp_path / "a.safetensors", how, extra={"0.mask": seen[None, None]})
    for more in ((), ("--assume", "padding")):
        result = run(path, "--config", config_of(tmp_path), *more)
        assert result.exit_code == 1
        assert result.stdout.startswith("differs: mask causal, keys 0–9 hidden, promised causal; ")


@pytest.mark.parametrize(
    ("how", "shape", "start"),
    [
        (replace(HEALTHY, multiplier=0.25 * 1.0001, format="float32", path="float32"), {},
         "m = 0.250025 in both heads, promised 0.25 = 1/√16; "),
        (replace(HEALTHY, mask=HeadMask("window", 63, 25)), {"n_queries": 1},
         "mask window of 25 keys, promised window of 24 keys: is the query's own key counted?; "),
        # With its thread the sentence would be longer than a line.
        (replace(HEALTHY, multiplier=1.0), {},
         "m = 1 in both heads, promised 0.25 = 1/√16: no scale at all, or one that q carries "
         "already?; "),
    ],
)  # fmt: skip
def test_a_difference_is_said_with_the_digits_and_the_words_that_it_needs(
    tmp_path: Path, how: Arithmetic, shape: dict[str, Any], start: str
) -> None:
    window = {"model_type": "mistral", "sliding_window": 24} if shape else {}
    path = write(tmp_path / "a.safetensors", how, logit_std=2.0, **shape)
    line = run(path, "--config", config_of(tmp_path, **window)).stdout
    assert line.startswith(f"differs: {start}"), line


@pytest.mark.slow
def test_keys_hidden_in_one_head_alone_are_no_padding(tmp_path: Path) -> None:
    config = config_of(tmp_path, num_attention_heads=3, hidden_size=48)

    def how(_: int, head: int) -> Arithmetic:
        hidden = (0, 19) if head == 1 else (0, 9)
        return replace(HEALTHY, mask=HeadMask("causal", 0, hidden=hidden))

    path = write(tmp_path / "a.safetensors", how, heads=3)
    plain = printed(run(path, "--config", config, "--assume", "padding", "--json"))
    assert [head["verdict"] for head in plain["heads"]] == ["agrees", "differs", "agrees"]


@pytest.mark.slow
@pytest.mark.parametrize("of", slow_after(1, ["head", "layer"]))
def test_keys_that_some_heads_of_a_sequence_see_are_no_padding(tmp_path: Path, of: str) -> None:
    """What is granted of a sequence is granted of all of its heads, in every layer."""
    padded = replace(HEALTHY, mask=HeadMask("causal", 0, hidden=(0, 9)))
    path = write(
        tmp_path / "a.safetensors",
        lambda layer, head: HEALTHY if (layer if of == "layer" else head) else padded,
        layers=2, heads=2,
    )  # fmt: skip
    config = config_of(tmp_path)
    for more in ((), ("--assume", "padding")):
        result = run(path, "--config", config, *more, "--json")
        assert result.exit_code == 1
        assert printed(result)["counts"] == {"differs": 2, "agrees": 2}
    line = run(path, "--config", config).stdout
    assert line.startswith("differs: mask causal, keys 0–9 hidden, promised causal; ")


@pytest.mark.parametrize("applied", [True, False])
@pytest.mark.parametrize("expected", slow_after(1, [True, False]))
def test_a_captured_padding_mask_that_was_dropped_differs(
    tmp_path: Path, applied: bool, expected: bool
) -> None:
    # Like a 2-D mask of transformers: the same for all queries, and the kernel is also causal.
    seen = np.ones((1, 1, 1, 64), bool)
    seen[..., :10] = False
    hidden = (0, 9) if applied else None
    how = replace(HEALTHY, mask=HeadMask("causal", 0, hidden=hidden))
    path = write(tmp_path / "a.safetensors", how, extra={"0.mask": seen})
    config = ["--config", config_of(tmp_path)] if expected else ["--layout", "bhnd"]
    result = run(path, *config, "--json")
    assert printed(result)["mask_applied"] is applied
    assert result.exit_code == (0 if applied else 1)
    line = run(path, *config).stdout.partition("\n")[0]
    assert ("the padding of the captured mask is not applied: mask causal" in line) is not applied
    assert "keys 0–9 (16 % of them) are padding, by `mask`" in line


def test_a_captured_mask_is_expected_even_where_m_alone_is_named(tmp_path: Path) -> None:
    seen = np.tri(64, dtype=bool)[None, None]
    for how, status in ((HEALTHY, 0), (SEEN, 1)):
        path = write(tmp_path / "a.safetensors", how, extra={"0.mask": seen})
        result = run(path, "--expect", "m=0.25")
        assert result.exit_code == status
        line = result.stdout.partition("\n")[0]
        assert ("differs: the captured mask is not applied: mask none" in line) is bool(status)


def biased_by_t5(dropped: bool = False) -> tuple[list[HeadRows], np.ndarray]:
    """Return two heads of a decoder of T5 with its mask, or without, and the bias with a mask."""
    distances = np.arange(64)[None] - np.arange(64)[:, None]
    tables = np.random.default_rng(1).standard_normal((2, 32)).astype(np.float32)
    bias = tables[:, buckets(distances, both=False)]
    mask = HeadMask("none" if dropped else "causal", 0)
    made = replace(HEALTHY, multiplier=1.0, mask=mask)
    heads = [
        computed(replace(simulate(number, made, n_keys=64, d_k=16, rows=range(64), logit_std=0.5),
                         bias=bias[number]), made)
        for number in range(2)
    ]  # fmt: skip
    lowest = np.finfo(np.float32).min
    return heads, np.where(np.tri(64, dtype=bool), bias, lowest)[None]


@pytest.mark.slow
def test_a_decoder_of_t5_whose_mask_was_dropped_differs(tmp_path: Path) -> None:
    """Its bias of hidden keys is nowhere captured: it is that of the query's own key."""
    t5 = {"model_type": "t5", "num_heads": 2, "d_kv": 16, "d_model": 32}
    (tmp_path / "config.json").write_text(json.dumps(t5))
    for dropped, start in ((False, "agrees: m = "), (True, "differs: the captured mask is not ap")):
        heads, bias = biased_by_t5(dropped)
        path = save_heads(tmp_path / "a.safetensors", heads, **{"0.bias": bias})
        assert run(path, "--config", str(tmp_path)).stdout.startswith(start)


@pytest.mark.slow
def test_a_bias_of_t5_that_was_captured_and_dropped_differs(tmp_path: Path) -> None:
    t5 = {"model_type": "t5", "num_heads": 2, "d_kv": 16, "d_model": 32}
    (tmp_path / "config.json").write_text(json.dumps(t5))
    _, bias = biased_by_t5()
    path = write(
        tmp_path / "a.safetensors", replace(SEEN, multiplier=1.0), logit_std=0.5,
        extra={"0.bias": np.maximum(bias, -1.0)},
    )  # fmt: skip
    line = run(path, "--config", str(tmp_path)).stdout
    assert line.startswith("differs: bias none, promised the captured one: was the bias dropped?")


@pytest.mark.slow
@pytest.mark.parametrize("captured", [True, False])
def test_a_bias_of_t5_has_to_be_captured(tmp_path: Path, captured: bool) -> None:
    t5 = {"model_type": "t5", "num_heads": 2, "d_kv": 16, "d_model": 32}
    (tmp_path / "config.json").write_text(json.dumps(t5))
    distances = np.arange(64)[None] - np.arange(64)[:, None]
    tables = np.random.default_rng(1).standard_normal((2, 32)).astype(np.float32)
    bias = tables[:, buckets(distances, both=True)]
    made = replace(SEEN, multiplier=1.0)
    heads = []
    for number in range(2):
        head = simulate(number, made, n_keys=64, d_k=16, rows=range(64))
        heads.append(computed(replace(head, bias=bias[number]), made))
    extra = {"0.bias": bias[None]} if captured else {}
    path = save_heads(tmp_path / "a.safetensors", heads, **extra)
    result = run(path, "--config", str(tmp_path))
    line = result.stdout.partition("\n")[0]
    if captured:
        assert result.exit_code == 0
        assert line.startswith("agrees: m = ")
    else:
        assert result.exit_code == 3
        assert "it agrees with some bias, but which is promised was not captured: capture" in line


@pytest.mark.parametrize(
    ("keys", "more", "advice"),
    [
        (0.0, (), "would not have shown: every q·k is 0;"),
        (1e-5, ("--rows", "4"), " fits: try --rows all, or a longer text;"),
        (1e-5, (), " fits: try a longer text;"),
    ],
)
def test_why_no_other_multiplier_would_show_and_what_might_show_it(
    tmp_path: Path, keys: float, more: tuple[str, ...], advice: str
) -> None:
    heads = []
    for number in range(2):
        head = simulate(number, HEALTHY, n_keys=64, d_k=16, rows=range(64))
        small = replace(head, keys=(head.keys * keys).astype(np.float32))
        heads.append(computed(small, HEALTHY))
    path = save_heads(tmp_path / "a.safetensors", heads)
    result = run(path, "--config", config_of(tmp_path), *more)
    line = result.stdout.partition("\n")[0]
    assert advice in line
    assert line.count("another m") == 1
    assert result.exit_code == 3


def test_a_captured_bias_that_is_constant_in_each_row_is_the_promised_one(tmp_path: Path) -> None:
    # BROS adds q·e of the distance of two boxes, which is the same for all keys in one box.
    t5 = {"model_type": "t5", "num_heads": 2, "d_kv": 16, "d_model": 32}
    (tmp_path / "config.json").write_text(json.dumps(t5))
    made = replace(SEEN, multiplier=1.0)
    bias = np.random.default_rng(1).standard_normal((1, 2, 64, 1)).repeat(64, axis=3)
    path = write(tmp_path / "a.safetensors", made, extra={"0.bias": bias.astype(np.float32)})
    result = run(path, "--config", str(tmp_path))
    assert result.stdout.startswith("agrees: m = ")
    assert result.exit_code == 0


@pytest.mark.slow
def test_chunks_and_local_layers_do_not_agree_under_another_mask(tmp_path: Path) -> None:
    llama4 = {"model_type": "llama4_text", "attention_chunk_size": 16, "no_rope_layers": [1, 0]}
    config = config_of(tmp_path, **llama4)
    chunks = replace(HEALTHY, mask=HeadMask("causal", 0, chunk=16))
    right = write(
        tmp_path / "a.safetensors", lambda layer, _: HEALTHY if layer else chunks, layers=2
    )
    assert run(right, "--config", config).exit_code == 0
    wrong = write(tmp_path / "a.safetensors", HEALTHY, layers=2)
    result = run(wrong, "--config", config)
    assert result.exit_code == 1
    assert "mask causal, promised causal in chunks of 16 keys" in result.stdout
    modern = {"model_type": "modernbert", "local_attention": 16, "global_attn_every_n_layers": 3}
    config = config_of(tmp_path, **modern)
    local = replace(HEALTHY, mask=HeadMask("local", 0, 16))
    right = write(tmp_path / "a.safetensors", lambda layer, _: local if layer else SEEN, layers=2)
    assert run(right, "--config", config).exit_code == 0
    wrong = write(tmp_path / "a.safetensors", SEEN, layers=2)
    result = run(wrong, "--config", config)
    assert result.exit_code == 1
    assert "mask none, promised 8 keys to either side" in result.stdout


def with_large_logits(folder: Path, how: Arithmetic, heads: int = 4) -> str:
    """Return the line about heads whose logits bfloat16 rounds by up to a half."""
    config = LLAMA | {"num_attention_heads": heads, "hidden_size": 16 * heads}
    (folder / "config.json").write_text(json.dumps(config))
    path = write(folder / "a.safetensors", how, logit_std=30.0, heads=heads)
    return run(path, "--config", str(folder)).stdout.partition("\n")[0]


def test_an_agreement_says_how_well_m_shows(tmp_path: Path) -> None:
    line = with_large_logits(tmp_path, replace(HEALTHY, path="eager"))
    assert line.startswith("agrees: m = 0.25 = 1/√16 to within ")
    alone = re.search(r"residual up to ([0-9.]+) \(eager rounding alone: ([0-9.]+)\)", line)
    assert alone is not None
    # The rounding is that of all rows, as the residual is.
    assert 0.5 < float(alone[1]) / float(alone[2]) < 2.0


@pytest.mark.slow
def test_room_for_rounded_scores_is_none_for_an_m_that_needs_none_of_it(
    tmp_path: Path,
) -> None:
    """As rounded scores, an m that is 3 % off agrees; but nothing was rounded except the output."""
    how = replace(HEALTHY, multiplier=0.97 * 0.25, path="float32")
    for heads in (1, 4):
        line = with_large_logits(tmp_path, how, heads)
        assert line.startswith("differs: m = 0.242")
        assert "1/√d_k" not in line


@pytest.mark.slow
def test_heads_that_show_another_m_together_name_m(tmp_path: Path) -> None:
    how = replace(HEALTHY, multiplier=1.05 * 0.25, path="eager")
    line = with_large_logits(tmp_path, how)
    assert line.startswith("differs: m = 0.26")
    assert "promised none" not in line


@pytest.mark.slow
def test_rows_that_are_far_off_differ_by_themselves(tmp_path: Path, config: str) -> None:
    """A bias by distance moves all rows, so that it is no cause of one of them."""
    parts = tensors(write(tmp_path / "a.safetensors", HEALTHY))
    parts["out"][0, 0, 40, 3] = 4.0
    line = run(save(tmp_path / "b.npz", **parts), "--config", config).stdout
    assert line.startswith("differs: 1 of 64 rows is not what is promised (row 40); the others are")


@pytest.mark.parametrize("fault", ["m twice", "no m"])
def test_a_promised_m_that_was_not_used_is_no_fault_of_the_capture(fault: str) -> None:
    """Queries and keys may have been captured too early: with the right ones it differs, too."""
    how = Arithmetic(0.125, format="float32", mask=HeadMask("causal"))
    head = simulate(1, how, n_keys=32, rows=range(32), logit_std=3.0)
    assert head.values is not None
    turned = [rope(part, head.rows, 1e4, True) for part in (head.queries / 8, head.keys)]
    normed = [part / np.linalg.norm(part, axis=1)[:, None] for part in (head.queries, head.keys)]
    normed[0] = 8 * normed[0]
    queries, keys = turned if fault == "m twice" else normed
    used = replace(head, queries=queries.astype(np.float32), keys=keys.astype(np.float32))
    output = computed(used, how).output
    assert output is not None
    tensors = [part[None, None] for part in (head.queries, head.keys, head.values, output)]
    report = diagnose(*tensors, scale="inverse-sqrt", causal=True)
    line = "RoPE turns q and k, and m counts twice"
    if fault == "no m":
        line = "q and k are normalised to length 1, and nothing is multiplied by m"
    assert str(report).startswith(f"differs: {line}")
