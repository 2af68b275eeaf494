"""`attn_tui.load` and `save`: from the screen to a notebook and back."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attn_tui
from attn_tui import Drawn, Explore, InputError, Setup, Sweep
from attn_tui.compute.experiment import Experiment
from tests.test_cli_heads import call


@pytest.fixture
def printed(tmp_path: Path) -> Callable[[str], attn_tui.SavedReport]:
    """Return a function that asks a command line and loads what it prints."""

    def ask(line: str) -> attn_tui.SavedReport:
        path = tmp_path / "saved.json"
        path.write_text(call(*line.split(), "--json").stdout)
        return attn_tui.load(path)

    return ask


def test_a_report_has_its_question_and_numbers_and_is_answered_again(
    printed: Callable[[str], attn_tui.SavedReport],
) -> None:
    saved = printed("show 100,120,-inf --d-k 64 --of 1")
    assert saved.headline.startswith("Unscaled")
    vector = saved.numbers["vectors"][0]
    assert vector["scores"].tolist() == [100, 120, -np.inf]
    again = attn_tui.answer(saved.experiment, Explore)
    assert vector["scaled"]["weights"].tolist() == again.vectors[0].scaled.weights().tolist()
    # The class stands for the settings that were asked, and not for the defaults.
    assert again.vectors[0].of == 1
    assert attn_tui.answer(saved.experiment, Explore(of=0)).vectors[0].of == 0


def test_every_instrument_that_answers_has_its_settings(
    printed: Callable[[str], attn_tui.SavedReport],
) -> None:
    saved = printed("sweep --n 4 --d-k 1:16 --points 2 --draws 9")
    points = attn_tui.answer(saved.experiment, Sweep).points
    rows = saved.numbers["points"]
    assert [row["d_k"] for row in rows] == [1, 1, 16, 16]
    point = points.at(4, 1, attn_tui.Scale("none"))
    assert point
    assert rows[0]["max_weight"]["mean"]["value"] == point.statistics["max_weight"].mean
    claim = printed("claim S0-14")
    assert isinstance(claim.experiment, Experiment)


def test_a_question_of_a_notebook_is_opened_by_the_program(tmp_path: Path) -> None:
    asked = Experiment(Drawn(n_keys=9, seed=3), Setup(d_k=256).put(Explore(of=2)))
    attn_tui.save(asked, tmp_path / "q.json")
    assert attn_tui.load(tmp_path / "q.json").experiment == asked
    said = json.loads(call("show", "--experiment", str(tmp_path / "q.json"), "--json").stdout)
    assert said["experiment"]["d_k"] == 256
    attn_tui.save(replace(asked, setup=Setup(d_k=4)), str(tmp_path / "q.json"))
    assert attn_tui.load(tmp_path / "q.json").experiment.setup.d_k == 4


@pytest.mark.parametrize(
    ("plain", "says"),
    [
        ([1, 2], "path: it has no schema; expected JSON of attn-tui"),
        ({"a": [1]}, "path: it has no schema"),
        ({"schema": "other/1"}, "path: its schema is 'other/1'"),
    ],
)
def test_other_json_is_refused(plain: Any, says: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(plain))
    with pytest.raises(InputError, match="expected JSON of attn-tui") as caught:
        attn_tui.load(path)
    assert says.split("; ")[0].partition(": ")[2] in str(caught.value)
    assert "other.json" in str(caught.value)


@pytest.mark.slow
def test_a_claim_has_its_sentence_and_several_have_their_number(
    printed: Callable[[str], attn_tui.SavedReport],
) -> None:
    assert "It holds only for Q and K." in printed("claim S0-1").headline
    assert printed("claims S0").headline.endswith(" claims")


def test_a_diagnosis_has_numbers_and_no_question(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    plain = {
        "schema": "attn-tui/1", "why": ["agrees: m = 1"],
        "heads": [{"multiplier": [1, "-Infinity", "Infinity"], "residual": None}],
    }  # fmt: skip
    path.write_text(json.dumps(plain))
    saved = attn_tui.load(path)
    assert saved.headline == "agrees: m = 1"
    assert saved.numbers["heads"][0]["multiplier"].tolist() == [1, -np.inf, np.inf]
    with pytest.raises(InputError, match="the file has none"):
        _ = saved.experiment
    with pytest.raises(InputError, match="expected a file that can be read"):
        attn_tui.load(tmp_path / "none.json")
    with pytest.raises(InputError, match="experiment: '3' is none; expected an Experiment"):
        attn_tui.save(3, path)  # type: ignore[arg-type]
