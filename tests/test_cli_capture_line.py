"""The command line that Heads copies prints what Heads says."""

import re
from dataclasses import replace
from pathlib import Path
from shlex import split
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner, Result

from attn_tui.commands import line, screen
from attn_tui.commands.program import program
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.engine.answer import answer
from attn_tui.engine.settings import Settings
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.files.history import Question
from attn_tui.heads.report import report_of
from attn_tui.report.text import text
from attn_tui.ui import running
from tests.engine.captured import heads, write


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, [*arguments])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scale", "asked", "says"),
    [
        (Scale(softcap=3.0, sink=1.0), {}, "z = 3·tanh(m·s/3), m = 1/√d_k; sink b = 1"),
        (Scale(qk_norm=True), {}, "weights    z = m·s, m = 1/√d_k\n"),
        (Scale(), {"layouts": "bnhd", "seed": 7, "statistic": "entropy"}, "Layout as given"),
    ],
)
def test_the_command_that_the_screen_copies_prints_what_the_screen_says(
    tmp_path: Path, scale: Scale, asked: dict[str, Any], says: str
) -> None:
    settings = Settings((str(write(tmp_path / "a.safetensors", heads())),), **asked)
    draft = replace(EXAMPLE, setup=Setup(scale=scale).put(settings))
    question = Question.first(draft)
    *_, shown = answer(question.experiment)
    arguments = split(line.heads(question))[1:]
    names = ",".join((settings.statistic, *STATISTICS))
    texts = "".join(text(report_of(shown))), run(*arguments, "--statistic", names).stdout
    said, printed = (re.sub(r"; [\d.]+ s", "", text) for text in texts)
    assert says in printed
    assert printed == said


def test_a_capture_opens_with_what_the_doctor_is_to_expect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = str(write(tmp_path / "a.safetensors", heads()))
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "llama", "head_dim": 16, "num_attention_heads": 4}')
    opened: list[tuple[Draft, str]] = []
    monkeypatch.setattr(screen, "has_terminal", lambda: True)
    monkeypatch.setattr(screen, "check_terminal", lambda instead: None)
    monkeypatch.setattr(screen, "take_keys", lambda: None)

    def ran(draft: Draft, instrument: str, **how: Any) -> NoReturn:
        opened.append((draft, instrument))
        raise SystemExit(0)

    monkeypatch.setattr(running, "run", ran)
    done = run(capture, "--config", str(config), "--layout", "bhnd")
    assert (done.exit_code, done.output) == (0, "")
    ((draft, instrument),) = opened
    settings = draft.setup.get(Settings)
    assert (settings.capture, settings.config, instrument) == ((capture,), str(config), "heads")
    assert settings.layouts == "bhnd"
    # The line that the screen leaves brings it back, with the cursor where it was.
    asked = replace(settings, rows=None, statistic="entropy", layer=1, head=2, config="")
    words = line.heads(Question.first(replace(draft, setup=Setup().put(asked))))
    assert run(*split(words)[1:]).exit_code == 0
    brought = opened.pop()[0].setup.get(Settings)
    assert replace(brought, config="") == asked
    assert run("1,2", "--rows", "3").exit_code == 2
    # It lies beside the capture too.
    assert run(capture).exit_code == 0
    assert opened.pop()[0].setup.get(Settings).config == str(config)
    for arguments, says in (
        ((capture, "--config", str(tmp_path / "none.json")), "there is no such file"),
        (("1,2", "--config", str(config)), "nothing is captured"),
    ):
        done = run(*arguments)
        assert done.exit_code == 2
        assert "--config" in done.stderr
        assert says in done.stderr
    assert len(opened) == 1


def test_a_folder_that_holds_a_capture_is_opened_as_the_capture_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("model", "5"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "a.safetensors", heads())
    assert "capture    model/a.safetensors" in run("model").stdout
    # A number is a score, whatever folders are called.
    assert "Unscaled, key" in run("5", "1").stdout
