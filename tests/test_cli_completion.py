"""Shells complete subcommands, options, their values and paths after @."""

import os
import sys
from contextlib import chdir
from pathlib import Path

import pexpect
import pytest
from click.testing import CliRunner

from attn_tui.commands.completion import rejoined
from attn_tui.commands.program import program
from attn_tui.compute.models import MODELS
from attn_tui.compute.scale import RULES
from attn_tui.files.examples import EXAMPLES
from attn_tui.files.readers import read_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rows").mkdir()
    for name in ("scores.npy", "scores.txt", "notes.md", ".hidden.npy", "rows/k.npz", "SCORES.CSV"):
        (tmp_path / name).touch()
    return tmp_path


def completion(shell: str, words: str, place: int | str, folder: Path) -> str:
    """What the program prints where a shell has asked it; Bash itself asks below."""
    asked = {"_ATTN_TUI_COMPLETE": shell, "COMP_WORDS": words, "COMP_CWORD": str(place)}
    with chdir(folder):
        done = CliRunner().invoke(program, [], env=asked)
    assert done.stderr == ""
    return done.stdout


def completed(line: str, folder: Path) -> list[str]:
    """What zsh is offered at the end of a line: it takes words as they are."""
    words = f"attn-tui {line}"
    text = completion("zsh_complete", words, len(words.split(" ")) - 1, folder)
    return text.splitlines()[1::3]


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
        ("--la", ["--layer", "--layout"]),
        ("--draw 5 --se", ["--seed"]),
        ("-1,0 --sof", ["--softcap"]),
        ("--rule in", ["inverse-sqrt", "inverse"]),
        ("show 1,2 --rule per", ["per-layer"]),
        ("--precision b", ["bfloat16"]),
        ("--round-vectors float1", ["float16"]),
        ("--model gemma-2", ["gemma-2-9b", "gemma-2-27b"]),
        ("--example one", ["one-key"]),
        ("--wrt l", ["logits"]),
        ("@sc", ["@scores.npy", "@scores.txt"]),
        ("@S", ["@SCORES.CSV"]),
        ("show 1,2 @rows", [f"@rows{os.sep}"]),
        ("@rows/", ["@rows/k.npz"]),
        ("@.h", ["@.hidden.npy"]),
        ("--keys @rows/k", ["@rows/k.npz"]),
        ("@missing/", []),
        ("1,2 sh", []),
        ("-1,2 sh", []),
        ("show sh", []),
        ("--keys 1", []),
        ("sweep --over ", ["d_k", "n"]),
        ("sweep --rules none,in", ["none,inverse-sqrt", "none,inverse"]),
        ("sweep --rules inverse,inv", ["inverse,inverse-sqrt"]),
        ("sweep --rules mup:d0=1,te", ["mup\\:d0=1,temperature"]),
        ("sweep --statistic max_weight,tr", ["max_weight,trace"]),
    ]:
        assert completed(line, folder) == expected


def test_every_name_is_offered(folder: Path) -> None:
    assert completed("--rule ", folder) == list(RULES)
    assert completed("--model ", folder) == ["none", *MODELS]
    assert completed("--example ", folder) == list(EXAMPLES)
    assert completed("@", folder) == ["@SCORES.CSV", f"@rows{os.sep}", "@scores.npy", "@scores.txt"]
    assert kinds("--experiment x", folder) == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="such names are none there")
def test_names_that_are_no_line_of_text_are_left_out_and_no_name_is_an_error(folder: Path) -> None:
    for name in (b"scores\n.npy", b"scores\x1b]2;x\x07.npy", b"scores\x9b.npy"):
        (folder / os.fsdecode(name)).touch()
    (folder / "scores loop.npy").symlink_to("scores loop.npy")
    (folder / "👩\u200d🔬.npy").touch()
    assert completed("@sc", folder) == ["@scores loop.npy", "@scores.npy", "@scores.txt"]
    assert completed("@👩", folder) == ["@👩\u200d🔬.npy"]
    for path in ("~nosuch/", "none/", "scores.npy/", "x" * 300 + "/", "scores loop.npy/x"):
        assert completed(f"@{path.replace(' ', '?')}", folder) == []


@pytest.mark.skipif(sys.platform == "win32", reason="such homes are none there")
def test_a_file_below_the_home_directory_is_completed_and_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "rows" / "row.txt").write_text("1, 2, 3")
    monkeypatch.setenv("HOME", str(folder))
    assert completed("show @~/rows/r", folder) == ["@~/rows/row.txt"]
    assert [len(entry.scores) for entry in read_file("~/rows/row.txt")] == [3]


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


def test_words_that_bash_cut_up_are_put_together() -> None:
    for words, whole in (
        (["show", "--rule", "=", "in"], ["show", "--rule=in"]),
        (["--rule", "="], ["--rule="]),
        (["temperature", ":", "T", "=", "4", "x"], ["temperature:T=4", "x"]),
        (["1", "@", "a/b"], ["1", "@a/b"]),
        (["@", "dir", "=", "x/f"], ["@dir=x/f"]),
        (["@"], ["@"]),
        (["--query", "=@", "v"], ["--query=@v"]),
        (["--query", "=@"], ["--query=@"]),
        ([""], [""]),
    ):
        assert rejoined(words) == whole


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs Bash")
def test_bash_completes_what_it_cut_up(folder: Path) -> None:
    (folder / "a=b.npy").touch()
    (folder / "attn-tui").write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {sys.path}\n"
        "from attn_tui.cli import main\nmain()\n"
    )
    (folder / "attn-tui").chmod(0o755)
    shell = pexpect.spawn(
        "/bin/bash", ["--norc", "--noprofile"], cwd=str(folder), encoding="utf-8", timeout=60,
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PS1": "> "},
        dimensions=(24, 200),
    )  # fmt: skip
    shell.sendline("set +o history; bind 'set enable-bracketed-paste off'")
    shell.sendline('eval "$(_ATTN_TUI_COMPLETE=bash_source attn-tui)"; echo re""ady')
    shell.expect("ready")
    for typed, whole in (
        ("--rule=inverse-", "--rule=inverse-sqrt"),
        ("--model gemma-3", "--model gemma-3-27b"),
        ("@scores.n", "@scores.npy"),
        ("show --keys @rows/k", "show --keys @rows/k.npz"),
        ("@a=", "@a=b.npy"),
        ("show --query=@scores.n", "show --query=@scores.npy"),
        ("sweep --rules=none,temp", "sweep --rules=none,temperature"),
        ("sweep --rules temperature:T=4,inverse-", "sweep --rules temperature:T=4,inverse-sqrt"),
        ("sweep --statistic max_weight,tr", "sweep --statistic max_weight,trace"),
    ):
        shell.send(f"attn-tui {typed}\t")
        shell.expect_exact(f"attn-tui {whole} ")
        shell.sendcontrol("u")
    shell.sendline("exit")
    shell.expect(pexpect.EOF)
    shell.close()
