import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from attn_tui import __version__
from attn_tui.commands.names import places, summaries
from attn_tui.commands.program import program
from attn_tui.console.arguments import protected
from attn_tui.console.asking import experiment_of
from attn_tui.console.options import shared
from attn_tui.instruments import load

FILES = Path(__file__).parent / "files"
PROGRAM = (sys.executable, "-m", "attn_tui")


def call(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(program, arguments, input=stdin)


def shown(*arguments: str, stdin: str | bytes | None = None) -> dict[str, list[object]]:
    result = call("show", "--json", *arguments, stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return {v["name"]: v["scores"] for v in json.loads(result.stdout)["vectors"]}


def asked(*arguments: str) -> dict[str, Any]:
    result = call("show", "--json", *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    experiment: dict[str, Any] = json.loads(result.stdout)["experiment"]
    return experiment


def refused(*arguments: str, stdin: str | bytes | None = None) -> str:
    result = call(*arguments, stdin=stdin)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("attn-tui: ")
    assert "; expected " in result.stderr
    assert result.stderr.endswith("\n")
    line = result.stderr[:-1]
    assert line.isprintable()
    return line


def run(
    *arguments: str, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_scores_are_taken_as_they_are() -> None:
    for arguments, vectors in [
        ((), {"a": [100, 120, 150]}),
        (("100", "120", "150"), {"a": [100, 120, 150]}),
        (("100,120", "150"), {"a": [100, 120], "b": [150]}),
        (("q:1,2", "3,4"), {"q": [1, 2], "a": [3, 4]}),
        (("-1,0,1",), {"a": [-1, 0, 1]}),
        (("-inf,0",), {"a": ["-Infinity", 0]}),
        (("-.5e3,1",), {"a": [-500, 1]}),
        (("-1", "-2", "-3"), {"a": [-1, -2, -3]}),
        (("--d-k", "4", "-1,2"), {"a": [-1, 2]}),
        (("--", "-1,2"), {"a": [-1, 2]}),
        ((f"@{FILES / 'valid' / 'keys.npz'}",), {"q": [1, 2], "k[0]": [3], "k[1]": [4]}),
    ]:
        assert shown(*arguments) == vectors


def test_standard_input_and_files_stand_beside_scores() -> None:
    file = f"@{FILES / 'valid' / 'row.npy'}"
    vectors = {"q": [1, 2], "row": [100, 120, 150], "a": [3, 4]}
    assert shown("-", file, "3,4", stdin="q: 1, 2\n") == vectors
    assert "SCORES, standard input: byte 0x93" in refused("-", stdin=b"\x93NUMPY\x09")
    assert shown("-", stdin=b"\xef\xbb\xbf1\r\n2\r\n") == {"a": [1, 2]}


def test_only_double_dashes_and_h_make_an_option() -> None:
    arguments = ["-1,0", "--of", "-3", "-", "-h", "--", "-1", "--x"]
    assert protected(arguments) == [" -1,0", "--of", " -3", "-", "-h", "--", "-1", "--x"]


def test_bad_input_is_one_line_that_says_what_where_and_what_was_expected() -> None:
    for arguments, expected in [
        (("-hello",), "SCORES: '-hello' is not a number"),
        (("1,2", "3,x"), "SCORES, argument 2: 'x' is not a number"),
        (("",), "SCORES: there are none"),
        (("\x1b1",), r"SCORES: '\x1b1' is not a number"),
        (("1,2", "--causal"), "--causal: there is no such option; expected --mask causal"),
        (("1,2", "--cap", "3"), "--cap: there is no such option; expected --softcap"),
        (("--precison", "float16"), "--precison: there is no such option; expected --precision"),
        (("@missing.npy",), "SCORES, 'missing.npy': there is no such file"),
        (("@.",), "SCORES, '.': it is a directory"),
        (("--d-k", "-3"), "--d-k: '-3' will not do"),
        (("--d-k=2.5",), "--d-k: '2.5' is not a whole number; expected a whole number from 1"),
        (("--d-k", "1" + "0" * 30), "--d-k: '1000"),
        (("--rule", "temperature:T=\x1b[31m"), r"'\x1b[31m' is not a number"),
        (("--wrt", "queries"), "--wrt: 'queries'"),
        (("1,2", "q:3", "--of", "1"), "--of: 'q' has no key 1"),
        (("--of", "9" * 5000), "--of: 'a' has no key 99,999"),
        (("--experiment", "missing.json"), "--experiment, 'missing.json': there is no such file"),
        (("--tokens", "-missing.txt"), "--tokens, '-missing.txt': there is no such file"),
        (("-", "--experiment", "-"), "SCORES: standard input is asked for twice"),
        (("-",), "SCORES, standard input: there are none"),
        (("--d-k",), "'--d-k' requires an argument"),
        (("--d", "4"), "--d-k"),
        (("--\x1b[31m",), r"--\x1b[31m"),
    ]:
        for command in ((), ("show",)):
            assert expected in refused(*command, *arguments)


def test_show_refuses_a_count_of_none() -> None:
    assert "--top: '0' will not do" in refused("show", "--top", "0")
    assert "--top: '1.5' is not a whole number; expected a whole number from 1" in refused(
        "show", "--top", "1.5"
    )


def test_options_and_scores_replace_what_an_experiment_says(tmp_path: Path) -> None:
    file = tmp_path / "saved.json"
    file.write_text(call("show", "--json", "1,2", "--d-k=7", "--naive", "--wrt=logits").stdout)
    found = asked("3,4", "--experiment", str(file), "--d-k=9", "--stable", "--of=1")
    assert (found["d_k"], found["naive"]) == (9, False)
    assert found["settings"]["explore"] == {"of": 1, "wrt": "logits", "target": None}
    assert found["vectors"] == [{"name": "a", "scores": [3.0, 4.0]}]


def test_the_gradient_is_that_of_the_largest_weight_and_stays_so_when_saved(tmp_path: Path) -> None:
    file = tmp_path / "saved.json"
    file.write_text(call("show", "--json", "100,120,150").stdout)
    saved = json.loads(file.read_text())
    assert saved["experiment"]["settings"]["explore"]["of"] is None
    assert saved["vectors"][0]["unscaled"]["gradient"]["of"] == 2
    assert "gradient of p₁ " in call("show", "--experiment", str(file), "7,9,8").stdout
    assert call("show", "7,9,8", "--of=largest").stdout == call("show", "7,9,8").stdout
    assert "gradient of p₀ " in call("show", "7,9,8", "--of=0").stdout


@pytest.mark.parametrize("more", [(), ("show", "1,2")])
def test_a_theme_that_is_none_is_named_before_what_stands_behind_it(more: tuple[str, ...]) -> None:
    said = refused("--theme", "nosuch", *more)
    assert "--theme: 'nosuch' is not a theme; expected one of " in said
    assert "attn, attn-light" in said
    assert "textual-light" in said


def test_without_a_terminal_the_program_prints_what_show_prints() -> None:
    for arguments in ((), ("-1,0,1", "--d-k=4")):
        assert call(*arguments).stdout == call("show", *arguments).stdout
    assert "0.6245" in run().stdout.decode()
    assert run("-", stdin=b"1 2").stdout == run("show", "1", "2").stdout


def test_help_is_one_screen_and_every_command_has_its_own() -> None:
    for arguments in (("--help",), ("-h",)):
        lines = call(*arguments).stdout.splitlines()
        text = "\n".join(lines)
        assert len(lines) <= 40
        assert max(map(len, lines)) <= 80
        for expected in ("[SCORES]...", "@FILE", "show --help", "Examples:", "--version"):
            assert expected in text
        for command in summaries():
            assert f"\n  {command} " in text
    for words in (("1,2", "-h"), ("show", "--help")):
        result = call(*words)
        assert result.exit_code == 0, (words, result.output, result.exception)
        text = result.stdout
        for expected in ("--d-k", "--wrt", "--experiment", "--softcap", "Examples:"):
            assert expected in text
    assert call("--version").stdout == f"attn-tui {__version__}\n"


def test_the_help_of_an_option_has_under_ten_words() -> None:
    assert places().keys() == summaries().keys()
    for name, place in places().items():
        command: click.Command = load(place)
        assert max(map(len, call(name, "--help").stdout.splitlines())) <= 80
        for option in command.params:
            if isinstance(option, click.Option):
                words = re.sub(r"\[default: .*\]", "", option.help or "").split()
                assert 0 < len(words) < 10, (name, option.name)


def test_a_command_may_take_the_shared_options_alone() -> None:
    @click.command()
    @shared
    def count(**given: Any) -> None:
        experiment = experiment_of(given, lambda setup: replace(setup, d_k=setup.d_k + 1))
        click.echo(f"{len(experiment.vectors)} {experiment.setup.d_k}")

    assert CliRunner().invoke(count, ["1,2", "3,4", "--d-k", "7"]).output == "2 8\n"


def test_a_question_saved_with_a_key_that_is_not_there_is_of_the_last_one(tmp_path: Path) -> None:
    file = tmp_path / "saved.json"
    scores = [{"name": "a", "scores": [1, 2]}]
    asked = {"vectors": scores, "settings": {"explore": {"of": 2}}}
    file.write_text(json.dumps({"schema": "attn-tui/1", "experiment": asked}))
    assert call("show", "--experiment", str(file)).stdout == call("show", "1,2", "--of=1").stdout


def test_a_key_that_is_not_there_is_laid_to_who_asked_for_it(tmp_path: Path) -> None:
    file = tmp_path / "saved.json"
    file.write_text(call("show", "--json", "1,2,3,4,5,6", "--of=5").stdout)
    message = refused("show", "1,2", "--experiment", str(file))
    assert "--experiment, of: 'a' has no key 5" in message
    assert "--of: 'a' has no key 6" in refused("show", "1,2", "--experiment", str(file), "--of=6")
    file.write_text(call("show", "--json", "1,2,3", "--mask=2").stdout)
    message = refused("show", "1,2", "--experiment", str(file))
    assert "--experiment, mask: there is no key 2" in message
