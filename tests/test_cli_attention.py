"""``attn-tui attention`` prints what the screen shows, and the screen's line asks it again."""

import json
import re
from dataclasses import replace
from pathlib import Path
from shlex import split

import numpy as np
import pytest
from click.testing import CliRunner

from attn_tui.captures.writer import write_safetensors
from attn_tui.commands import line
from attn_tui.commands.program import program
from attn_tui.compute.attention.answer import answer
from attn_tui.compute.attention.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products, Source, Typed, Vector
from attn_tui.console.asking import asked_by
from attn_tui.files.codec import experiment_from_plain
from attn_tui.files.draft import EXAMPLE, draft_of, parse
from attn_tui.files.history import Question
from tests.pairs import covering

ROWS = np.array([[1.0, 0.0], [0.0, 2.0]])


def ran(*arguments: str) -> str:
    result = CliRunner().invoke(program, ["attention", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_headline_comes_first_and_a_row_for_each_query() -> None:
    text = ran("--d-k", "64", "--n", "5")
    assert text.startswith("Unscaled, ")
    assert "sees" in text
    rows = [row.split() for row in re.split("query +sees", text)[1].splitlines()[1:6]]
    assert [row[:2] for row in rows] == [[str(n), str(n + 1)] for n in range(5)]
    assert max(map(len, text.splitlines())) <= 80


def test_a_rule_of_the_number_of_keys_shows_the_multiplier_of_each_row() -> None:
    text = ran("--d-k", "64", "--n", "12", "--rule", "log-length")
    lines = [line.split() for line in text.splitlines()]
    numbered = {line[0]: line for line in lines if len(line) > 8 and line[0].isdigit()}
    # ln n/(ln 512·√64), of as many keys as the row sees.
    for row in (1, 5, 11):
        assert f"{np.log(row + 1) / np.log(512) / 8:.4f}" in numbered[str(row)]
    flat = " ".join(text.split())
    assert "m is each row's own, of the keys it sees." in flat
    assert max(map(len, text.splitlines())) <= 80
    assert "each row's own" not in ran("--d-k", "64", "--n", "12")


def test_json_has_every_number_and_asks_it_again() -> None:
    plain = json.loads(ran("--n", "6", "--seed", "4", "--json"))
    asked = experiment_from_plain(plain)
    assert asked.setup.get(Settings) == Settings(n=6, seed=4)
    *_, found = answer(asked)
    assert plain["keys"] == [1, 2, 3, 4, 5, 6]
    assert plain["scaled"]["largest"] == found.scaled.largest.tolist()
    assert plain["unscaled"]["map"][2][:3] == found.unscaled.blocks[2, :3].tolist()
    assert plain["unscaled"]["map"][2][3:] == [None] * 3


def test_a_mask_of_a_drawn_head_is_causal_or_none() -> None:
    assert json.loads(ran("--mask", "none", "--json"))["mask"] == ""
    assert json.loads(ran("--mask", "causal", "--json"))["mask"] == "causal"
    result = CliRunner().invoke(program, ["attention", "--mask", "5"], standalone_mode=False)
    assert result.exit_code != 0 or "causal or none" in result.output


SETUPS = (
    Setup(), Setup(64, Scale("inverse", softcap=30.0)), Setup(8, precision=Precision("bfloat16")),
    Setup(16, Scale(sink=0.5, qk_norm=True)), Setup(mask=Mask(((1, 2),))),
)  # fmt: skip


SOURCES: tuple[tuple[Source, Settings], ...] = (
    (parse(EXAMPLE).source, Settings(n=5, seed=3, causal=False)),
    (Typed((Vector("a", np.array([1.0, 2.0])), Vector("b", np.array([0.5, 3.0])))), Settings()),
    (Drawn(6, 2, 6), Settings("drawn", 7)),
    (Products(ROWS, ROWS, ROWS), Settings()),
    (Drawn(4, 1, 3), Settings()),
)


@pytest.mark.parametrize(("setup", "asked"), covering(SETUPS, SOURCES))
def test_the_line_asks_what_the_screen_shows(setup: Setup, asked: tuple[Source, Settings]) -> None:
    source, own = asked
    experiment = Experiment(source, setup.put(own))
    text = line.attention(Question(draft_of(experiment), experiment))
    assert split(text)[:2] == ["attn-tui", "attention"]
    _, again = asked_by(text)
    shown, found = (next(answer(each)) for each in (experiment, again))
    np.testing.assert_array_equal(shown.scaled.blocks, found.scaled.blocks)
    assert shown.head.setup.scale == found.head.setup.scale


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        (["1,2,3"], "SCORES: the head is drawn, and these scores are left aside"),
        (["--draw", "4", "--vectors", "4", "--rows", "drawn"], "--draw: the head is drawn"),
        (["--draw", "8", "--vectors", "8", "--n", "5"], "--n: the rows are those that are given"),
        (["1,2", "3,4", "--causal"], "--causal: the rows are those that are given"),
    ],
)
def test_nothing_that_is_given_is_left_aside(arguments: list[str], refused: str) -> None:
    assert refused in CliRunner().invoke(program, ["attention", *arguments]).output


def test_what_would_draw_a_head_is_not_written_of_rows_that_are_there() -> None:
    rows = replace(EXAMPLE, text="1 2\n3 4", setup=Setup().put(Settings(n=5, seed=3)))
    assert line.attention(Question.first(rows)) == "attn-tui attention 1,2 3,4 --d-k 1024"


def test_a_head_whose_keys_are_all_0_is_told_without_a_warning(tmp_path: Path) -> None:
    tensors = {"0.q": np.ones((1, 1, 6, 4), np.float32), "0.k": np.zeros((1, 1, 6, 4), np.float32)}
    write_safetensors(tmp_path / "zero.safetensors", tensors)
    asked = ["attention", "--capture", str(tmp_path / "zero.safetensors")]
    done = CliRunner().invoke(program, asked)
    assert (done.exit_code, done.stderr) == (0, "")
