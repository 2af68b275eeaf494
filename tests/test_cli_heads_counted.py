"""Which heads count on the command line, and what conditions on them can tell."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.heads.head import Head
from attn_tui.compute.heads.head_model import HeadModel
from tests.engine.captured import heads, write
from tests.test_cli_heads import call


@pytest.mark.parametrize("odd", [1, 12])
def test_a_condition_on_rows_that_meet_nan_cannot_be_told(tmp_path: Path, odd: int) -> None:
    made = heads()
    for head in [*made][:odd]:
        made[head].queries[:] = np.nan
    path = str(write(tmp_path / "odd.safetensors", made))
    result = call("heads", path, "--fail-if", "max_logit > 1e6")
    assert result.exit_code == 3
    said = " ".join(result.stdout.partition("\n\ncapture")[0].split())
    why = f"NaN or infinity in {60 * odd} rows"
    told = f"Cannot tell whether max_logit > 1e+06 in {odd} of 12 heads: {why}."
    assert said.endswith(told)
    assert said.startswith("No head has a number here: their rows meet NaN") == (odd == 12)
    assert call("heads", path, "--fail-if", "max_logit < 1e6").exit_code == (1 if odd == 1 else 3)
    plain = json.loads(call("heads", path, "--fail-if", "max_logit > 1e6", "--json").stdout)
    assert len(plain["conditions"][0]["cannot_tell"]) == odd


def test_numbers_of_heads_that_do_not_count_are_marked(tmp_path: Path) -> None:
    made, noise = heads(layers=1), np.random.default_rng(1).standard_normal
    for head in [*made.values()][2:]:
        head.output[:] = noise(head.output.shape)
    path = str(write(tmp_path / "other.safetensors", made))
    report = call("heads", path).stdout
    count = len(made) - 2
    said = " ".join(report.split())
    assert f"{count} more are not counted: their weights miss the captured output" in said
    assert "P·V misses the output by almost nothing, but in the heads below" in said
    table = report.partition("largest p: ")[2].partition("\n\n")[0]
    assert "; ?: does not count" in " ".join(table.split())
    assert table.count("%?") == count
    scores = call("heads", path, "--statistic", "largest_score").stdout
    assert "?" not in scores
    lines = [*csv.DictReader(StringIO(call("heads", path, "--csv").stdout))]
    counts = [each["counts"] for each in lines if "max_weight" in each.values()]
    assert counts == ["true"] * 2 + ["false"] * count
    counts = [each["counts"] for each in lines if "largest_score" in each.values()]
    assert "false" not in counts
    plain = json.loads(call("heads", path, "--json").stdout)
    told = [each["statistics"]["max_weight"]["counts"] for each in plain["heads"]]
    assert told == [True] * 2 + [False] * count


def test_a_condition_that_holds_of_weights_not_in_use_cannot_be_told(tmp_path: Path) -> None:
    made, noise = heads(layers=1, query_heads=2), np.random.default_rng(1).standard_normal
    for head in made.values():
        head.output[:] = noise(head.output.shape)
    path = str(write(tmp_path / "missed.safetensors", made))
    assert call("heads", path, "--fail-if", "max_weight > 0.01").exit_code == 3


@pytest.mark.slow
def test_a_condition_on_weights_that_are_not_in_use_cannot_be_told(tmp_path: Path) -> None:
    made, noise = heads(layers=1), np.random.default_rng(1).standard_normal
    for head in [*made.values()][1:]:
        head.output[:] = noise(head.output.shape)
    path = str(write(tmp_path / "other.safetensors", made))
    result = call("heads", path, "--fail-if", "max_weight > 0.99")
    assert result.exit_code == 3
    assert "miss the captured output" in " ".join(result.stdout.partition("Cannot")[0].split())
    assert "miss the captured output, and may not be those in use" in " ".join(
        result.stdout.split()
    )
    # What is of scores, and what is asked for, is known.
    assert call("heads", path, "--fail-if", "largest_score > 1e9").exit_code == 0
    asked_for = call("heads", path, "--rule", "inverse-sqrt", "--fail-if", "max_weight > 0.99")
    assert asked_for.exit_code == 0
    assert "not counted" not in asked_for.stdout


def test_a_condition_on_a_share_may_be_in_percent(tmp_path: Path) -> None:
    path = str(write(tmp_path / "tiny.safetensors", heads()))
    said = [call("heads", path, "--fail-if", f"max_weight > {n}") for n in ("0.3", "30 %", "30%")]
    assert [each.exit_code for each in said] == [1, 1, 1]
    heads_of = [each.stdout.partition("capture ")[0] for each in said]
    assert heads_of == heads_of[:1] * 3
    refused = call("heads", path, "--fail-if", "max_weight > 90")
    assert refused.exit_code == 2
    assert "max_weight is a share of 1" in " ".join(refused.output.split())
    assert call("heads", path, "--fail-if", "max_logit > 3 %").exit_code == 2


def test_a_layout_that_the_output_says_is_in_words(tmp_path: Path) -> None:
    # As many heads as positions, so that shapes leave open which is which.
    draw = np.random.default_rng(3).standard_normal
    made = [
        Head(draw((16, 8)), draw((16, 8)), draw((16, 8)), HeadModel(8**-0.5)) for _ in range(16)
    ]
    names = {"q": "queries", "k": "keys", "v": "values", "out": "output"}
    tensors = {
        f"0.{part}": np.array([getattr(each, name) for each in made], np.float32)
        .swapaxes(0, 1)[None]
        .copy()
        for part, name in names.items()
    }
    path = tmp_path / "turned.safetensors"
    write_safetensors(path, tensors)
    text = " ".join(call("heads", str(path)).output.split())
    assert "Layout as the output says: q, k, v and out [batch, positions, heads, dim]." in text
    assert text.count("[batch, ") == 1
    doctor = " ".join(call("doctor", str(path)).output.split())
    assert "Layout as the output says: q, k, v and out [batch, positions, heads, dim]." in doctor
    assert doctor.count("[batch, ") == 1


def test_nan_and_infinity_in_any_tensor_are_counted_and_placed(tmp_path: Path) -> None:
    path = tmp_path / "capture.safetensors"
    rng = np.random.default_rng(1)
    shapes = {"q": 4, "k": 2, "v": 2, "out": 4}
    made = {
        f"{layer}.{part}": rng.standard_normal((1, count, 300, 8)).astype(np.float16)
        for layer in range(2)
        for part, count in shapes.items()
    }
    for layer in range(2):
        q, k, v = (made[f"{layer}.{part}"].astype(np.float64) for part in "qkv")
        z = q @ np.repeat(k, 2, axis=1).swapaxes(2, 3) / 8**0.5
        p = np.exp(np.where(np.tri(300, dtype=bool), z, -np.inf))
        p /= p.sum(axis=3, keepdims=True)
        made[f"{layer}.out"] = (p @ np.repeat(v, 2, axis=1)).astype(np.float16)
    made["1.v"][0, 1, 200:, 3] = np.nan
    made["0.out"][0, 2, 250, 5] = np.inf
    write_safetensors(path, made)
    result = call("heads", str(path), "--mask", "causal", "--rows", "4")
    said = " ".join(result.stdout.split())
    assert result.exit_code == 0
    assert "v holds 100 NaN, first in layer 1 head 2, row 200, column 3" in said
    assert "out holds 1 infinity, first in layer 0 head 2, row 250, column 5" in said
    assert "2 of them meet NaN or infinity, first layer 0 head 2." in said
    plain = json.loads(call("heads", str(path), "--mask=causal", "--rows=4", "--json").stdout)
    assert {
        (h["layer"], h["head"]): h["not_finite"] for h in plain["heads"] if h["not_finite"]
    } == {
        (1, 2): [{"part": "v", "nan": 100, "infinite": 0, "row": 200, "column": 3}],
        (0, 2): [{"part": "out", "nan": 0, "infinite": 1, "row": 250, "column": 5}],
    }


def attended(path: Path, seen: NDArray[np.bool_], hidden: float = -np.inf) -> tuple[str, Any]:
    """Write two sequences of two heads, their outputs in plain NumPy; return it and the weights.

    Args:
        path: Of the capture, which holds no mask.
        seen: What each row sees, shape (2, 1, n, n).
        hidden: What stands for a logit that is not seen.
    """
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((2, 2, 40, 16)).astype(np.float32) for _ in range(3))
    z = np.where(seen, np.einsum("bhqd,bhkd->bhqk", q, k) / 4, hidden)
    p = np.exp(z - z.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    np.savez(path, **{"0.q": q, "0.k": k, "0.v": v, "0.out": (p @ v).astype(np.float32)})
    return str(path), p


@pytest.mark.parametrize("hides", ["other texts", "padding"])
def test_a_sequence_with_hidden_keys_counts_only_with_its_mask(tmp_path: Path, hides: str) -> None:
    seen = np.tile(np.tri(40, dtype=bool), (2, 1, 1, 1))
    if hides == "other texts":
        seen[1, :, 14:, :14] = False
    else:
        seen[1, :, :, :9] = False
    path, p = attended(tmp_path / "hidden.npz", seen, hidden=-3e38)
    asked = ("heads", path, "--json", "--statistic", "max_weight")
    plain = json.loads(call(*asked).stdout)
    assert [head["fits"] for head in plain["heads"]] == [True, True, False, False]
    counts = [head["statistics"]["max_weight"]["counts"] for head in plain["heads"]]
    assert counts == [True, True, False, False]
    assert call("heads", path, "--fail-if", "max_weight > 0.99").exit_code == 3
    with np.load(path) as tensors:
        np.savez(path, allow_pickle=False, **tensors, **{"0.mask": seen})
    for head in json.loads(call(*asked).stdout)["heads"]:
        rows = p[head["batch"], head["head"], seen[head["batch"], 0].sum(-1) > 1]
        value = head["statistics"]["max_weight"]["value"]
        assert value == pytest.approx(rows.max(-1).mean(), rel=1e-5)
        assert head["fits"]
        assert head["residual"] < 3 * head["rounding"]
