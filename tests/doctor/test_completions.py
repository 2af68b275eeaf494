"""What a capture completes a promise with: padding, packed texts, positions; and nothing else."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from attn_tui.captures.opening import open_capture
from attn_tui.compute.arrays import dtype_of
from attn_tui.compute.fit.simulate import computed
from attn_tui.compute.heads.mask import HeadMask
from tests.doctor.captures import save, tensors, write
from tests.doctor.command import HEALTHY, LLAMA, printed, run
from tests.pairs import slow_after

N = 64
MISTRAL = {**LLAMA, "model_type": "mistral", "sliding_window": 24}
CAUSAL, NONE, WINDOW = HeadMask("causal"), HeadMask("none"), HeadMask("window", 0, 24)


def seen_of(mask: HeadMask, n_queries: int = N) -> np.ndarray:
    """Return a captured mask in full, shape (1, 1, n_q, n)."""
    own = np.arange(n_queries)[:, None] + (mask.offset or 0)
    keys = np.arange(N)
    seen = np.ones((n_queries, N), bool)
    if mask.kind != "none":
        seen &= keys <= own
    if mask.window is not None:
        seen &= keys > own - mask.window
    if mask.hidden is not None:
        seen[:, mask.hidden[0] : mask.hidden[1] + 1] = False
    for begin in mask.packed:
        seen &= (keys >= begin) == (own >= begin)
    return seen[None, None]


def one_row(first: int, last: int) -> np.ndarray:
    """Return a captured mask with one row for all queries, which hides keys."""
    seen = np.ones((1, 1, 1, N), bool)
    seen[..., first : last + 1] = False
    return seen


def verdict(
    folder: Path, mask: HeadMask, captured: Any, config: dict[str, Any] = LLAMA, **changes: Any
) -> tuple[int, str]:
    """Return the status and the line of a capture, computed with a mask.

    Args:
        folder: A folder for the files.
        mask: The mask that the output follows.
        captured: The mask that its layer has captured, or one for each of several layers.
        config: The configuration.
        **changes: Further arguments of `write`.
    """
    (folder / "config.json").write_text(json.dumps(config))
    layers = captured if isinstance(captured, list) else [captured]
    extra = {f"{layer}.mask": seen for layer, seen in enumerate(layers) if seen is not None}
    how = replace(HEALTHY, mask=mask)
    path = write(folder / "a.safetensors", how, layers=len(layers), extra=extra, **changes)
    result = run(path, "--config", str(folder))
    assert result.stderr == ""
    return result.exit_code, result.stdout.partition("\n")[0]


@pytest.mark.parametrize(
    ("mask", "captured"),
    slow_after(
        3,
        [
            (replace(CAUSAL, hidden=(0, 9)), one_row(0, 9)),
            (replace(CAUSAL, hidden=(50, 63)), seen_of(replace(CAUSAL, hidden=(50, 63)))),
            (replace(CAUSAL, hidden=(0, 9)), seen_of(replace(CAUSAL, hidden=(0, 9)))),
            (replace(CAUSAL, hidden=(50, 63)), one_row(50, 63)),
        ],
        ["left, one row", "right, in full", "left, in full", "right, one row"],
    ),
)
def test_padding_that_was_captured_completes_the_promise(
    tmp_path: Path, mask: HeadMask, captured: np.ndarray
) -> None:
    status, line = verdict(tmp_path, mask, captured)
    assert status == 0
    assert mask.hidden is not None
    first, last = mask.hidden
    assert f"; keys {first}–{last} (" in line
    assert "of them) are padding, by `mask`" in line
    # Queries of padding are not compared.
    assert f"{N - (last - first + 1)} of {N} rows of each" in line


def test_flash_attention_gets_one_row_for_each_sequence(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    mask = replace(CAUSAL, hidden=(0, 9))
    both = []
    for sequence, name in ((CAUSAL, "a"), (mask, "b")):
        path = write(tmp_path / f"{name}.safetensors", replace(HEALTHY, mask=sequence))
        both.append(tensors(path))
    parts = {f"0.{part}": np.concatenate([one[part] for one in both]) for part in both[0]}
    seen = np.ones((2, N), bool)
    seen[1, :10] = False
    for captured, status, phrase in (
        (seen, 0, "; keys 0–9 (16 % of them) are padding, by `mask`"), (~seen, 1, "promised"),
    ):  # fmt: skip
        path = save(tmp_path / "both.npz", **parts, **{"0.mask": captured})
        result = run(path, "--config", str(tmp_path))
        assert result.exit_code == status
        assert phrase in result.stdout.partition("\n")[0]


def test_padding_that_was_captured_and_not_applied_differs(tmp_path: Path) -> None:
    status, line = verdict(tmp_path, CAUSAL, seen_of(replace(CAUSAL, hidden=(0, 9))))
    assert status == 1
    assert line.startswith("differs: the padding of the captured mask is not applied: mask causal")


def test_a_mask_of_one_row_states_padding_and_nothing_else(tmp_path: Path) -> None:
    status, line = verdict(tmp_path, replace(NONE, hidden=(0, 9)), one_row(0, 9))
    assert status == 1
    assert "promised causal" in line


def test_a_mask_of_one_row_says_nothing_of_the_rule(tmp_path: Path) -> None:
    """It hides key 30 from the 34 queries from there on, and shows none that should be hidden."""
    shown = np.arange(64)[None] != 30
    status, line = verdict(tmp_path, CAUSAL, shown)
    assert status == 1
    assert "the captured mask hides 34 scores that it should show, promised causal" in line


@pytest.mark.parametrize("layers", slow_after(1, ["heads", "layers"]))
def test_keys_that_are_hidden_in_some_heads_or_layers_alone_are_no_padding(
    tmp_path: Path, layers: str
) -> None:
    hidden = replace(CAUSAL, hidden=(0, 9))
    if layers == "layers":
        captured: Any = [seen_of(hidden), seen_of(CAUSAL)]
    else:
        captured = np.concatenate([seen_of(hidden), seen_of(CAUSAL)], axis=1)
    status, line = verdict(tmp_path, CAUSAL, captured)
    assert status == 1
    assert "differs: the captured mask hides 5" in line
    assert "are padding" not in line


def test_keys_in_the_middle_or_at_both_ends_are_no_padding(tmp_path: Path) -> None:
    for keys in ([30, 31], [0, 63]):
        seen = seen_of(CAUSAL)
        seen[..., keys] = False
        status, line = verdict(tmp_path, CAUSAL, seen)
        assert status == 1
        assert line.startswith("differs: the captured mask hides ")


def test_texts_packed_into_one_sequence_complete_the_promise(tmp_path: Path) -> None:
    packed = replace(CAUSAL, packed=(20, 45))
    status, line = verdict(tmp_path, packed, seen_of(packed))
    assert status == 0
    assert "3 texts packed into one sequence" in line
    dropped, line = verdict(tmp_path, CAUSAL, seen_of(packed))
    assert dropped == 1
    start = "differs: mask causal, promised causal, texts begin at keys 0, 20 and 45; "
    assert line.startswith(start)


@pytest.mark.slow
def test_of_a_model_without_a_causal_mask_no_query_stands_at_the_top_left(tmp_path: Path) -> None:
    bert = LLAMA | {"model_type": "bert"}
    seen = replace(NONE, hidden=(41, 63))
    status, line = verdict(tmp_path, seen, one_row(40, 63), bert, n_queries=1)
    assert status == 1
    assert "promised none, keys 40–63 hidden" in line
    assert "aligned" not in line


def test_chunks_that_a_configuration_promises_are_no_packed_texts(tmp_path: Path) -> None:
    packed = replace(CAUSAL, packed=(16, 32, 48))
    status, line = verdict(tmp_path, packed, seen_of(packed), MISTRAL)
    assert status == 0
    llama4 = {"model_type": "llama4_text", "attention_chunk_size": 16, "no_rope_layers": [1, 1]}
    status, line = verdict(tmp_path, packed, seen_of(packed), {**LLAMA, **llama4})
    assert status == 0
    assert "packed" not in line


@pytest.mark.parametrize(
    ("config", "hidden", "status", "phrase"),
    [
        (LLAMA, (0, 9), 0, "keys 0–9 (16 % of them) are padding, by `mask`"),
        (LLAMA, (50, 63), 0, "keys 50–63 (22 % of them) are padding, by `mask`"),
        # Of one query, a shorter window looks like padding.
        (MISTRAL, (0, 49), 3, "the captured mask hides more keys than the window: padding, or"),
    ],
)
def test_of_one_query_a_run_at_one_end_is_padding_unless_a_window_may_be_another(
    tmp_path: Path, config: dict[str, Any], hidden: tuple[int, int], status: int, phrase: str
) -> None:
    at = 49 if hidden[1] == 63 else 63
    mask = HeadMask("causal", at, hidden=hidden)
    captured = seen_of(mask, 1)
    code, line = verdict(tmp_path, mask, captured, config, n_queries=1)
    assert phrase in line
    assert code == status


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hidden", "offset"), slow_after(1, [((56, 63), 48), (None, 56), ((0, 7), 56)])
)
def test_the_last_query_stands_at_the_last_key_that_is_not_padding(
    tmp_path: Path, hidden: tuple[int, int] | None, offset: int
) -> None:
    mask = HeadMask("causal", offset, hidden=hidden)
    captured = None if hidden is None else one_row(*hidden)
    status, line = verdict(tmp_path, mask, captured, n_queries=8)
    assert status == 0
    assert f"query 0 at key {offset}" in line
    other = replace(mask, offset=offset - 1)
    status, line = verdict(tmp_path, other, captured, n_queries=8)
    assert status == 1


def test_captured_positions_say_where_queries_stand(tmp_path: Path) -> None:
    mask = HeadMask("causal", 20)
    own = np.arange(20, 28)
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    for positions, status in ((own, 0), (own + 1, 1)):
        how, extra = replace(HEALTHY, mask=mask), {"0.positions": positions}
        path = write(tmp_path / "a.safetensors", how, n_queries=8, extra=extra)
        result = run(path, "--config", str(tmp_path))
        assert result.exit_code == status
        assert f"captured positions place query 0 at key {positions[0]}" in result.stdout


AT_KEYS = np.arange(N)


@pytest.mark.parametrize(
    "positions",
    [AT_KEYS + 1, AT_KEYS[::-1], np.random.default_rng(1).permutation(N)],
    ids=["one ahead", "reversed", "shuffled"],
)
def test_positions_of_as_many_queries_as_keys_are_no_promise(
    tmp_path: Path, positions: np.ndarray
) -> None:
    """A call that was given wrong positions would confirm itself."""
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    extra = {"0.positions": positions}
    path = write(tmp_path / "a.safetensors", HEALTHY, extra=extra)
    honest = run(path, "--config", str(tmp_path))
    assert honest.stdout.startswith("agrees: ")
    assert "captured positions do not count: query i stands at key i" in honest.stdout
    heads = [open_capture([path]).read(head) for head in open_capture([path]).heads]
    output = np.stack([np.asarray(computed(head, HEALTHY).output) for head in heads])[None]
    extra |= {"0.out": output.astype(dtype_of(HEALTHY.format))}
    wrong = run(write(tmp_path / "a.safetensors", HEALTHY, extra=extra), "--config", str(tmp_path))
    assert wrong.stdout.startswith("differs: mask causal")
    assert "queries stand where the captured positions say, not at their keys" in wrong.stdout


def test_positions_after_the_last_key_place_no_query(tmp_path: Path) -> None:
    """A cache of the last keys has fewer of them than the text has positions."""
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    extra = {"0.positions": np.arange(5000, 5008)}
    how = replace(HEALTHY, mask=HeadMask("causal", N - 8))
    path = write(tmp_path / "a.safetensors", how, n_queries=8, extra=extra)
    result = run(path, "--config", str(tmp_path))
    assert result.stdout.startswith("agrees: ")
    assert "captured positions do not count: no keys stand there" in result.stdout


def test_rows_of_padding_are_counted(tmp_path: Path) -> None:
    hidden = replace(CAUSAL, hidden=(0, 9))
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    extra = {"0.mask": one_row(0, 9), "1.mask": one_row(0, 9)}
    path = write(
        tmp_path / "a.safetensors", replace(HEALTHY, mask=hidden), layers=2, extra=extra
    )  # fmt: skip
    plain = printed(run(path, "--config", str(tmp_path), "--json", "--evidence"))
    rows = plain["heads"][0]["rows"]
    assert (rows["padding"], rows["hidden"], rows["wrong"]) == (10, 0, [])
    assert plain["heads"][0]["completed"] == ["keys 0–9 (16 % of them) are padding, by `mask`"]


@pytest.mark.parametrize(
    ("lengths", "rows", "phrase"),
    [
        ([10], "10 of 64 rows", "keys 10–63 (84 % of them) are padding, by `lengths`"),
        ([63], "63 of 64 rows", "key 63 (2 % of them) is padding, by `lengths`"),
        ([[10, 64]], "10 of 64 rows", "queries from 10 on are padding, by `lengths`"),
    ],
)
def test_what_lengths_leave_out_is_said_and_looked_at_for_nan(
    tmp_path: Path, lengths: Any, rows: str, phrase: str
) -> None:
    mask = HeadMask("causal", 54 if lengths == [[10, 64]] else 0)
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    parts = tensors(write(tmp_path / "a.safetensors", replace(HEALTHY, mask=mask)))
    parts["out"][0, 0, 63] = np.nan
    path = save(tmp_path / "b.npz", lengths=np.array(lengths), **parts)
    text = run(path, "--config", str(tmp_path)).stdout
    line = text.partition("\n")[0]
    assert line.startswith("agrees: ")
    assert f"{rows} of each" in line
    assert phrase in line
    assert "out holds 16 NaN, first at row 63, column 0" in text


@pytest.mark.slow
def test_some_heads_of_a_model_have_to_say_which_they_are(tmp_path: Path) -> None:
    """Slopes of ALiBi differ from head to head, and the ratio of heads proves nothing."""
    bloom = {"model_type": "bloom", "n_head": 8, "hidden_size": 128, "n_layer": 1}
    (tmp_path / "config.json").write_text(json.dumps(bloom))
    plain = write(tmp_path / "a.safetensors", HEALTHY, heads=2)
    slopes = [2.0 ** -(head + 1) for head in range(8)]
    outputs = []
    for number, slope in enumerate(slopes[6:]):
        head = open_capture([plain]).read(HeadId(0, 0, number))
        biased = replace(head, bias=(slope * np.arange(N) * np.ones((N, 1))).astype(np.float32))
        outputs.append(np.asarray(computed(biased, HEALTHY).output))
    extra = {"0.out": np.stack(outputs)[None].astype(dtype_of(HEALTHY.format))}
    for metadata, start in (
        ({}, ""), ({"first_head": "6"}, "agrees: "), ({"first_head": "0"}, "cannot tell: "),
    ):  # fmt: skip
        path = write(tmp_path / "b.safetensors", HEALTHY, metadata=metadata, extra=extra)
        result = run(path, "--config", str(tmp_path))
        assert result.stdout.startswith(start)
        if metadata:
            assert "of 8, as `first_head` says; config.json (bloom)" in result.stdout
        else:
            assert result.exit_code == 2
            assert "it has 8 heads a layer, and 2 were captured" in " ".join(result.stderr.split())
