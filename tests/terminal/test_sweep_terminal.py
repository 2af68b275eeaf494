"""The Sweep screen on a real pseudo-terminal: what is sent, and what happens while it draws."""

import json
from pathlib import Path

import pytest

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.compute.sweep.settings import Settings
from attn_tui.files.codec import SCHEMA, experiment_to_plain
from tests.contract.terminal import Terminal

WHOLE = {(120, 40): 60_000, (80, 24): 36_000}
"""Bytes of a whole sweep, from its first picture to its last."""

LONG = Settings(n=100_000)


def opened(folder: Path, settings: Settings, d_k: int = 1024) -> list[str]:
    """Return arguments that ask a sweep."""
    file = folder / f"{d_k}.json"
    experiment = experiment_to_plain(Experiment(Drawn(4), Setup(d_k).put(settings)))
    file.write_text(json.dumps({"schema": SCHEMA, "experiment": experiment}))
    return ["--experiment", str(file)]


def go(terminal: Terminal) -> None:
    """Go to Sweep."""
    terminal.until_shows("q Quit")
    terminal.press("3")
    terminal.until_shows("│ Over n │")


@pytest.mark.parametrize("size", WHOLE)
def test_a_whole_sweep_sends_little(size: tuple[int, int], tmp_path: Path) -> None:
    with Terminal(*size, opened(tmp_path, Settings())) as terminal:
        go(terminal)
        before = terminal.sent
        terminal.until_shows("Here (64 keys, d_k = 1,024) dividing by √d_k makes")
        terminal.until(
            lambda: not any("space stops" in line for line in terminal.display),
            "the end of the draw",
        )
        assert terminal.sent - before <= WHOLE[size]


def test_a_long_sweep_is_stopped_goes_on_is_resized_and_left(tmp_path: Path) -> None:
    with Terminal(80, 24, opened(tmp_path, LONG)) as terminal:
        go(terminal)
        terminal.until_shows("space stops")
        terminal.until_shows("middle half, unscaled")
        terminal.press(" ")
        terminal.until_shows("space goes on")
        terminal.press(" ")
        terminal.until_shows("space stops")
        terminal.screen.resize(40, 120)
        terminal.child.setwinsize(40, 120)
        terminal.until_shows("middle half, unscaled")
        terminal.until(lambda: terminal.display[39].endswith("q Quit"), "the key bar at the foot")
        terminal.until_shows("space stops")
        terminal.press("1")
        terminal.until_shows("effective keys")
        terminal.press("3")
        terminal.until_shows("space stops")
        terminal.press("q")
        assert terminal.leave() == 0
