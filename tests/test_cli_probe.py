"""``attn-tui probe``."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from attn_tui.commands.program import program

KERNEL = """
import numpy as np
import beside

def attention(q, k, v):
    z = q @ k.swapaxes(2, 3) * beside.scale(q)
    p = np.exp(z - z.max(3, keepdims=True))
    return p / p.sum(3, keepdims=True) @ v

def broken(q, k, v):
    raise KeyError("w")
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["probe", *arguments])


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the path of a file with a kernel, which imports what stands beside it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "beside.py").write_text("def scale(q): return 1 / q.shape[3]\n")
    path = tmp_path / "my_kernel.py"
    path.write_text(KERNEL)
    return str(path)


@pytest.mark.slow
def test_it_says_what_a_function_is_and_ends_as_the_doctor_does(
    kernel: str, tmp_path: Path
) -> None:
    wrong = run(f"{kernel}:attention", "--quick")
    assert wrong.exit_code == 1
    assert "the scale twice, or µP's 1/d_k?" in wrong.stdout.splitlines()[0]
    xml = str(tmp_path / "report.xml")
    right = run(f"{kernel}:attention", "--quick", "--scale", "inverse", "--json", "--junit", xml)
    assert right.exit_code == 0
    plain = json.loads(right.stdout)
    assert plain["verdict"] == "agrees"
    assert [case["verdict"] for case in plain["cases"]] == ["agrees"] * 5
    suite = ElementTree.parse(xml).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("6", "0")
    script = run(f"{kernel}:attention", "--lengths", "17", "--quick", "--reproduce")
    assert script.exit_code == 1
    assert "from my_kernel import attention" in script.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{}:nothing"], "FUNCTION: "),
        (["{}:broken"], "FUNCTION: it raises in all calls: KeyError: 'w'; expected a function"),
        (["no_such_module:f"], "FUNCTION: 'no_such_module' cannot be imported: ModuleNotFound"),
        (["attention"], "FUNCTION: 'attention' names none; expected FILE.py:FUNCTION"),
        (["no.py:f"], "FUNCTION: there is no file 'no.py'"),
        (["{}:attention", "--heads", "0"], "--heads: "),
        (["{}:attention", "--softcap", "x"], "--softcap: it is 'x'; expected a number"),
        (["{}:attention", "--window", "4", "--scale", "x"], "--scale: 'x' is not a rule"),
        (["{}:attention", "--like", "cupy"], "--like: 'cupy' is none"),
        (
            ["{}:attention", "--mask", "causal"],
            "--mask: there is no such option; expected --causal",
        ),
        (["{}:attention", "--n", "64"], "--n: there is no such option; expected --lengths"),
    ],
)
def test_what_cannot_be_probed_ends_with_2(kernel: str, arguments: list[str], says: str) -> None:
    result = run(*(text.format(kernel) for text in arguments))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"attn-tui: {says}")
