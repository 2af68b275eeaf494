"""Heads on a capture that is held against another one: ``attn-tui diff --screen``."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import attn_tui
from attn_tui.captures.capture import HeadId
from attn_tui.charts.heat_map import HeatMapDrawing
from attn_tui.commands.line import heads as heads_line
from attn_tui.compute.setup import Setup
from attn_tui.engine.settings import DIFFERENCE, Settings
from attn_tui.files.draft import EXAMPLE
from attn_tui.files.history import Question
from attn_tui.heads import charts, reference
from attn_tui.heads.screen import HeadsScreen
from attn_tui.ui.app import AttnApp
from attn_tui.ui.heat_map import HeatMap
from tests.diffing.captures import captured
from tests.test_cli_heads import call
from tests.ui.person import shown

SETTINGS = Settings(("port.npz",), statistic=DIFFERENCE, reference=("a/reference.npz",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a capture, and with one whose layer 1 has another m."""
    path = tmp_path_factory.mktemp("captures")
    np.savez(path / "reference.npz", allow_pickle=False, **captured(2))
    np.savez(path / "port.npz", allow_pickle=False, **captured(2, layer_1={"scale": 0.3}))
    return path


def test_the_headline_names_the_layer_and_the_first_head_is_one_that_differs() -> None:
    difference = attn_tui.diff(captured(2), captured(2, layer_1={"scale": 0.3}))
    assert reference.headline_of(difference, SETTINGS) == (
        "Attention differs from reference.npz first in layer 1: m = 0.3 in both heads, "
        "promised 0.25 = 1/√16."
    )
    units = reference.units_of(difference)
    assert [units[HeadId(0, 0, head)] for head in (0, 1)] == [0, 0]
    assert reference.differing_from(difference) == {HeadId(0, 1, 0), HeadId(0, 1, 1)}
    first = reference.first_head(difference)
    assert first is not None
    assert units[first] == max(units.values()) > 1000


def test_a_cause_that_is_asked_ends_the_headline() -> None:
    difference = attn_tui.diff(captured(1), captured(1, layer_0={"scale": 1.0}))
    assert reference.headline_of(difference, SETTINGS).endswith("already?")


def test_the_headline_says_that_attention_is_the_same_or_what_is_missing() -> None:
    same = attn_tui.diff(captured(1), captured(1))
    assert reference.headline_of(same, SETTINGS).startswith(
        "Attention is the same as in reference.npz; its output is up to 0 units"
    )
    assert reference.headline_of(None, SETTINGS) == "Holding the heads against reference.npz…"
    alone = replace(SETTINGS, reference=())
    assert "g sets a reference" in reference.headline_of(None, alone)


def test_the_command_of_the_screen_opens_it_again(folder: Path) -> None:
    port, other = str(folder / "port.npz"), str(folder / "reference.npz")
    setup = Setup().put(Settings((port,), statistic=DIFFERENCE, reference=(other,)))
    line = heads_line(Question.first(replace(EXAMPLE, setup=setup)))
    assert line == f"attn-tui diff {other} {port} --screen"


def test_without_a_terminal_the_report_is_printed_and_said_why(folder: Path) -> None:
    paths = str(folder / "reference.npz"), str(folder / "port.npz")
    result = call("diff", *paths, "--screen")
    assert result.stdout.startswith("differs: attention differs first in layer 1")
    assert "there is no screen: " in result.stderr
    refused = call("diff", *paths, "--screen", "--match", "0=1")
    assert refused.exit_code == 2
    assert "--screen: it shows nothing of --match; expected no other option" in refused.stderr


@pytest.mark.slow
async def test_the_map_has_the_difference_and_marks_heads_that_differ(folder: Path) -> None:
    port, other = (str(folder / f"{name}.npz") for name in ("port", "reference"))
    setup = Setup().put(Settings((port,), statistic=DIFFERENCE, reference=(other,)))
    app = AttnApp(replace(EXAMPLE, setup=setup), "heads")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await shown(pilot)
        assert isinstance(screen, HeadsScreen)
        drawing = screen.query_one("#map-pane", HeatMap).drawing
        assert isinstance(drawing, HeatMapDrawing)
        texts = drawing.longer[0]
        assert [text.endswith("✗") for row in texts for text in row] == [False, False, True, True]
        assert screen.here is not None
        assert screen.survey is not None
        assert screen.here.layer == 1
        assert screen.headline.startswith("Attention differs from reference.npz first in layer 1")
        # While nothing is known, no other numbers stand under that title.
        blank = charts.difference_map(screen.survey.plan, {}, screen.here, frozenset())
        assert {text for row in blank.longer[0] for text in row} == {""}
        assert screen.report_text().startswith("differs: ")
