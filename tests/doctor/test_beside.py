"""What was captured beside q, k, v and the output is tested against them."""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program
from attn_tui.compute.fit.simulate import Arithmetic, compute, simulate
from attn_tui.compute.heads.mask import HeadMask

N = 48
HOW = Arithmetic(0.25, softcap=20.0, sink=0.5, path="eager")


def doctor(*arguments: str) -> str:
    result = CliRunner().invoke(program, ["doctor", *arguments])
    assert result.exit_code in (0, 3), result.output
    return result.output


def made() -> dict[str, NDArray[Any]]:
    head = simulate(3, HOW, n_keys=N, d_k=16, logit_std=4.0, rows=N)
    logits, weights, _ = compute(head, HOW)
    parts = {"q": head.queries, "k": head.keys, "v": head.values, "out": head.output}
    found = {name: np.asarray(each)[None, None] for name, each in parts.items()}
    with np.errstate(all="ignore"):
        lse = np.log(np.exp(logits).sum(1) + np.exp(0.5))
    others = {
        "products": head.queries @ head.keys.T,
        "logits": logits,
        "weights": weights,
        "lse": lse,
        "lse 2": lse / np.log(2.0),
    }
    return found | {name: np.asarray(each)[None, None] for name, each in others.items()}


def written(path: Path, **beside: NDArray[Any]) -> str:
    every = made()
    tensors = {part: every[part] for part in ("q", "k", "v", "out")} | beside
    bfloat = {part: each.astype(ml_dtypes.bfloat16) for part, each in tensors.items()}
    write_safetensors(path / "capture.safetensors", bfloat)
    return str(path / "capture.safetensors")


@pytest.mark.parametrize(
    ("part", "right"),
    [
        ("scores", "products"), ("scores", "logits"), ("weights", "weights"), ("lse", "lse"),
        ("lse", "lse 2"),
    ],
)  # fmt: skip
def test_what_goes_with_the_output_changes_nothing(tmp_path: Path, part: str, right: str) -> None:
    text = doctor(written(tmp_path, **{part: made()[right]}))
    assert text.startswith("no expectation: m = 0.2")


@pytest.mark.parametrize(
    ("part", "wrong", "said"),
    [
        (
            "scores",
            lambda x: 3 * x["products"],
            "scores in the file are neither q·k nor the logits",
        ),
        ("weights", lambda x: x["weights"][..., ::-1], "weights in the file are not those"),
        ("lse", lambda x: x["lse"] + 1, "lse in the file is not that of q, k and the output"),
    ],
)
def test_what_contradicts_the_output_is_said_and_m_is_not(
    tmp_path: Path, part: str, wrong: Any, said: str
) -> None:
    text = doctor(written(tmp_path, **{part: np.ascontiguousarray(wrong(made()))}))
    assert text.startswith(f"cannot tell: m is unknown: {said}")


@pytest.mark.parametrize(("claimed", "denied"), [(80, False), (7, True)])
def test_where_the_metadata_says_that_queries_stand_is_tested(
    tmp_path: Path, claimed: int, denied: bool
) -> None:
    how = Arithmetic(0.25, mask=HeadMask("causal", 80), path="flash")
    head = simulate(3, how, n_keys=96, n_queries=16, d_k=16, rows=16)
    parts = {"q": head.queries, "k": head.keys, "v": head.values, "out": head.output}
    path = tmp_path / "chunk.safetensors"
    write_safetensors(
        path,
        {
            name: np.asarray(each)[None, None].astype(ml_dtypes.bfloat16)
            for name, each in parts.items()
        },
        {"query_offset": str(claimed)},
    )
    text = " ".join(doctor(str(path)).split())
    assert text.startswith("no expectation: m = 0.2")
    assert "causal, query 0 at key 80" in text
    said = f"The metadata says that query 0 stands at key {claimed}, which the output denies."
    assert (said in text) == denied
    heads = " ".join(CliRunner().invoke(program, ["heads", str(path)]).output.split())
    assert (said in heads) == denied
    assert "causal, query 0 at key 80, as the output says" in heads
