"""Words of a command line, as bash reads them back, and files that no text can name as they are."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from attn_tui.commands import line
from attn_tui.commands.program import program
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products
from attn_tui.compute.text import visible
from attn_tui.engine.settings import Settings
from attn_tui.files.draft import EXAMPLE, draft_of, open_draft
from attn_tui.files.history import Question
from attn_tui.files.paths import path_of, path_text
from attn_tui.files.sources import source_of
from tests.engine.captured import heads, write
from tests.pairs import slow_after

BASH = shutil.which("bash")
UNDECODABLE = "\udc80\udcff"
"""Bytes that are not UTF-8, as Python has them in the names of files."""

WORDS = st.text(
    st.sampled_from("a7é猫👩\u200d🔬 !$`\"'\\\n\t\r\x01\x1b\x7f\x9b\u202e\ufe0f\xa0")
    | st.characters(codec="utf-8", exclude_characters="\0"),
    max_size=12,
)


def words_of(typed: str) -> list[str]:
    """Return the words of a line as bash reads it where it is typed, with a history for a !."""
    if BASH is None:
        pytest.skip("needs bash")
    assert visible(typed) == typed
    script = f"set -o history -o histexpand\nprintf '%s\\0' {typed}\n"
    found = subprocess.run(
        [BASH, "--norc"], input=os.fsencode(script), capture_output=True, check=True
    )
    return [*map(os.fsdecode, found.stdout.split(b"\0")[:-1])]


@example(words=["\n", "a\x1b]2;x\x07", "\x017", "!!", "'\n'", "\\\n", "", UNDECODABLE])
@given(words=st.lists(WORDS | st.sampled_from([UNDECODABLE, "a\udce97"]), min_size=1, max_size=6))
def test_bash_reads_the_words_back(words: list[str]) -> None:
    assert words_of(line.typed(words)) == words


def test_a_word_that_no_argument_can_be_is_refused() -> None:
    for word in ("a\0b", "\ud800"):
        with pytest.raises(InputError, match="cannot be typed"):
            line.typed([word])


@example(path="a\nb.npy")
@example(path='"a".npy')
@example(path=" a.npy ")
@given(path=st.text(max_size=20) | st.just(UNDECODABLE))
def test_a_text_names_any_path_on_one_line_that_can_be_seen(path: str) -> None:
    text = path_text(path)
    assert visible(text) == text
    assert path_of(f" {text}\t") == path


NAMES = ("a\nb", "tab\t", "\x1b]2;x\x07", "\udcff", 'q"', "two words")


def answer(typed: str) -> dict[str, Any]:
    """Return what the line prints as JSON."""
    result = CliRunner().invoke(program, [*words_of(typed)[1:], "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)["experiment"]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_line_names_a_file_of_scores_whatever_it_is_called(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.npy"
    np.save(path, np.arange(2_500.0))
    question = Question.first(open_draft(str(path), Setup()))
    assert visible(question.draft.text) == question.draft.text
    typed = line.show(question)
    assert len(answer(typed)["vectors"][0]["scores"]) == 2_500
    path.unlink()
    with pytest.raises(InputError, match=r"scores, .*: the file is gone"):
        line.show(question)


@pytest.mark.parametrize("name", NAMES)
def test_a_line_names_a_file_of_queries_and_keys_whatever_it_is_called(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.npz"
    np.savez(path, q=np.ones((1, 4)), K=np.ones((700, 4)))
    question = Question.first(open_draft(str(path), Setup()))
    assert isinstance(question.experiment.source, Products)
    assert len(answer(line.show(question))["keys"]) == 700


@pytest.mark.parametrize("name", slow_after(2, NAMES))
def test_a_line_names_a_capture_whatever_it_is_called(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"{name}.safetensors", heads())
    source = source_of(f"file: {path_text(str(path))}\nlayer = 0, head = 1")
    head = Question.first(draft_of(Experiment(source)))
    assert answer(line.show(head))["capture"]["path"] == str(path)
    every = Question.first(replace(EXAMPLE, setup=Setup().put(Settings((str(path),)))))
    assert words_of(line.heads(every)) == ["attn-tui", str(path)]
    path.unlink()
    for make, question in ((line.show, head), (line.heads, every)):
        with pytest.raises(InputError, match=r"capture, .*: the file is gone"):
            make(question)
