"""``attn-tui compare`` on the command line."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program
from attn_tui.compute.fit.head import Path as Rounding
from attn_tui.compute.fit.simulate import Arithmetic, simulate
from attn_tui.compute.head import Head
from attn_tui.compute.logit_map import LogitMap
from attn_tui.engine.comparison import difference
from tests.engine.captured import heads, write

Made = dict[tuple[int, int], Head]


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["compare", *arguments])


@pytest.fixture
def pair(tmp_path: Path) -> Callable[[Made], tuple[str, str]]:
    def written(other: Made) -> tuple[str, str]:
        one = write(tmp_path / "a.safetensors", heads())
        return str(one), str(write(tmp_path / "b.safetensors", other))

    return written


def changed(at: tuple[int, int], **change: Any) -> Made:
    made = heads()
    return {**made, at: replace(made[at], **change)}


def test_the_same_numbers_agree(pair: Callable[[Made], tuple[str, str]]) -> None:
    result = call(*pair(heads()))
    assert result.exit_code == 0
    entries = 12 * 60 * (16 + 8) + 6 * 60 * (16 + 8)
    first = f"The captures are the same in all {entries:,} entries of 12 heads."
    assert result.stdout.replace("\n", " ").startswith(first)
    assert "largest z: the same in all heads" in result.stdout


@pytest.mark.slow
def test_rounding_is_no_difference(tmp_path: Path) -> None:
    import ml_dtypes

    draw = np.random.default_rng(1).standard_normal
    q, k, v = (draw((1, 2, 40, 16)) for _ in "qkv")
    paths = []
    for name, noise in (("a", 0.0), ("b", 1e-3)):
        tensors = {"q": q, "k": k, "v": v, "out": v * (1 + noise * draw(v.shape))}
        bfloat = {part: each.astype(ml_dtypes.bfloat16) for part, each in tensors.items()}
        paths.append(tmp_path / f"{name}.safetensors")
        write_safetensors(paths[-1], bfloat)
    one, other = map(str, paths)
    rounded = call(one, other)
    assert rounded.exit_code == 0
    said = " ".join(rounded.stdout.split())
    found = re.match(
        r"The captures agree: of 5,120 entries of 2 heads none is more than "
        r"(\d) spacings? of bfloat16 off\.",
        said,
    )
    plain = json.loads(call(one, other, "--json").stdout)["heads"]
    most = max(each["differences"]["out"]["most"]["spacings"] for each in plain)
    assert found
    assert int(found[1]) == round(most)


def test_how_attention_rounds_is_no_difference(tmp_path: Path) -> None:
    """An eager model and a flash kernel round where the other does not."""
    import ml_dtypes

    paths: list[str] = []
    ways: list[tuple[Rounding, float]] = [("eager", 1.0), ("flash", 1.0), ("flash", 1.1)]
    for way, factor in ways:
        how = Arithmetic(20**-0.5, path=way)
        made = simulate(3, how, n_keys=64, d_k=20, logit_std=20.0, rows=64)
        assert made.values is not None
        assert made.output is not None
        out = made.output * np.where(made.rows == 41, factor, 1.0)[:, None]
        tensors = {"q": made.queries, "k": made.keys, "v": made.values, "out": out}
        bfloat = {
            part: each.astype(ml_dtypes.bfloat16)[None, None] for part, each in tensors.items()
        }
        paths.append(str(tmp_path / f"{len(paths)}.safetensors"))
        write_safetensors(paths[-1], bfloat)
    result = call(*paths[:2])
    assert result.stdout.startswith("The captures agree in 1 head: that outputs differ by up to ")
    assert result.exit_code == 0
    found = json.loads(call(*paths[:2], "--json").stdout)["heads"][0]["differences"]["out"]
    assert found["beyond"]
    assert found["is_rounded"]
    assert not found["parts"]
    # One row of another kernel that no rounding makes does part them.
    assert call(paths[0], paths[2]).exit_code == 1


def test_where_attention_itself_parts_is_named(pair: Callable[[Made], tuple[str, str]]) -> None:
    made = heads()
    other = changed((1, 2), map=replace(made[1, 2].map, multiplier=0.5))
    result = call(*pair(other))
    assert result.exit_code == 1
    assert result.stdout.startswith("They part in layer 1 head 2: the output differs by ")
    told = result.stdout.partition("\n\n")[0].replace("\n", " ")
    assert told.endswith("although q, k and v agree: attention itself differs.")
    plain = json.loads(call(*pair(other), "--json").stdout)
    assert plain["parting"] == {"batch": 0, "layer": 1, "head": 2, "part": "out"}
    wanted = np.linalg.norm(other[1, 2].output - made[1, 2].output)
    found = next(h for h in plain["heads"] if (h["layer"], h["head"]) == (1, 2))
    size = found["differences"]["out"]["size"]
    assert size == pytest.approx(wanted / np.linalg.norm(made[1, 2].output), rel=1e-5)
    assert sum(each["parts"] for h in plain["heads"] for each in h["differences"].values()) == 1


def test_what_differs_before_the_output_is_named_first(
    pair: Callable[[Made], tuple[str, str]],
) -> None:
    made = heads()
    paths = pair(changed((2, 1), queries=1.5 * made[2, 1].queries))
    text = call(*paths, "--rows", "all", "--statistic", "query_norm,key_norm").stdout
    assert text.startswith("They part in layer 2 head 1: q differs by 50 %, most at row ")
    said = text.replace("\n           ", " ")
    assert "differs in 1 of 12 heads, first in layer 2 head 1: differs by 50 %; 960 of " in said
    assert "‖q‖: b − a of mean over queries" in text
    assert "‖k‖: the same in all heads" in text
    assert max(map(len, text.splitlines())) <= 80
    length = np.linalg.norm(made[2, 1].queries, axis=1).mean()
    rows = [*csv.DictReader(io.StringIO(call(*paths, "--csv", "--statistic=query_norm").stdout))]
    row = next(r for r in rows if (r["layer"], r["head"], r["what"]) == ("2", "1", "query_norm"))
    assert float(row["difference"]) == pytest.approx(length / 2, rel=1e-6)


def test_a_nan_in_one_only_is_a_difference(pair: Callable[[Made], tuple[str, str]]) -> None:
    other = heads()
    other[0, 3].queries[5, 2] = np.nan
    text = call(*pair(other)).stdout
    first = (
        "They part in layer 0 head 3: q differs by NaN or infinity in one, most at row 5, column 2"
    )
    assert text.replace("\n", " ").startswith(first)
    largest = text.partition("largest p: b − a of ")[2].partition("layer × head")[2].splitlines()
    assert largest[1].split() == ["0", *["0", "%"] * 3, "–"]
    lines = call(*pair(other), "--csv", "--statistic", "entropy").stdout.splitlines()
    assert [each.split(",")[6] for each in lines if ",entropy," in each] == (
        ["0.0"] * 3 + ["NaN"] + ["0.0"] * 8
    )


def test_masks_that_are_not_the_same_are_said(
    pair: Callable[[Made], tuple[str, str]],
) -> None:
    paths = pair({**heads(), **{at: heads(causal=False)[at] for at in heads() if at[0] == 1}})
    said = " ".join(call(*paths).stdout.split())
    assert (
        "weights layer 1: in a causal, as the output says; in b no mask, as the output says: "
        in said
    )
    assert "\nweights " not in call(*paths, "--mask", "causal").stdout.partition("agrees")[0]


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    for arguments, message in [
        ("", "CAPTURE: 0 are given; expected two"),
        ("A A A", "CAPTURE: 3 are given; expected two"),
        ("A A --statistic loud", "--statistic: 'loud' is no statistic"),
        ("A C", "CAPTURE: the captures have no head of one shape in common"),
    ]:
        files = {
            "A": str(write(tmp_path / "a.safetensors", heads())),
            "C": str(write(tmp_path / "c.safetensors", heads(n=7))),
        }
        result = call(*(files.get(each, each) for each in arguments.split()))
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"attn-tui: {message}")


def test_nothing_against_nothing_is_no_difference() -> None:
    zeros, formats = np.zeros((2, 3)), ("float32", "float32")
    assert not difference([(range(2), zeros, zeros)], formats).parts
    assert difference([(range(2), zeros, zeros + 1.0)], formats).parts


@pytest.mark.slow
@pytest.mark.parametrize("part", ["k", "out"])
def test_one_entry_of_all_that_differs_is_found_and_placed(tmp_path: Path, part: str) -> None:
    import ml_dtypes

    draw = np.random.default_rng(1).standard_normal
    tensors = {}
    for layer in range(2):
        q, k, v = (draw((heads, 300, 64)) for heads in (4, 2, 2))
        out = [Head(q[h], k[h // 2], v[h // 2], LogitMap(0.125), True).output for h in range(4)]
        for name, array in {"q": q, "k": k, "v": v, "out": np.array(out)}.items():
            tensors[f"{layer}.{name}"] = array[None].astype(ml_dtypes.bfloat16)
    paths = [str(tmp_path / f"{name}.safetensors") for name in "ab"]
    write_safetensors(paths[0], tensors)
    changed = tensors[f"1.{part}"][0, 1, 200]
    before, spacing = (
        float(changed[7]),
        2.0 ** (np.frexp(np.abs(changed).max().astype(float))[1] - 8),
    )
    changed[7] = before + 40 * spacing
    write_safetensors(paths[1], tensors)
    result = call(*paths, "--mask", "causal", "--rows", "8")
    head = 1 if part in ("q", "out") else 2
    named = "the output" if part == "out" else part
    assert result.exit_code == 1
    assert result.stdout.replace("\n", " ").startswith(
        f"They part in layer 1 head {head}: {named} differs in 1 entry, most at row 200, column 7"
    )
    plain = json.loads(call(*paths, "--mask", "causal", "--rows", "8", "--json").stdout)
    found = plain["heads"][4 + head]["differences"][part]
    assert (found["entries"], found["differ"], found["beyond"]) == (19_200, 1, 1)
    most = found["most"]
    assert (most["row"], most["column"], most["a"]) == (200, 7, before)
    assert most["b"] == float(changed[7])
    assert most["spacings"] == pytest.approx(abs(most["b"] - before) / spacing)


def test_what_is_odd_in_both_is_no_difference(pair: Callable[[Made], tuple[str, str]]) -> None:
    made = heads()
    made[0, 3].queries[5, 2] = np.nan
    paths = pair(made)
    assert call(paths[1], paths[1]).exit_code == 0


def test_heads_in_one_only_are_named_with_their_sequence(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    paths = []
    for batch, layers in ((3, 1), (1, 2)):
        tensors = {
            f"{layer}.{part}": draw.standard_normal((batch, 2, 5, 4)).astype(np.float32)
            for layer in range(layers)
            for part in "qk"
        }
        write_safetensors(path := tmp_path / f"{batch}.safetensors", tensors)
        paths.append(str(path))
    result = call(*paths)
    said = " ".join(result.stdout.split())
    assert result.exit_code == 1  # Sequence 0 differs.
    assert "layer 0 head 0 of sequence 1, layer 0 head 1 of sequence 1" in said
    assert "and 2 more" in said


@pytest.mark.slow
def test_heads_that_only_one_has_are_said_first_and_are_no_agreement(
    pair: Callable[[Made], tuple[str, str]],
) -> None:
    made = heads()
    paths = pair({at: head for at, head in made.items() if at[0] < 2})
    for order in (paths, paths[::-1]):
        result = call(*order)
        said = result.stdout.replace("\n", " ")
        assert result.exit_code == 3
        assert said.startswith("The heads that both have are the same in all ")
        assert "of 8 heads." in said
        assert "in one only, or of another shape there: layer 2 head 0 " in said
    # Those that were not asked for are not missed.
    assert call(*paths, "--layer", "0,1").exit_code == 0
