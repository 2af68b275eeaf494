"""What is documented can be asked, and what cannot be is told what can."""

import re
import shlex
from pathlib import Path

import pytest

from attn_tui.commands.names import summaries
from tests.pairs import slow_after
from tests.test_cli import call, refused

QUICK = {"dot": ("--samples", "100"), "sweep": ("--draws", "8")}


def _documented() -> list[str]:
    """The lines of the pages and of help that ask a question and neither need a file nor write."""
    root = Path(__file__).parents[1]
    pages = [root / "README.md", root / "docs" / "commands.md", *(root / "docs/howto").glob("*.md")]
    texts = [path.read_text("utf-8") for path in sorted(pages)]
    texts += [call(*command, "--help").stdout for command in ((), ("show",), ("dot",), ("sweep",))]
    found = re.findall("^ +(attn-tui .*)", "\n".join(texts), re.M)
    lines = (re.split("   +", line)[0] for line in found)
    others = r"[@;|>]|\.py|\.toml|\.json|\.npz|\.safetensors|\.session|--resume|demo|faults"
    return [line for line in dict.fromkeys(lines) if not re.search(others, line)]


@pytest.mark.parametrize("line", slow_after(5, _documented()))
def test_what_is_documented_can_be_asked(line: str) -> None:
    arguments = shlex.split(line)[1:]
    few = ("--points", "4") if "sweep" in arguments and "--crossover" not in arguments else ()
    result = call(*arguments, *QUICK.get(arguments[0], ()), *few)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout


def test_questions_are_documented() -> None:
    commands = [shlex.split(line)[1] for line in _documented()]
    assert all(commands.count(command) >= 3 for command in ("show", "dot", "sweep"))


def test_a_word_that_is_no_command_is_told_the_commands() -> None:
    assert refused("dots").endswith("-inf (masked); or a command: dot, doctor")
    assert refused("doktor").endswith("; or a command: doctor, dot, tour")
    for name in summaries():
        assert name in refused("x").partition("or a command: ")[2].split(", ")
    assert refused("show", "dots").endswith("-inf (masked)")


def test_what_is_refused_is_quoted_as_it_was_typed() -> None:
    for line, told in [
        ("dot --correlation x", "'x' is not a number; expected a number from −1 to 1"),
        ("dot --entries --samples 10", "--entries: '--samples' is an option; expected a value"),
        ("-V", "-V"),
        ("show -x", "-x"),
        ("show --mask=-1", "--mask: '-1' will not do"),
        ("show --mask=1e99", "--mask: '1e99' will not do"),
        ("show --draw 1e30", "--draw: '1e30' will not do; expected a whole number"),
        ("dot --samples 1e100", "--samples: '1e100' will not do; expected a whole number from 1"),
        (
            "dot --table 2,1e30",
            "--table: '2,1e30' will not do; expected at most 64 whole numbers from 1",
        ),
        ("sweep --draws 1e30", "--draws: '1e30' will not do; expected a whole number from 2 to"),
        ("sweep --n 2:1e30", "--n: '2:1e30' will not do; expected two whole numbers"),
    ]:
        assert told in refused(*line.split())
