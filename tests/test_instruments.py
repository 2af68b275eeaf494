"""An instrument is added by its compute module, its screen, its command and one registry entry."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click
import pytest
from click.testing import CliRunner
from textual import on
from textual.app import ComposeResult
from textual.message import Message

from attn_tui import instruments
from attn_tui.commands.program import program
from attn_tui.compute.experiment import Experiment, Stop, never
from attn_tui.compute.field import asked, fields_of, whole
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from attn_tui.files.codec import experiment_from_plain, experiment_to_plain
from attn_tui.files.draft import EXAMPLE, Draft, parse
from attn_tui.files.history import Asked
from attn_tui.instruments import Instrument
from attn_tui.old.tui.actions import Action, Section, bindings
from attn_tui.old.tui.app import AttnApp
from attn_tui.old.tui.everywhere import KEYS
from attn_tui.old.tui.explaining import Explanation
from attn_tui.old.tui.filing import Filing
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from attn_tui.old.tui.parts import Host, Part
from attn_tui.old.tui.scene import Scene
from attn_tui.old.tui.settings import Group, asked_for
from attn_tui.old.tui.widgets.canvas import Canvas
from attn_tui.old.tui.widgets.entry import Entry
from tests.asking import asking
from tests.old.tui.person import MEDIUM, at_screen, settle


@dataclass(frozen=True)
class Settings:
    bins: int = asked(10, whole(9), "bins", "how many bins there are")


def answer(experiment: Experiment, stop: Stop = never) -> Iterator[str]:
    bins = experiment.setup.get(Settings).bins
    for vector in experiment.vectors:
        yield f"{vector.name} in {bins} bins at d_k {experiment.setup.d_k}"


class Bins(Part[Host]):
    """What only this instrument can do."""

    NAME = "bins"

    def can(self, verb: str) -> bool:
        asked = self._screen.asked
        return asked is not None and asked.draft.setup.get(Settings).bins > 9

    def least(self) -> None:
        self._screen.fields.put("bins", lambda _: 9)


ACTIONS = (
    Action("fields.next('bins')", ("m",), "m", "More bins", "Use more bins", bar=1),
    Action("bins.least", ("f",), "f", "Fewest", "Use the fewest bins", bar=1),
    *(KEYS[name] for name in ("next_pane", "open", "save", "details")),
)
LIST = (
    Action("move(-1)", ("up",), "up", "Up", "The vector above", palette=False),
    Action("move(1)", ("down",), "down", "Down", "The vector below", palette=False),
)


class ListPane(Canvas, can_focus=True):
    """The vectors, one a line."""

    BINDINGS = bindings(LIST)
    explanation = Explanation("List", "n", "One a line.", "this test")

    @dataclass
    class Moved(Message):
        by: int

    def see(self, scene: Scene) -> None:
        self.show([((vector.name, "text"),) for vector in scene.asked.experiment.vectors])

    def action_move(self, by: int) -> None:
        self.post_message(self.Moved(by))


class Detail(Canvas):
    """What there is to say of the vector under the cursor."""

    def see(self, scene: Scene) -> None:
        self.show([((scene.answer, "text"),)])


class HistogramScreen(InstrumentScreen):
    """A list and a detail; no d_k."""

    NAME = "histogram"
    ACTIONS = ACTIONS
    SECTIONS = (Section("In Histogram", ACTIONS), Section("In the list", LIST))
    GROUPS = (Group("Bins", (asked_for(fields_of(Settings)["bins"]),), folds=False),)
    WRITERS: ClassVar = {".txt": lambda answer: [answer]}
    explanation = Explanation("Histogram", "n", "Counts.", "this test")
    vector = 0

    def make_parts(self) -> Iterable[Part[Any]]:
        return Filing(self), Bins(self)

    def compose_panes(self) -> ComposeResult:
        yield ListPane(id="list")
        yield Detail(id="detail")
        yield Entry(id="entry")

    def seek(self, experiment: Experiment) -> None:
        self.answer = [*answer(experiment)][self.vector]

    @on(ListPane.Moved)
    def _on_moved(self, event: ListPane.Moved) -> None:
        self.vector += event.by
        self.look(self.view)


@click.command()
def histogram() -> None:
    click.echo(next(answer(parse(EXAMPLE))))


def line(asked: Asked) -> str:
    return f"attn-tui histogram --bins {asked.experiment.setup.get(Settings).bins}"


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """One registry entry; everything that reads the registry sees it."""
    here = __name__
    entry = Instrument(
        "histogram",
        "Histogram",
        9,
        "how scores spread",
        f"{here}:Settings",
        f"{here}:answer",
        f"{here}:HistogramScreen",
        f"{here}:histogram",
        f"{here}:line",
        "",
        "",
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
        assert "9 Histogram" in lines[0]
        assert "a in 10 bins at d_k 1280" in [line.strip() for line in lines]
        assert "m More bins" in lines[-1]
        await pilot.press("m", "m", "u")
        assert app.history.present.draft.setup.get(Settings).bins == 11
        await app.action_instrument("explore")
        await pilot.press("u", "u")
        assert app.history.present.draft == EXAMPLE


@pytest.mark.usefixtures("registered")
async def test_its_panes_and_parts_do_what_the_others_do_without_a_d_k(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("1\n2\n")
    async with at_screen(MEDIUM, Draft("a: 1, 2\nb: 3, 4"), instrument="histogram") as person:
        await person.press("down")
        person.sees("b in 10 bins")
        await person.press("ctrl+s", "ctrl+u")
        await person.paste(str(tmp_path / "out.txt"))
        await person.press("enter")
        person.sees("Saved")
        assert (tmp_path / "out.txt").read_text() == "b in 10 bins at d_k 1024"
        # The keys are back where they were.
        await person.press("up", "i")
        person.sees("In words and numbers", "a in 10 bins")
        await person.press("escape", "ctrl+o")
        await person.paste(str(tmp_path / "in.csv"))
        await person.press("enter")
        await person.app.workers.wait_for_complete()
        await settle(person.pilot)
        assert person.asked.draft.text != "a: 1, 2\nb: 3, 4"
        await person.press("u")
        assert person.asked.draft.text == "a: 1, 2\nb: 3, 4"


@pytest.mark.usefixtures("registered")
async def test_what_a_part_cannot_do_now_no_key_does_and_nothing_offers() -> None:
    async with at_screen(MEDIUM, instrument="histogram") as person:
        person.sees("f Fewest")
        await person.press("f")
        assert person.asked.draft.setup.get(Settings).bins == 9
        person.misses("f Fewest")
        await person.press("ctrl+p")
        await person.paste("bins")
        person.sees("Use more bins")
        person.misses("Use the fewest bins")
        await person.press("ctrl+u")
        await person.paste("more bins")
        await person.press("enter")
        assert person.asked.draft.setup.get(Settings).bins == 10
        await person.press("question_mark")
        person.sees("Histogram", "Source: this test")


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
