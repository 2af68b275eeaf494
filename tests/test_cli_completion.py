"""Shells complete subcommands, options and their values."""

from contextlib import chdir
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from attn_tui.commands.names import places
from attn_tui.commands.program import program
from attn_tui.compute.models import MODELS
from attn_tui.compute.rules import RULES
from attn_tui.files.examples import EXAMPLES
from attn_tui.instruments import load


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def completion(shell: str, words: str, place: int | str, folder: Path) -> str:
    """What the program prints where a shell has asked it."""
    asked = {"_ATTN_TUI_COMPLETE": shell, "COMP_WORDS": words, "COMP_CWORD": str(place)}
    with chdir(folder):
        done = CliRunner().invoke(program, [], env=asked)
    assert done.stderr == ""
    return done.stdout


def completed(line: str, folder: Path) -> list[str]:
    """What zsh is offered at the end of a line besides files: it takes words as they are."""
    words = f"attn-tui {line}"
    text = completion("zsh_complete", words, len(words.split(" ")) - 1, folder).splitlines()
    return [name for kind, name in zip(text[::3], text[1::3], strict=False) if kind == "plain"]


def kinds(line: str, folder: Path) -> list[str]:
    words = f"attn-tui {line}"
    return completion("zsh_complete", words, len(words.split(" ")) - 1, folder).splitlines()[::3]


def test_a_line_is_completed(folder: Path) -> None:
    for line, expected in [
        ("sh", ["show"]),
        ("rec", ["recipe"]),
        ("recipe s", ["sdpa"]),
        ("--ru", ["--rule"]),
        ("show --round", ["--round-scores", "--round-vectors"]),
        ("show --la", ["--layer", "--layout", "--lab"]),
        ("--la", ["--layer", "--layout", "--lab"]),
        ("--draw 5 --se", ["--seed"]),
        ("-1,0 --sof", ["--softcap"]),
        ("--rule in", ["inverse-sqrt", "inverse"]),
        ("show 1,2 --rule per", ["per-layer"]),
        ("--precision b", ["bfloat16"]),
        ("--round-vectors float1", ["float16"]),
        ("--model gemma-2", ["gemma-2-9b", "gemma-2-27b"]),
        ("--example one", ["one-key"]),
        ("--wrt l", ["logits"]),
        ("--keys 1", []),
        ("sweep --over ", ["d_k", "n"]),
        ("sweep --rules none,in", ["none,inverse-sqrt", "none,inverse"]),
        ("sweep --rules inverse,inv", ["inverse,inverse-sqrt"]),
        ("sweep --rules mup:d0=1,te", ["mup\\:d0=1,temperature"]),
        ("sweep --statistic max_weight,tr", ["max_weight,trace"]),
    ]:
        assert completed(line, folder) == expected


def test_files_are_completed_wherever_one_may_stand(folder: Path) -> None:
    for line in ("ca", "1,2 sh", "-1,2 sh", "show sh", "attention sh", "heads ca", "doctor ca"):
        assert kinds(line, folder) == ["file"], line
    assert kinds("cl", folder) == ["file", "plain", "plain"]
    assert kinds("", folder) == ["plain"] * len(places())
    assert completed("recipe ca", folder) == []
    for name, place in places().items():
        command: click.Command = load(place)
        context = command.make_context(name, [], resilient_parsing=True)
        for parameter in command.params:
            if parameter.make_metavar(context).startswith(("FILE", "CAPTURE", "[SCORES", "DIR")):
                items = parameter.shell_complete(context, "x")
                assert [item.type for item in items] == ["file"], (name, parameter)


def test_every_name_is_offered(folder: Path) -> None:
    assert completed("--rule ", folder) == list(RULES)
    assert completed("--model ", folder) == ["none", *MODELS]
    assert completed("--example ", folder) == list(EXAMPLES)
    assert kinds("--experiment x", folder) == ["file"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script_and_its_protocol(shell: str, folder: Path) -> None:
    script = completion(f"{shell}_source", "", "", folder)
    assert "_ATTN_TUI_COMPLETE" in script
    assert "attn-tui" in script
    place: int | str = "gpt-" if shell == "fish" else 2
    text = completion(f"{shell}_complete", "attn-tui --model gpt-", place, folder)
    assert [name for name in MODELS if name.startswith("gpt-") and name not in text] == []


def test_the_line_of_each_shell_is_documented() -> None:
    page = (Path(__file__).parents[1] / "docs" / "commands.md").read_text()
    for shell in ("bash", "zsh", "fish"):
        assert f"_ATTN_TUI_COMPLETE={shell}_source attn-tui" in page
