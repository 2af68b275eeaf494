"""Every question can be asked on the command line, and what cannot be asked is one line."""

import json
import os
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.models import MODELS
from attn_tui.files.examples import EXAMPLES
from tests.test_cli import PROGRAM, asked, call, refused

EYE = "[[1,0],[0,1]]"
VECTORS = ("--query", "1,0", "--keys", EYE)


def test_options_say_what_happens_to_scores() -> None:
    cases: list[tuple[str, dict[str, object]]] = [
        ("--softcap 1e-3 --sink -2.5 --qk-norm", {"softcap": 0.001, "sink": -2.5, "qk_norm": True}),
        ("--rule 1/d_k", {"rule": "inverse"}),
        ("--model Gemma-2-9B", {"model": "gemma-2-9b"}),
        ("--rule mup:d0=128", {"rule": "mup", "parameters": {"d0": 128.0}}),
        ("--mask 2,0:1", {"mask": "0, 2"}),
        ("--mask causal", {"mask": "causal"}),
        ("--precision bfloat16", {"precision": "bfloat16", "round_scores": "float64"}),
        ("--round-scores float16", {"round_scores": "float16", "precision": "float64"}),
        ("--round-vectors=float16", {"round_vectors": "float16"}),
        (
            "--model gemma-2-27b --softcap none --d-k 8",
            {"d_k": 8, "rule": "fixed", "parameters": {"a": 144.0}, "softcap": None},
        ),
    ]
    for arguments, expected in cases:
        found = asked("1,2,3", *arguments.split())
        assert found.items() >= expected.items()
        assert found["vectors"] == [{"name": "a", "scores": [1.0, 2.0, 3.0]}]


def test_a_model_of_a_file_is_departed_from_and_let_go_of(tmp_path: Path) -> None:
    file = tmp_path / "asked.json"
    file.write_text(call("show", "--model", "gemma-2-27b", "--json").stdout)
    again = partial(asked, "--experiment", str(file))
    gemma = asked("--model", "gemma-2-27b")
    assert again() == gemma
    assert again("--model", "none") == gemma | {"model": "none"}
    assert again("--d-k", "64") == gemma | {"d_k": 64}
    assert again("--d-k", "64", "--rule", "inverse")["model"] == "none"
    assert again("--model", "gpt-2") == asked("--model", "gpt-2")
    for command in ("show", "dot --samples 9", "sweep --draws 9"):
        said = call(*command.split(), "--experiment", str(file)).stdout
        assert "model      Gemma-2-27B: d_model 4,608, 32 heads, d_k 128\n" in said
    said = call("show", "--experiment", str(file), "--d-k", "64").stdout
    assert "model      Gemma-2-27B, but d_k 64; its own: d_model 4,608" in said


def test_scores_are_drawn() -> None:
    assert asked("--draw", "5")["draw"] == {
        "n_keys": 5,
        "seed": 1,
        "vectors": 1,
        "law": "q·k, the entries of q and k independent and standard normal",
        "generator": "NumPy PCG64, standard_normal",
    }
    draw: Any = asked("--draw", "1000000", "--seed", "7", "--vectors=3", "--top", "1")["draw"]
    assert (draw["n_keys"], draw["seed"], draw["vectors"]) == (1_000_000, 7, 3)


def test_scores_come_from_vectors(tmp_path: Path) -> None:
    found = asked(*VECTORS, "--values", "[[1],[2]]")
    assert (found["queries"], found["keys"], found["values"]) == (
        [[1.0, 0.0]],
        [[1.0, 0.0], [0.0, 1.0]],
        [[1.0], [2.0]],
    )
    assert found["d_k"] == 2
    assert asked("--query", "-1,-2", "--keys", "-3 4")["queries"] == [[-1.0, -2.0]]
    np.save(tmp_path / "k.npy", np.eye(2))
    assert asked("--query", "1,0", "--keys", f"@{tmp_path / 'k.npy'}") == asked(*VECTORS)
    assert asked(*VECTORS, "--d-k", "2") == asked(*VECTORS)
    assert asked(*VECTORS, "--model", "gpt-2")["d_k"] == 2


