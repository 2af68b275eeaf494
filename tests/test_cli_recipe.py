"""``attn-tui recipe`` on the command line; tests/extras runs what it prints."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from attn_tui.captures.recipes import RECIPES
from attn_tui.commands.program import program
from benchmarks.lines import code_lines


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments)


def test_a_recipe_is_a_short_script_that_says_how_to_call_it() -> None:
    for name in RECIPES:
        result = run("recipe", name)
        assert result.exit_code == 0
        compile(result.stdout, name, "exec")
        assert 'capture.safetensors"' in result.stdout.split('"""')[1]
        assert "Then: attn-tui doctor capture.safetensors" in result.stdout
        assert max(map(len, result.stdout.splitlines())) <= 100
        most = {"eager": 115, "llama_cpp": 45}.get(name, 35)
        assert len(code_lines(result.stdout)) <= most


def test_without_a_name_there_is_a_line_of_each() -> None:
    result = run("recipe")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*RECIPES]
    assert max(map(len, lines)) <= 80
    refused = run("recipe", "--out", "capture.py")
    assert (refused.exit_code, "NAME: none is given" in refused.stderr) == (2, True)


def test_it_is_written_to_a_file_that_is_not_there_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = Path("capture.py")
    assert run("recipe", "sdpa", "--out", "capture.py").stdout == ""
    assert script.read_text() == run("recipe", "sdpa").stdout
    refused = run("recipe", "onnx", "--out", "capture.py")
    assert refused.exit_code == 2
    assert "--out, 'capture.py': it is there already; expected a new file" in refused.stderr
    assert "scaled_dot_product_attention" in script.read_text()
    assert run("recipe", "onnx", "--out", "no/x.py").exit_code == 2


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("demo", "DIR: none is given; expected a new folder, such as faults"),
        ("claim", "ID: none is given; expected one that attn-tui claims lists, such as S2-3"),
    ],
)
def test_without_its_argument_it_says_what_may_be_given(command: str, expected: str) -> None:
    result = run(command)
    assert (result.exit_code, result.stderr) == (2, f"attn-tui: {expected}\n")
    assert run(command, "--help").exit_code == 0


def test_another_name_is_refused_with_the_nearest() -> None:
    result = run("recipe", "transfomers")
    assert result.exit_code == 2
    assert "NAME: there is none called 'transfomers'; expected transformers\n" in result.stderr
    assert "expected transformers or eager or sdpa or" in run("recipe", "caffe").stderr
