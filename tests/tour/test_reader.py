"""Tours that teachers write: read, or refused with the step that is wrong."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attn_tui.compute.dots import settings as dots
from attn_tui.compute.dots.answer import law_of
from attn_tui.compute.errors import InputError
from attn_tui.compute.explore.answer import answer
from attn_tui.compute.setup import Setup
from attn_tui.console.asking import asked_by
from attn_tui.files.draft import parse
from attn_tui.tour.reader import KEYS, read_tour
from tests.test_cli import call, refused

DOCS = Path(__file__).parents[2] / "docs" / "tour.md"

GOOD = """\
# A lesson.
[[step]]
ask = "attn-tui show 1,2,3 --d-k 16"
say = \"\"\"Three scores,
divided by 4.\"\"\"
guess = "Who wins?"
answers = ["key 0", "key 1", "key 2"]
right = "key 2"
do = "Hold + until d_k is 64."
until = "d_k >= 64"
why = "The largest score has the largest weight."

[[step]]
ask = "dot"
say = "q·k."
do = "Choose a die."
until = "entries == die"
why = "Dice have a mean."
"""


def at(folder: Path, text: str) -> str:
    path = folder / "lesson.toml"
    path.write_text(text, "utf-8")
    return str(path)


def test_a_tour_is_read(tmp_path: Path) -> None:
    one, two = read_tour(at(tmp_path, GOOD), asked_by).steps
    assert (one.instrument, one.draft.setup.d_k, one.draft.text) == ("explore", 16, "a: 1, 2, 3")
    assert one.says == "Three scores, divided by 4."
    assert one.guess is not None
    assert one.guess.right == 2
    assert (two.instrument, two.guess) == ("dots", None)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[[step]]", "[[stop]]", "'stop' is unknown; expected [[step]]"),
        ('say = "q·k."\n', "", 'step 2: "say" is missing'),
        ('"dot"', '"dot', "illegal character '\\n' (at line 14, column 11)"),
        ('"dot"', '"dot --d-k 0"', "step 2: d_k: '0' will not do"),
        ("why =", "wyh =", "step 1: 'wyh' is unknown; expected one of ask, "),
        ('"key 1"', '"key 0"', "step 1: answers has 2; expected 3 different texts"),
        ('right = "key 2"', 'right = "key 3"', "step 1: 'key 3' is none of the answers"),
        ('"d_k >= 64"', '"d_k >= 16"', "step 1: until holds as the step begins: d_k is 16"),
        ('"d_k >= 64"', '"d_k => 64"', "step 1: 'd_k => 64' compares nothing"),
        ('"d_k >= 64"', '"width > 3"', "step 1: 'width' cannot be asked; expected one of d_k, "),
        ('"d_k >= 64"', '"rule > none"', "step 1: rule has no order, for >; expected rule == none"),
        ('"entries == die"', '"entries == cube"', "step 2: entries: 'cube' will not do"),
        ("Who wins?", "Who wins? " * 20, "has 199 characters; expected at most 110"),
    ],
)
def test_what_is_wrong_is_told_with_its_step(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    assert old in GOOD
    with pytest.raises(InputError) as error:
        read_tour(at(tmp_path, GOOD.replace(old, new, 1)), asked_by)
    assert problem in str(error.value)


def test_the_documented_example_is_a_tour_and_its_keys_are_all_there_are(tmp_path: Path) -> None:
    document = DOCS.read_text("utf-8")
    example = document.partition("```toml\n")[2].partition("```")[0]
    one, _ = read_tour(at(tmp_path, example), asked_by).steps
    assert one.guess is not None
    weights = next(answer(replace(parse(one.draft), setup=Setup(64))))
    share = weights.vectors[0].scaled.weights(np.array([1, 2]))
    assert one.guess.answers[one.guess.right] == f"about {100 * share[1]:.0f} %"
    assert share[1] / share[0] == pytest.approx(3.5, abs=0.05)
    laws = [
        law_of(dots.Settings(entries), 64).standard_deviation for entries in ("normal", "coins")
    ]
    assert laws == [8.0, 8.0]
    rows = [line.split("|")[1:4] for line in document.splitlines() if line.startswith("| `")]
    assert [name.strip(" `") for name, *_ in rows] == [*KEYS]
    for name, _, longest in rows:
        assert longest.strip(" each") in ("", str(KEYS[name.strip(" `")]))


def test_the_sample_of_the_help_is_a_lesson(tmp_path: Path) -> None:
    text = call("tour", "--help").stdout
    sample = text[text.index("[[step]]") :]
    (step,) = read_tour(at(tmp_path, sample), asked_by).steps
    assert step.task == "Hold + until d_k is 64."


def test_the_command_prints_a_tour_where_there_is_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = call("tour", at(tmp_path, GOOD)).stdout
    first = "1.  Three scores, divided by 4.\n    attn-tui show 1,2,3 --d-k 16\n    Who wins?\n"
    assert printed.startswith(f"{first}    [ ] key 0\n")
    assert "    [x] key 2\n    Hold + until d_k is 64.\n" in printed
    assert "\n\n2.  q·k.\n    attn-tui dot\n    Choose a die.\n    Dice have a mean.\n" in printed
    lines = call("tour").stdout.splitlines()
    # A command line that is broken cannot be copied.
    assert max(len(line) for line in lines if not line.startswith("    attn-tui ")) <= 80
    at(tmp_path, GOOD.replace('"dot"', '"dots"'))
    message = refused("tour", "lesson.toml")
    assert message.startswith("attn-tui: FILE, 'lesson.toml', step 2: 'dots' is no command")
    assert "nowhere.toml" in refused("tour", "nowhere.toml")
