"""A line names the files that scores were read from, and prints what the screen shows."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shlex import split
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from attn_tui.commands import line
from attn_tui.commands.program import program
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore import settings as explore
from attn_tui.compute.explore.answer import answer
from attn_tui.compute.mask import parse_mask
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products
from attn_tui.explore import report as explore_report
from attn_tui.explore.command import to_experiment as gradient_experiment_of
from attn_tui.files.draft import Draft, draft_of, open_draft, parse
from attn_tui.files.history import Question
from attn_tui.instruments import INSTRUMENTS, load
from attn_tui.report import forms
from tests.test_cli_line import alike, ask, given_by, setups

RANDOM = np.random.default_rng(1)
LONG = RANDOM.normal(0, 50, 2_500)
TABLE = RANDOM.normal(0, 50, (3, 1_000))
QUERIES, KEYS, VALUES = (RANDOM.normal(size=shape) for shape in ((2, 8), (700, 8), (700, 3)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of every kind, each with more than a line holds."""
    at = tmp_path_factory.mktemp("it's here")
    np.save(at / "row.npy", LONG)
    np.save(at / "table.npy", TABLE)
    np.savez(at / "two.npz", first=LONG, second=LONG[::-1])
    np.savez(at / "cache.npz", q=QUERIES, k=KEYS)
    np.savez(at / "values.npz", queries=QUERIES, keys=KEYS, values=VALUES)
    np.savetxt(at / "table.csv", TABLE.T, delimiter=",", header="a,b b,c", comments="")
    (at / "row.txt").write_text("\n".join(map(repr, LONG.tolist())))
    (at / "rows.txt").write_text("\n".join(f"r{i}: {row.tolist()}" for i, row in enumerate(TABLE)))
    (at / "list.json").write_text(json.dumps(TABLE.tolist()))
    parts = {"q": QUERIES.tolist(), "K": KEYS.tolist(), "V": VALUES.tolist()}
    (at / "names.json").write_text(json.dumps(parts))
    asked = replace(
        Setup(8, Scale("none", softcap=3.0, sink=1.0, qk_norm=True), mask=parse_mask("1:3")),
        settings=(explore.Settings(of=4),),
    )
    for name, source in (
        ("asked.json", parse(open_draft(str(at / "table.csv"), Setup())).source),
        ("products.json", Products(QUERIES, KEYS, VALUES)),
    ):
        found = next(answer(Experiment(source, asked)))
        (at / name).write_text("".join(forms.json(explore_report.report(found))))
    return at


FILES = (
    *("row.npy", "table.npy", "two.npz", "cache.npz", "values.npz", "table.csv", "row.txt"),
    *("rows.txt", "list.json", "names.json", "asked.json"),
)


def asked_of(draft: Draft) -> Question:
    return Question(draft, parse(draft))


def ran(text: str, *more: str) -> dict[str, Any]:
    result = CliRunner().invoke(program, [*split(text)[1:], *more, "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.output)
    return found


def shown(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report without the settings of instruments that it does not show."""
    report["experiment"].pop("settings")
    return report


@given(name=st.sampled_from(FILES), setup=setups(), of=st.integers(0, 5), opens=st.booleans())
@settings(
    deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_a_file_holds_is_asked_by_its_name(
    folder: Path, name: str, setup: Setup, of: int, opens: bool
) -> None:
    # What is opened brings a setup of its own, which may then be changed.
    draft = open_draft(str(folder / name), setup.put(explore.Settings(of=of)))
    if opens:
        draft = replace(draft, setup=setup.put(explore.Settings(of=of)))
    try:
        asked = asked_of(draft)
    except InputError:
        assume(False)
    text = line.show(asked)
    assert len(text) < 800
    again = gradient_experiment_of(given_by("show", text))
    assert known_setup(again) == known_setup(asked.experiment)
    alike(again, asked.experiment)


def known_setup(experiment: Experiment) -> Setup:
    gradient = experiment.setup.get(explore.Settings)
    return replace(experiment.setup, settings=()).put(gradient)


@pytest.mark.slow
def test_the_line_of_a_file_prints_the_answer_of_the_screen(folder: Path) -> None:
    for name in FILES:
        asked = asked_of(open_draft(str(folder / name), Setup(64)))
        expected = json.loads(
            "".join(forms.json(explore_report.report(next(answer(asked.experiment)))))
        )
        assert shown(ran(line.show(asked))) == shown(expected)


def named_on_the_command_line() -> Iterator[tuple[str, ...]]:
    yield from (("@row.npy",), ("@row.npy", "b:1,2"), ("@two.npz", "@table.csv", "1,2"))
    yield ("--query", "@cache.npz", "--keys", "@cache.npz")
    yield ("--query", "[[1,2,3,4,5,6,7,8]]", "--keys", "@values.npz", "--values", "@values.npz")
    yield ("q: [[1,2,3,4,5,6,7,8]]", "K: @values.npz")
    yield ("--experiment", "asked.json")
    yield ("--experiment", "asked.json", "--softcap", "none")
    yield ("@row.npy", "--experiment", "products.json")


@pytest.mark.parametrize("arguments", [*named_on_the_command_line()], ids=" ".join)
def test_what_was_named_on_the_command_line_is_named_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(folder)
    given = load("attn_tui.explore.command:show").make_context("show", [*arguments]).params
    experiment = gradient_experiment_of(given)
    asked = asked_of(draft_of(experiment))
    again = gradient_experiment_of(given_by("show", line.show(asked)))
    assert known_setup(again) == known_setup(experiment)
    alike(again, experiment)


def test_numbers_of_no_file_are_too_many_for_a_line(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", LONG)
    draft = open_draft(str(tmp_path / "a.npy"), Setup())
    assert f"@{tmp_path / 'a.npy'}" in line.show(asked_of(draft))
    assert line.show(asked_of(draft.with_text(f"{draft.text}\nb: 1, 2"))).count(" ") > 3
    with pytest.raises(InputError, match="too many for a command line"):
        line.show(asked_of(draft.with_text("1.5 " * 3_000)))


def test_a_short_file_needs_not_be_there(tmp_path: Path) -> None:
    path = tmp_path / "few.npy"
    np.save(path, [1.0, 2.0])
    draft = open_draft(str(path), Setup())
    path.unlink()
    assert line.show(asked_of(draft)) == "attn-tui show 'few: 1, 2' --d-k 1024"


def test_only_scores_that_are_asked_must_be_readable() -> None:
    for instrument in INSTRUMENTS:
        asked = ask(Experiment(Drawn())).ask(Draft("1x"))
        assert asked.error
        make = load(instrument.line)
        if instrument.name == "explore":
            with pytest.raises(InputError, match="1x"):
                make(asked)
        else:
            name = "example" if instrument.name == "heads" else instrument.command_name
            assert make(asked).startswith(f"attn-tui {name}")
