"""``attn-tui heads`` on the command line."""

import csv
import io
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program
from attn_tui.compute.heads.statistic import OF_SEVERAL_KEYS, STATISTICS
from attn_tui.engine import plan as planning
from attn_tui.engine.survey import Survey
from attn_tui.heads.command import opened
from attn_tui.report.words import LONGEST
from tests.engine.captured import heads, write


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(write(tmp_path / "tiny.safetensors", heads()))


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program, [*arguments])


def asked(*arguments: str) -> Any:
    result = call(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_it_begins_with_a_sentence_and_shows_layers_by_heads(path: str) -> None:
    text = call("heads", path, "--rows", "all").stdout
    lines = text.splitlines()
    z = {at: head.logits.max() for at, head in heads().items()}
    # A row with one key counts nowhere.
    largest = {at: head.weights[1:].max(axis=1).mean() for at, head in heads().items()}
    layer, head = max(largest, key=lambda at: largest[at])
    assert text.startswith("None of 12 heads saturates: their rows put less than 90 % of ")
    assert f"Layer {layer} head {head} is the sharpest." in " ".join(lines[:2])
    assert largest[layer, head] < 0.9
    assert "causal, as the output says; P·V misses the output by almost nothing" in text
    assert "all 60 of each head" in text
    at = lines.index("largest z: the largest logit")
    assert lines[at + 1].split() == ["layer", "×", "head", "0", "1", "2", "3"]
    for row in range(3):
        wanted = [f"{z[row, each]:#.3g}" for each in range(4)]
        assert lines[at + 2 + row].split() == [str(row), *wanted]
    assert max(map(len, lines)) <= 80
    assert "e-" not in lines[0]


def test_sampled_rows_say_so(path: str) -> None:
    text = call("heads", path, "--rows", "20", "--seed", "7").stdout
    assert "20 of 60 of each head, drawn with seed 7" in text
    assert "of the rows drawn, others may go further" in text
    assert "standard errors up to" in text
    assert "no |q·k| exceeds" in text


@pytest.mark.slow
def test_every_statistic_has_a_headline_and_a_table(path: str) -> None:
    for at, name in enumerate(STATISTICS):
        rows = ("all", "5")[at % 2]
        text = call("heads", path, "--statistic", name, "--rows", rows).stdout
        assert STATISTICS[name].title + ": " in text
        first = text.partition("\n\n")[0]
        assert all(len(line) <= 80 for line in first.splitlines()[:3])
        assert len(" ".join(first.split())) <= LONGEST
        assert "nan" not in text.lower()


def test_json_and_csv_say_the_same(path: str) -> None:
    names = ("max_logit", "entropy", "key_norm")
    given = ("heads", path, "--statistic", ",".join(names), "--rows", "30")
    plain = asked(*given)
    rows = [*csv.DictReader(io.StringIO(call(*given, "--csv").stdout))]
    assert len(rows) == 12 * 3
    for row in rows:
        head = next(
            each
            for each in plain["heads"]
            if (str(each["layer"]), str(each["head"])) == (row["layer"], row["head"])
        )
        found = head["statistics"][row["statistic"]]
        for name in ("value", "standard_error", "row", "key"):
            assert row[name] == ("" if found[name] is None else str(found[name]))
    assert plain["question"] == {
        "rows": 30, "seed": 1, "layers": None, "heads": None, "rule": "inverse-sqrt",
        "own_rule": False, "parameters": {},
        "softcap": None, "uncapped": False, "sink": "captured", "mask": "auto",
    }  # fmt: skip
    assert [mask["mask"] for mask in plain["masks"]] == ["causal"] * 3


def test_each_statistic_says_of_which_rows_it_is(path: str) -> None:
    # The first of causal rows sees one key.
    text = " ".join(call("heads", path, "--statistic", ",".join(STATISTICS)).stdout.split())
    for name, statistic in STATISTICS.items():
        said = f"{statistic.title}: {statistic.words}, of rows with a choice" in text
        assert said == (name in OF_SEVERAL_KEYS)
    assert text.count("of rows with a choice") == 4


@pytest.mark.slow
def test_fail_if_sets_the_status(path: str) -> None:
    for condition, status in [
        ("max_logit > 5", 1),
        ("max-logit>1e9", 0),
        ("entropy <= 100", 1),
        ("float16_margin < 1", 0),
        ("cosine >= 2", 0),
    ]:
        result = call("heads", path, "--fail-if", condition, "--fail-if", "max_logit > 1e8")
        assert result.exit_code == status
        told = result.stdout.split("\n\n")[1]
        assert ("In none of 12 heads" in told) or status
        plain = json.loads(call("heads", path, "--fail-if", condition, "--json").stdout)
        assert bool(plain["conditions"][0]["heads"]) == bool(status)


def test_bad_input_is_one_line_and_status_2(path: str) -> None:
    assert call("heads").stderr.startswith("attn-tui: CAPTURE: none is given")
    for arguments, message in [
        ("--statistic loudness", "--statistic: 'loudness' is no statistic; expected"),
        ("--fail-if max_logit", "--fail-if: 'max_logit' is no condition; expected a statistic"),
        ("--fail-if max_logit>x", "--fail-if: 'x' is not a number"),
        ("--fail-if max_logit>nan", "--fail-if: 'nan' meets nothing; expected a number"),
        ("--fail-if loud>1", "--fail-if: 'loud' is no statistic"),
        ("--rows 0", "--rows: '0' will not do"),
        ("--layer 9", "--layer: there is no layer 9; expected one from 0 to 2"),
        ("--head 4", "--head: there is no head 4"),
        ("--mask diagonal", "--mask: 'diagonal' is no mask; expected auto"),
        ("--scale 0", "--scale: '0' will not do"),
        ("--scale 1 --rule none", "--scale: --rule gives the multiplier"),
        ("--scheduler nowhere.json", "--scheduler: 'nowhere.json' is not there"),
    ]:
        result = call("heads", path, *arguments.split())
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"attn-tui: {message}")
        assert result.stderr.count("\n") == 1


