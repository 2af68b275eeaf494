"""Captured heads that hold NaN, and those of which a fit says how they were computed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from attn_tui.attention.headline import headline
from attn_tui.attention.report import report
from attn_tui.captures.source import Captured
from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program
from attn_tui.compute.attention.answer import answer
from attn_tui.compute.attention.rows import HIDDEN
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.captured import captured_at
from attn_tui.report import forms
from tests.engine import captured as made_up


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "c.safetensors"


@pytest.mark.parametrize(
    ("part", "value", "at", "odd"),
    [
        ("k", np.nan, (5, 3), [5, 6, 7]),
        ("k", -np.inf, (5, 3), [5, 6, 7]),
        ("q", np.inf, (2, 0), [2]),
        ("v", np.nan, (4, 1), []),
        ("bias", np.inf, (3, 1), [3]),
        # What is masked does no harm.
        ("bias", np.nan, (3, 6), []),
    ],
)
@pytest.mark.parametrize("qk_norm", [False, True])
def test_rows_that_do_not_see_nan_are_as_they_would_be(
    tmp_path: Path, part: str, value: float, at: tuple[int, int], odd: list[int],
    qk_norm: bool,
) -> None:  # fmt: skip
    draw = np.random.default_rng(1).standard_normal
    parts = {f"0.{name}": draw((1, 2, 8, 4)).astype(np.float32) for name in ("q", "k", "v")}
    parts["0.bias"] = draw((1, 2, 8, 8)).astype(np.float32)
    setup, rows = Setup(scale=Scale(qk_norm=qk_norm)), [*range(8)]
    found = []
    for name in ("whole", "broken"):
        path = tmp_path / f"{name}.safetensors"
        write_safetensors(path, parts)
        found.append(next(answer(Experiment(captured_at((str(path),), head=1), setup))))
        parts[f"0.{part}"] = parts[f"0.{part}"].copy()
        parts[f"0.{part}"][0, 1, *at] = value
    whole, broken = found
    assert np.flatnonzero(broken.odd).tolist() == odd
    assert not whole.odd.any()
    assert broken.attended.tolist() == whole.attended.tolist()
    right = [row for row in rows if row not in odd]
    for side, other in zip(broken.sides, whole.sides, strict=True):
        for name in ("largest", "key", "entropy", "gradient", "sink", "blocks"):
            here, there = getattr(side, name)[right], getattr(other, name)[right]
            np.testing.assert_allclose(here, there, rtol=1e-12, atol=1e-15)
        assert np.isnan(side.largest[odd]).all()
        assert np.isnan(side.gradient[odd]).all()
        # What is masked is blank there too.
        assert np.array_equal(side.blocks == HIDDEN, other.blocks == HIDDEN)
    source = broken.experiment.source
    assert isinstance(source, Captured)
    name = {"bias": "the bias"}.get(part, part)
    kind = "NaN" if np.isnan(value) else "infinity"
    text = f"{name} holds 1 {kind}, first at row {at[0]}, column {at[1]}"
    assert [*map(str, source.odd)] == [text]
    plain = json.loads("".join(forms.json(report(broken))))
    assert plain["not_finite_rows"] == odd
    assert plain["captured"]["not_finite"][0]["part"] == name
    assert headline(broken).startswith(f"{len(odd)} of 8 queries meet NaN") is bool(odd)


def test_a_row_that_meets_nan_is_said_to_by_show(tmp_path: Path) -> None:
    draw = np.random.default_rng(1).standard_normal
    parts = {f"0.{name}": draw((1, 1, 8, 4)).astype(np.float32) for name in ("q", "k", "v")}
    parts["0.k"][0, 0, 5, 3] = parts["0.v"][0, 0, 5, 3] = np.nan
    write_safetensors(path := tmp_path / "odd.safetensors", parts)
    texts = [
        CliRunner().invoke(program, ["show", "--capture", str(path), "--row", row]).stdout
        for row in ("4", "6")
    ]
    assert "k holds 1 NaN, first at row 5, column 3" in " ".join(texts[0].split())
    assert "nan:" not in texts[0]
    assert "NaN" not in texts[0].partition("q4:")[2]
    assert "nan: both: the score of key 5 is NaN, as captured; so is every" in " ".join(
        texts[1].split()
    )


def test_a_head_all_of_which_meets_nan_says_so(tmp_path: Path) -> None:
    parts = {f"0.{name}": np.ones((1, 1, 8, 4), np.float32) for name in ("q", "k")}
    parts["0.k"][0, 0, 0] = np.nan
    write_safetensors(path := tmp_path / "odd.safetensors", parts)
    done = CliRunner().invoke(program, ["attention", "--capture", str(path)])
    assert done.stdout.startswith("Every query meets NaN or infinity, or")
    assert "k holds 4 NaN, first at row 0, column 0" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("unusual", "made"),
    [
        ({"sink": 1.5}, "causal, sink b = 1.5"),
        ({"softcap": 3.0}, "causal, soft cap 3"),
    ],
)
def test_what_a_fit_finds_is_named(file: Path, unusual: dict[str, Any], made: str) -> None:
    weights = made_up.write_unusual(file, **unusual)[0, 2]
    (name,) = unusual
    heads = " ".join(CliRunner().invoke(program, ["heads", str(file)]).stdout.split())
    asked = ["attention", "--capture", str(file), "--head", "2"]
    text = " ".join(CliRunner().invoke(program, asked).stdout.split())
    plain = json.loads(CliRunner().invoke(program, [*asked, "--json"]).stdout)
    for each in (heads, text):
        assert f"{made}, found by the doctor's fit" in each
    known = plain["captured"]
    assert known["known_by"] == "fit"
    assert known["mask"] == "causal"
    found = {each: known[each] for each in ("softcap", "sink")}
    assert found == {each: pytest.approx(unusual.get(each), rel=1e-3) for each in found}
    if name == "sink":
        assert "its sink takes part" in text
        share = np.sort(1.0 - weights.sum(1))[29]
        assert f"the sink typically takes {100 * share:.1g} % of the weight" in text
        other = CliRunner().invoke(program, [*asked, "--sink", "2"]).stdout
        assert "its sink is not asked" in " ".join(other.split())


def test_a_window_that_nothing_states_is_said_to_be_unexplained(file: Path) -> None:
    weights = made_up.write_unusual(file, window=6)
    heads = " ".join(CliRunner().invoke(program, ["heads", str(file)]).stdout.split())
    assert "causal, nearest to what was captured, and does not explain it" in heads
    assert "try attn-tui doctor" in heads
    asked = ["attention", "--capture", str(file), "--head", "2"]
    text = " ".join(CliRunner().invoke(program, asked).stdout.split())
    assert "causal is nearest, and does not explain the output" in text
    # Whoever knows the window has it judged by the output.
    given = ["heads", str(file), "--mask", "window:6", "--rows", "all", "--json"]
    plain = json.loads(CliRunner().invoke(program, given).stdout)
    assert plain["masks"][0]["fits"]
    shown = [head["statistics"]["max_weight"]["value"] for head in plain["heads"]]
    assert shown == pytest.approx([*weights[0, :, 1:].max(-1).mean(-1)], rel=1e-3)


@pytest.mark.parametrize(("asked", "cap"), [("none", np.inf), ("2", 2.0)])
def test_heads_use_the_cap_that_is_asked(file: Path, asked: str, cap: float) -> None:
    made_up.write_unusual(file, softcap=3.0)
    done = CliRunner().invoke(
        program, ["heads", str(file), "--softcap", asked, "--rows", "all", "--json"]
    )
    plain = json.loads(done.stdout)
    tensors = made_up.unusual()[0]
    q, k = (tensors[f"0.{name}"].astype(np.float64) for name in "qk")
    z = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    z = z if np.isinf(cap) else cap * np.tanh(z / cap)
    z[..., np.triu(np.ones(z.shape[-2:], bool), 1)] = -np.inf
    largest = z[0].max(axis=(-2, -1))
    found = [head["statistics"]["max_logit"]["value"] for head in plain["heads"]]
    assert found == pytest.approx([*largest], rel=1e-5)
    assert all(mask["softcap"] is None for mask in plain["masks"])


@pytest.mark.parametrize("rule", ["", "inverse-sqrt"])
def test_a_row_has_the_m_that_a_fit_finds_unless_another_is_asked(file: Path, rule: str) -> None:
    weights = made_up.write_unusual(file, multiplier=1.0)[0, 2, 40]
    asked = ["show", "--capture", str(file), "--head", "2", "--row", "40"]
    asked += ["--rule", rule] * bool(rule)
    plain = json.loads(CliRunner().invoke(program, [*asked, "--json"]).stdout)
    shown = plain["vectors"][0]["scaled"]["weights"]
    assert (shown == pytest.approx([*weights], abs=1e-3)) is not bool(rule)
