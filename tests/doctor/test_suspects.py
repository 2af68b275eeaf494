"""What may have been captured in place of what attention was given."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures.opening import open_capture
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.fit.simulate import Arithmetic, computed, simulate
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.doctor.examine import examine
from attn_tui.doctor.report import Settings
from attn_tui.doctor.suspects import mixes, rope, suspects
from attn_tui.files.models.expected import Expectation
from attn_tui.files.models.transformers import expectation
from attn_tui.report.doctor.line import verdict_line

HOW = Arithmetic(0.25, format="float32")
HEAD = simulate(1, HOW, n_keys=96, d_k=16, rows=range(0, 96, 3), logit_std=2.0)


@pytest.mark.parametrize("halves", [True, False])
@pytest.mark.parametrize("both", [True, False])
def test_keys_that_were_captured_before_rope_are_turned(halves: bool, both: bool) -> None:
    keys = rope(HEAD.keys, np.arange(96), 1e4, halves)
    queries = rope(HEAD.queries, HEAD.rows, 1e4, halves) if both else HEAD.queries
    output = computed(replace(HEAD, keys=keys, queries=queries), HOW).output
    (first, second) = suspects(replace(HEAD, output=output), 1)
    assert (first.verdict, first.found) == ("no", "its first rows are mixtures of their values")
    which = "q and k were" if both else "k was"
    assert second.verdict == "yes"
    assert second.found.startswith(f"{which} captured before")
    assert ("halves" if halves else "neighbours") in second.found


def test_rotation_leaves_lengths_and_differences_of_positions() -> None:
    rows = np.random.default_rng(1).normal(size=(2, 16))
    products = [
        np.prod(rope(rows, np.array([at, at + 5]), 1e4, True), axis=0).sum() for at in (0, 40)
    ]
    turned = rope(rows, np.array([3, 9]), 1e4, False)
    assert np.allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(rows, axis=1))
    assert products[0] == pytest.approx(products[1])


def test_an_output_after_its_projection_is_no_mixture_of_values() -> None:
    assert HEAD.output is not None
    assert mixes(HEAD)
    turned = HEAD.output @ np.random.default_rng(2).normal(size=(16, 16)).astype(np.float32)
    after = replace(HEAD, output=turned)
    assert mixes(after) is False
    told = suspects(after, 4)
    assert [each.verdict for each in told] == ["no", "may be", "not tested"]
    assert told[0].found.startswith("of 4 ways")
    assert "more than values of keys up to their own" in told[1].found


def test_where_all_rows_see_many_keys_nothing_is_said_of_mixtures() -> None:
    head = simulate(1, replace(HOW, mask=HeadMask("none")), n_keys=96, d_k=16, rows=[90, 95])
    assert mixes(head) is None


def test_an_infinite_output_is_no_mixture_and_nothing_is_printed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert HEAD.output is not None
    output = np.full_like(HEAD.output, np.inf)
    assert mixes(replace(HEAD, output=output)) is None
    assert capfd.readouterr() == ("", "")


def batch(tmp_path: Path, *hows: Arithmetic, odd: int | None = None) -> str:
    """A capture of sequences, each computed in its own way, an odd one of them not by attention."""
    made = [simulate(seed, how, n_keys=48, d_k=16, rows=range(48)) for seed, how in enumerate(hows)]
    parts = {"q": "queries", "k": "keys", "v": "values", "out": "output"}
    tensors = {
        f"0.{part}": np.stack([np.nan_to_num(getattr(one, name))[None] for one in made])
        for part, name in parts.items()
    }
    if odd is not None:
        tensors["0.out"][odd] = np.random.default_rng(1).normal(size=(48, 16))
    write_safetensors(tmp_path / "a.safetensors", tensors)
    return str(tmp_path / "a.safetensors")


def line(path: str, expectation: Expectation | None = None) -> str:
    return verdict_line([*examine(open_capture([path]), expectation, Settings())][-1])


@pytest.mark.parametrize("odd", [0, 1])
def test_where_another_sequence_fits_nothing_is_said_of_how_the_layer_was_captured(
    tmp_path: Path, odd: int
) -> None:
    said = line(batch(tmp_path, HOW, HOW, odd=odd))
    assert f"sequence {1 - odd} of this layer fits: a mask of its own?" in said
    assert "o_proj" not in said


def test_packed_texts_are_said_of_their_sequence_and_agree_with_a_causal_mask(
    tmp_path: Path,
) -> None:
    packed = replace(HOW, mask=HeadMask("causal", packed=(24,)))
    config = {"model_type": "llama", "num_attention_heads": 1, "hidden_size": 16}
    path = batch(tmp_path, HOW, packed)
    said = line(path)
    assert "packed: keys 0–23 are hidden from rows from 24 on, of sequence 1" in said
    assert "padding" not in said
    agreed = line(path, expectation(config, "config.json"))
    assert agreed.startswith("agrees: ")
    assert "mask causal as expected; packed: keys 0–23" in agreed


def test_padding_is_said_of_its_sequence_and_agrees_with_a_causal_mask(tmp_path: Path) -> None:
    left = replace(HOW, mask=HeadMask("causal", hidden=(0, 9)))
    config = {"model_type": "llama", "num_attention_heads": 1, "hidden_size": 16}
    with np.errstate(all="ignore"):
        path = batch(tmp_path, HOW, left, left, replace(left, mask=HeadMask("causal")))
    said = line(path)
    assert "padding? keys 0–9 of sequence 1 and keys 0–9 of sequence 2 hidden fit" in said
    assert said.startswith("no expectation: m = 0.24999999")
    agreed = line(path, expectation(config, "config.json"))
    assert agreed.startswith("agrees: ")
    assert "mask causal as expected; padding? keys 0–9" in agreed
