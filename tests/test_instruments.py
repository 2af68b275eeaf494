"""The settings and the command of an instrument are known by one entry of the registry."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from attn_tui import instruments
from attn_tui.commands.program import program
from attn_tui.compute.errors import Stop, never
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.field import setting, whole
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Vector
from attn_tui.files.codec import experiment_from_plain, experiment_to_plain
from attn_tui.files.draft import EXAMPLE, parse
from attn_tui.instruments import ASKED_BY, GUIDE, INSTRUMENTS, Instrument, load
from tests.asking import asking


@dataclass(frozen=True)
class Settings:
    bins: int = setting(10, whole(1, 1000), "bins", "how many bins there are")


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[str]:
    bins = experiment.setup.get(Settings).bins
    for vector in experiment.vectors:
        yield f"{vector.name} in {bins} bins at d_k {experiment.setup.d_k}"


@click.command()
def histogram() -> None:
    click.echo(next(answer(parse(EXAMPLE))))


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """One registry entry; everything that reads the registry sees it."""
    here = __name__
    entry = Instrument(
        name="histogram",
        title="Histogram",
        number=9,
        summary="how scores spread",
        command_name="histogram",
        settings=f"{here}:Settings",
        answer=f"{here}:answer",
        screen="",
    )
    monkeypatch.setitem(sys.modules, "attn_tui.histogram.command", sys.modules[here])
    both = (*instruments.INSTRUMENTS, entry)
    for name, module in list(sys.modules.items()):
        if name.startswith("attn_tui") and hasattr(module, "INSTRUMENTS"):
            monkeypatch.setattr(module, "INSTRUMENTS", both)


@pytest.mark.usefixtures("registered")
def test_its_settings_go_to_json_and_back() -> None:
    setup = Setup().put(Settings(bins=3))
    experiment = asking(Vector("a", [1.0, 2.0]), setup=setup)  # type: ignore[arg-type]
    plain = json.loads(json.dumps(experiment_to_plain(experiment)))
    assert experiment_from_plain(plain).setup == setup


@pytest.mark.usefixtures("registered")
def test_its_command_is_a_subcommand() -> None:
    result = CliRunner().invoke(program, ["histogram"])
    assert result.output == "a in 10 bins at d_k 1024\n"
    assert "histogram" in CliRunner().invoke(program, ["--help"]).output


PARTS = ("settings", "answer", "screen", "views", "items", "command", "to_experiment", "line")


def test_all_that_the_registry_names_is_there() -> None:
    named = [getattr(entry, part) for entry in INSTRUMENTS for part in PARTS]
    for name in (*filter(None, named), GUIDE, ASKED_BY):
        assert load(name) is not None, name


OUTSIDE = {"attn_tui/__init__.py", "attn_tui/compute/blas.py", "attn_tui/probing/calling.py",
           "attn_tui/probing/loading.py"}  # fmt: skip
"""Modules that load what is outside of the program, or the whole library."""


def test_only_the_registry_loads_by_string() -> None:
    package = Path(instruments.__file__).parent
    loading = {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*.py")
        if "import_module" in path.read_text("utf-8")
    }
    assert loading == {*OUTSIDE, "attn_tui/instruments.py"}
