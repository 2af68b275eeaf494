"""The command line that Heads copies prints what Heads says."""

import re
from dataclasses import replace
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from click.testing import CliRunner, Result

from attn_tui.commands import capture_line
from attn_tui.commands.program import program
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.engine.answer import answer
from attn_tui.engine.settings import Settings
from attn_tui.files.draft import EXAMPLE
from attn_tui.report.heads.answers import render_text
from attn_tui.tui.state import Asked
from tests.engine.captured import heads, write


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, [*arguments])


@pytest.mark.parametrize(
    ("scale", "asked", "says"),
    [
        (Scale(softcap=3.0, sink=1.0), {}, "z = 3·tanh(m·s/3), m = 1/√d_k; sink b = 1"),
        (Scale(qk_norm=True), {}, "weights   z = m·s, m = 1/√d_k\n"),
        (Scale(), {"layouts": "bnhd", "seed": 7, "statistic": "entropy"}, "Layout as given"),
    ],
)
def test_the_command_that_the_screen_copies_prints_what_the_screen_says(
    tmp_path: Path, scale: Scale, asked: dict[str, Any], says: str
) -> None:
    settings = Settings((str(write(tmp_path / "a.safetensors", heads())),), **asked)
    draft = replace(EXAMPLE, setup=Setup(scale=scale).put(settings))
    question = Asked.first(draft)
    *_, shown = answer(question.experiment)
    arguments = split(capture_line.heads(question))[1:]
    names = ",".join((settings.statistic, *STATISTICS))
    texts = "".join(render_text(shown)), run(*arguments, "--statistic", names).stdout
    said, printed = (re.sub(r"; [\d.]+ s", "", text) for text in texts)
    assert says in printed
    assert printed == said


def test_the_command_that_compares_has_only_options_that_it_knows(tmp_path: Path) -> None:
    one, other = ((str(write(tmp_path / f"{name}.safetensors", heads())),) for name in "ab")
    draft = replace(EXAMPLE, setup=Setup().put(Settings(one, other, tau=30.0)))
    line = capture_line.heads(Asked.first(draft))
    assert run(*split(line)[1:]).exit_code == 0