def test_an_example_and_a_model_are_told_of() -> None:
    for name, example in EXAMPLES.items():
        said = " ".join(call("show", "--example", name).stdout.split())
        assert f"example {example.title} look at {example.look} scores" in said
    changed = " ".join(call("show", "--example", "ties", "--d-k", "2").stdout.split())
    assert "example Ties: 100, 100, 0 with other options than its own scores" in changed
    for name, model in [*MODELS.items()][::5]:
        said = " ".join(call("show", "--model", name).stdout.split())
        sizes = f"d_model {model.d_model:,}, {model.heads} heads, d_k {model.d_k}"
        told = f"model {model.title}: {sizes} {model.note}".strip()
        assert f"{told} scores" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "is_mentioned"), [("show", True), ("show -", False), ("show 1,2", False)]
)
def test_standard_input_that_nobody_asked_for_is_mentioned(
    arguments: str, is_mentioned: bool, tmp_path: Path
) -> None:
    said = "attn-tui: standard input is left unread; - among SCORES reads it\n"
    file = tmp_path / "scores.txt"
    file.write_text("1, 2, 3\n")
    end, begin = os.pipe()
    os.write(begin, b"1, 2, 3\n")
    os.close(begin)
    for source in (os.open(file, os.O_RDONLY), end):
        command = [*PROGRAM, *arguments.split()]
        done = subprocess.run(command, stdin=source, capture_output=True, text=True, check=True)
        assert done.stderr == said * is_mentioned
        assert done.stdout
        assert (os.read(source, 1) == b"") == (arguments == "show -")
        os.close(source)


def test_whole_numbers_are_written_alike_everywhere() -> None:
    found: Any = asked("--draw=1e3", "--seed=2^20", "--vectors=1e1", "--d-k=2^10", "--of=1e1")
    assert found == asked(
        "--draw=1,000", "--seed=1_048_576", "--vectors=10", "--d-k=1024", "--of=10"
    )


def test_options_replace_what_an_example_says() -> None:
    found: Any = asked("--example", "thousand", "--seed", "3", "--d-k", "4", "--vectors", "2")
    assert (found["d_k"], found["draw"]["n_keys"]) == (4, 1000)
    assert (found["draw"]["seed"], found["draw"]["vectors"]) == (3, 2)
    found = asked("--example", "sink", "5,6", "--sink", "none")
    assert (found["sink"], found["d_k"], found["vectors"][0]["scores"]) == (None, 64, [5.0, 6.0])
    assert asked("--example", "identity", "1,2")["vectors"] == asked("1,2")["vectors"]


QUESTIONS = (
    ("q:1,-inf,3", "r: 2,0.1,5e-324", "--d-k=7", "--rule=temperature:T=0.3", "--of=1"),
    ("--draw=9", "--seed=9223372036854775807", "--vectors=2", "--d-k=65536", "--rule=ssmax:a=2"),
    (*VECTORS, "--values=[[1],[2]]", "--qk-norm", "--round-vectors=bfloat16"),
    ("1,2,3", "--softcap=5", "--sink=-1", "--mask=causal,1", "--round-scores=float16", "--naive"),
)


@pytest.mark.parametrize("arguments", QUESTIONS)
def test_a_question_comes_back_byte_by_byte(arguments: tuple[str, ...]) -> None:
    first = call("show", "--json", *arguments).stdout
    assert call("show", "--json", "--experiment", "-", stdin=first).stdout == first


@pytest.mark.slow
def test_options_replace_what_a_file_says(tmp_path: Path) -> None:
    file = str(tmp_path / "saved.json")
    Path(file).write_text(
        call(
            "show", "--json", "--draw=9", "--seed=4", "--softcap=5", "--mask=3", "--qk-norm"
        ).stdout
    )
    found: Any = asked("--experiment", file, "--draw=8", "--softcap=none", "--mask=none")
    assert (found["draw"]["n_keys"], found["draw"]["seed"]) == (8, 4)
    assert (found["softcap"], found["mask"], found["qk_norm"]) == (None, "", True)
    assert asked("--experiment", file, "--no-qk-norm")["qk_norm"] is False
    Path(file).write_text(call("show", "--json", "--draw=9", "--vectors=100").stdout)
    many: Any = asked("--experiment", file, "--draw=100000", "--vectors=1", "--top=1")["draw"]
    assert (many["n_keys"], many["vectors"]) == (100_000, 1)
    assert "--vectors: '100' will not do" in refused("--experiment", file, "--draw=100000")
    Path(file).write_text(call("show", "--json", "--draw=9", "--mask=3").stdout)
    assert "draw" not in asked("--experiment", file, *VECTORS, "--mask=0")
    assert "--experiment, mask: there is no key 3" in refused("--experiment", file, "1,2,3")
    assert "--mask: there is no key 4" in refused("--experiment", file, "1,2,3", "--mask=4")
    assert "--mask: there is no key 9" in refused("--example", "ties", "--mask=9")


