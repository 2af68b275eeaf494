"""``attn-tui diff``."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

import attn_tui
from attn_tui.commands.program import program
from docs.tables import DOCS
from tests.diffing.captures import captured


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["diff", *arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a reference, itself with a layer tampered with, and one with NaN."""
    path = tmp_path_factory.mktemp("captures")
    tampered = captured(2, layer_1={"scale": 1.0})
    spoilt = captured(2)
    spoilt["0.q"][0, 1, 5, 1] = np.nan
    np.savez(path / "a.npz", allow_pickle=False, **captured(2))
    np.savez(path / "b.npz", allow_pickle=False, **tampered)
    np.savez(path / "nan.npz", allow_pickle=False, **spoilt)
    return path


def test_the_first_line_names_the_layer_and_each_layer_has_a_row(folder: Path) -> None:
    same = run(str(folder / "a.npz"), str(folder / "a.npz"))
    assert same.exit_code == 0
    assert same.stdout.startswith("same: attention is the same in layers 0–1; q, k and v are the ")
    other = run(str(folder / "a.npz"), str(folder / "b.npz"))
    assert other.exit_code == 1
    lines = other.stdout.splitlines()
    assert lines[0].startswith("differs: attention differs first in layer 1: REFERENCE: m = 0.25")
    assert max(map(len, lines[1:])) <= 80
    rows = [line.split() for line in lines if line.startswith("layer ")]
    assert [row[:6] for row in rows] == [
        ["layer", "0", "same", "0", "0", "0"],
        ["layer", "1", "differs", "0", "0", "0"],
    ]
    # The doctor's numbers of PORT stand below, beside those of REFERENCE.
    assert "PORT, layer 1, beside what REFERENCE computes:" in lines
    assert any(line.startswith("m  ") and "≠ 0.25 = 1/√16" in line for line in lines)


def test_json_has_each_layer_head_and_tensor_as_documented(folder: Path) -> None:
    result = run(str(folder / "a.npz"), str(folder / "b.npz"), "--json")
    assert result.exit_code == 1
    plain = json.loads(result.stdout)
    assert (plain["verdict"], plain["first"], plain["inputs_differ_from"]) == ("differs", 1, None)
    assert [layer["verdict"] for layer in plain["layers"]] == ["same", "differs"]
    assert plain["layers"][1]["said"]["port"].startswith("m = 1 in ")
    head = plain["layers"][1]["heads"][1]
    assert (head["head"], head["differs"]) == (1, ["multiplier"])
    assert head["distances"]["q"]["largest"] == 0.0
    assert head["distances"]["out"]["largest"] > 1e5
    page = (DOCS / "json.md").read_text("utf-8")
    documented = page.partition("## Diff: `diff`")[2].partition("\n## ")[0]
    for names in (plain, plain["layers"][0], head, head["distances"]["q"]):
        missing = [name for name in names if f"`{name}`" not in documented]
        assert set(missing) <= {"schema", "version"}


def test_what_is_not_a_number_is_no_number_in_json(folder: Path) -> None:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    result = run(str(folder / "a.npz"), str(folder / "nan.npz"), "--json")
    plain = json.loads(result.stdout, parse_constant=refuse)
    assert plain["inputs_differ_from"] == 0
    one = plain["layers"][0]["heads"][1]["distances"]["q"]
    assert (one["largest"], one["row"], one["column"]) == ("Infinity", 5, 1)


def test_junit_has_a_test_for_each_layer(folder: Path, tmp_path: Path) -> None:
    xml = tmp_path / "report.xml"
    result = run(str(folder / "a.npz"), str(folder / "b.npz"), "--junit", str(xml))
    assert result.exit_code == 1
    suite = ElementTree.parse(xml).getroot()
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["2", "1", "0"]
    assert [test.get("name") for test in suite.iter("testcase")] == ["layer 0", "layer 1"]
    (failure,) = suite.iter("failure")
    assert "REFERENCE: m = 0.25" in (failure.get("message") or "")


@pytest.mark.slow
def test_python_prints_what_the_command_prints(folder: Path) -> None:
    both = [str(folder / name) for name in ("a.npz", "b.npz")]
    printed = run(*both).stdout.splitlines()
    text = str(attn_tui.diff(*both)).splitlines()
    assert [line for line in printed if line[:4] != "took"] == [
        line for line in text if line[:4] != "took"
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "REFERENCE: none is given; expected two captures"),
        (["a.npz"], "PORT: none is given; expected two captures"),
        (["a.npz", "none.npz"], "PORT, 'none.npz': there is no such file"),
        (["none.npz", "a.npz"], "REFERENCE, 'none.npz': there is no such file"),
        (["a.npz", "b.npz", "--rows", "x"], "--rows: it is 'x'; expected a whole number"),
        (["a.npz", "b.npz", "--match", "3=1"], "--match: REFERENCE has no layer '3'"),
        (["a.npz", "b.npz", "--assume", "x"], "--assume: 'x' is none"),
        (["a.npz", "b.npz", "--port-layout", "xyz"], "--layout: "),
        (["a.npz", "b.npz", "--config", "no.json"], "--config, 'no.json'"),
    ],
)
def test_what_cannot_be_compared_ends_with_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    monkeypatch.chdir(folder)
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"attn-tui: {says}")