@pytest.mark.slow
def test_how_weights_are_made_can_be_said(path: str) -> None:
    plain = asked("heads", path, "--scale", "0.5", "--statistic", "max_logit", "--mask", "none")
    other = asked("heads", path, "--rule", "none", "--statistic", "max_logit", "--mask", "none")
    for one, two in zip(plain["heads"], other["heads"], strict=True):
        value = one["statistics"]["max_logit"]["value"]
        assert value == pytest.approx(two["statistics"]["max_logit"]["value"] / 2)
    capped = asked(
        "heads", path, "--softcap", "2", "--statistic", "max_logit,sink_mass", "--sink=1"
    )
    assert all(head["statistics"]["max_logit"]["value"] < 2 for head in capped["heads"])
    assert all(head["statistics"]["sink_mass"]["value"] > 0 for head in capped["heads"])
    text = call("heads", path, "--scale", "0.5").stdout
    assert "z = m·s, m = 1/2" in text
    assert "causal, as the output says" in text


def test_a_captured_sink_takes_part_unless_none_is_asked_for(tmp_path: Path) -> None:
    draw = np.random.default_rng(1).standard_normal
    tensors = {"q": draw((1, 2, 9, 4)), "k": draw((1, 2, 9, 4)), "sink": np.array([1.0, 2.0])}
    write_safetensors(tmp_path / "sinks.safetensors", tensors)
    given = ("heads", str(tmp_path / "sinks.safetensors"), "--statistic", "sink_mass")
    for options, takes_part in (((), True), (("--sink", "none"), False)):
        found = asked(*given, *options)["heads"]
        assert [head["statistics"]["sink_mass"]["value"] > 0 for head in found] == [takes_part] * 2


def test_nan_and_infinity_are_counted_and_placed(tmp_path: Path) -> None:
    made = heads(layers=1)
    made[0, 2].queries[7, 3] = np.nan
    path = str(write(tmp_path / "odd.safetensors", made))
    text = call("heads", path, "--rows", "all").stdout
    assert "NaN or infinity in 1 row of 1 head, first in layer 0 head 2, row 7" in text


def test_ctrl_c_prints_what_there_is(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from attn_tui.engine import survey as module

    monkeypatch.setattr(planning, "SHORT", 0.0)
    survey = module.survey
    pressed_once: list[bool] = []

    def pressed(*given: Any, **more: Any) -> Iterator[Survey]:
        for found in survey(*given, **more):
            yield found
            if found.partials and not pressed_once:
                pressed_once.append(True)
                signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(module, "survey", pressed)
    monkeypatch.setattr(module, "SHORT", 0.0)
    result = call("heads", path)
    assert result.exit_code == 130
    assert "seen so far" in " ".join(result.stdout.split())
    assert " of 12 blocks of rows are known" in result.stdout


@pytest.mark.parametrize("form", ["--json", "--csv", None])
def test_ctrl_c_while_masks_are_sought_ends_after_a_layer_and_prints_what_there_is(
    path: str, form: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from attn_tui.engine import reconstruction

    sought, layers = reconstruction._Layer.reconstruction, []

    def pressed(layer: Any) -> Any:
        layers.append(layer.number)
        if layer.number == 1:
            signal.raise_signal(signal.SIGINT)
        return sought(layer)

    monkeypatch.setattr(reconstruction._Layer, "reconstruction", pressed)
    result = call("heads", path, *filter(None, [form]))
    assert (result.exit_code, layers) == (130, [0, 1])
    if form is None:
        assert "0 of 12 blocks of rows are known" in " ".join(result.stdout.split())
    elif form == "--json":
        plain = json.loads(result.stdout)
        assert plain["heads"] == []
        assert not plain["complete"]


def test_a_worker_is_sent_an_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "capture.safetensors", heads())
    monkeypatch.chdir(tmp_path)
    asked = dict.fromkeys(("layout", "names", "config"))
    alone, sent = (
        opened(("capture.safetensors",), {**asked, "scheduler": scheduler}).capture.paths
        for scheduler in (None, "tcp://127.0.0.1:1")
    )
    assert alone == ("capture.safetensors",)
    assert sent == (str(tmp_path / "capture.safetensors"),)