def test_what_cannot_be_asked_is_one_line() -> None:
    for arguments, expected in [
        (("--rule", "mup:base=3"), "--rule: mup has no parameter 'base'; expected d0"),
        (("--rule", "cube"), "--rule: 'cube' is not a rule; expected one of inverse-sqrt"),
        (("--softcap", "0"), "--softcap: '0' will not do; expected a finite cap above 0"),
        (("--softcap", "x\x1b"), r"--softcap: 'x\x1b' is not a number"),
        (("--model", "gpt-9"), "--model: 'gpt-9' will not do; expected one of none, bert-base"),
        (("--example", "x"), "--example: 'x' is not an example; expected one of worked"),
        (("--example", "ties", "--experiment", "x"), "--example: --experiment is given too"),
        (("--mask", "3"), "--mask: there is no key 3; expected keys from 0 to 2"),
        (("--precision", "f16"), "--precision: 'f16' will not do; expected one of float64"),
        (("--draw", "5", "--seed", "9" * 9999), "a whole number from 0 to 9,223,372,036,854,775"),
        (("--seed", "3"), "--seed: nothing is drawn; expected --draw N beside it"),
        (("1,2", "--draw", "5"), "--draw: SCORES is given too; expected scores from one place"),
        (("--query", "1,0"), "--query: --keys is missing; expected both --query and --keys"),
        (("--query", "1,0", "--keys", "1"), "--keys: a row of K has 1 number and q has 2"),
        (("--query", "1,x", "--keys", "1,2"), "--query: 'x' is not a number"),
        ((*VECTORS, "--values", "@x.npy"), "--values, 'x.npy': there is no such file"),
        (("--query", "1e300", "--keys", "1e300"), "--query: the product of q 0 and key 0 over"),
        ((*VECTORS, "--d-k", "64"), "--d-k: 64 contradicts q, which has 2 numbers; expected 2"),
    ]:
        assert expected in refused("show", *arguments)


def test_scores_may_be_any_text_that_the_editor_takes() -> None:
    assert asked("n = 5, seed = 7") == asked("--draw", "5", "--seed", "7")
    assert asked("q: 1, 0", f"K: {EYE}") == asked(*VECTORS)


def test_an_answer_stands_beside_that_of_a_file(tmp_path: Path) -> None:
    file = str(tmp_path / "q.json")
    other = call("show", "--json", "1,2,3", "--softcap=5").stdout
    Path(file).write_text(other)
    for source, stdin in ((file, None), ("-", other)):
        found = call("show", "--json", "1,2,4", "--against", source, stdin=stdin)
        plain = json.loads(found.stdout)["vectors"][0]
        old = json.loads(other)["vectors"][0]["scaled"]["weights"]
        assert plain["comparison"]["weights"]["first"] == old
    assert "first_weight" in call("show", "1,2,4", "--csv", "--against", file).stdout
    Path(file).write_text(call("show", "--json", "1,2", "3,4").stdout)
    assert "--against: it asks about 2 vectors" in refused("show", "1,2", "--against", file)
    assert "--against, 'none.json': there is no" in refused("show", "--against", "none.json")
    assert "--against: standard input is asked" in refused("show", "-", "--against", "-")


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)])
def test_every_format_is_tried_if_asked(form: tuple[str, ...]) -> None:
    plain, lab = (call("show", *form, *more).stdout for more in ((), ("--lab",)))
    assert "bfloat16" in lab
    assert "bfloat16" not in plain


def test_dot_products_and_sweep_need_no_scores_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "draws.json"
    file.write_text('{"settings": {"dots": {"samples": 7}, "sweep": {"draws": 9}}}')
    assert json.loads(call("dot", "--json", "--experiment", str(file)).stdout)["samples"] == 7
    assert '"vectors" is missing' in refused("show", "--experiment", str(file))
