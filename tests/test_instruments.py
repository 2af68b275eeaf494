"""An instrument is added by its compute module, its screen, its command and one registry entry."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import click
import pytest
from click.testing import CliRunner
from textual.app import ComposeResult

from attn_tui import instruments
from attn_tui.commands.program import program
from attn_tui.compute.experiment import Experiment, Stop, never
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from attn_tui.files.codec import experiment_from_plain, experiment_to_plain
from attn_tui.files.draft import EXAMPLE, parse
from attn_tui.instruments import Instrument
from attn_tui.tui.actions import Action, Section
from attn_tui.tui.app import AttnApp
from attn_tui.tui.edits import settings
from attn_tui.tui.instrument_screen import Explanation, InstrumentScreen
from attn_tui.tui.state import Asked
from attn_tui.tui.widgets.canvas import Canvas
from tests.asking import asking
from tests.tui.camera import baseline, text_of
from tests.tui.test_snapshots import FOLDER, SHOTS


@dataclass(frozen=True)
class Settings:
    bins: int = 10


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[str]:
    bins = experiment.setup.get(Settings).bins
    for vector in experiment.vectors:
        yield f"{vector.name} in {bins} bins at d_k {experiment.setup.d_k}"


ACTIONS = (Action("screen.more", ("m",), "m", "More bins", "Use more bins", bar=1),)


class HistogramScreen(InstrumentScreen):
    NAME = "histogram"
    ACTIONS = ACTIONS
    SECTIONS = (Section("In Histogram", ACTIONS),)
    explanation = Explanation("Histogram", "n", "Counts.", "this test")
    asked: Asked | None = None

    def compose_panes(self) -> ComposeResult:
        yield Canvas(id="counts")

    @property
    def status(self) -> list[tuple[str, str]]:
        return [("counting", "screen.more")]

    def show(self, asked: Asked) -> None:
        self.asked = asked
        rows = [((text, "text"),) for text in answer(asked.experiment)]
        self.query_one("#counts", Canvas).show(rows)
        self.frame()

    def action_more(self) -> None:
        assert self.asked
        bins = self.asked.draft.setup.get(Settings).bins
        self.ask(settings(Settings, lambda each: replace(each, bins=bins + 1)))


@click.command()
def histogram() -> None:
    click.echo(next(answer(parse(EXAMPLE))))


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """One registry entry; everything that reads the registry sees it."""
    here = __name__
    entry = Instrument(
        "histogram",
        "Histogram",
        "how scores spread",
        f"{here}:Settings",
        f"{here}:answer",
        f"{here}:HistogramScreen",
        f"{here}:histogram",
    )
    both = (*instruments.INSTRUMENTS, entry)
    for name, module in list(sys.modules.items()):
        if name.startswith("attn_tui") and hasattr(module, "INSTRUMENTS"):
            monkeypatch.setattr(module, "INSTRUMENTS", both)


@pytest.mark.usefixtures("registered")
async def test_its_screen_shares_what_is_asked_with_the_others() -> None:
    app = AttnApp(EXAMPLE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right_square_bracket")
        await app.action_instrument("histogram")
        await pilot.pause()
        lines = [strip.text for strip in app.screen._compositor.render_strips()]
        assert f"{len(instruments.INSTRUMENTS)} Histogram" in lines[0]
        assert lines[1].strip() == "a in 10 bins at d_k 1280"
        assert "m More bins" in lines[-1]
        await pilot.press("m", "m", "u")
        assert app.history.present.draft.setup.get(Settings).bins == 11
        await app.action_instrument("explore")
        await pilot.press("u", "u")
        assert app.history.present.draft == EXAMPLE


@baseline
@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("other", SHOTS)
async def test_it_changes_no_picture_of_another(other: str) -> None:
    kept = (FOLDER / other / "main.txt").read_text("utf-8")
    assert await text_of(SHOTS[other]["main"]) == kept


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
