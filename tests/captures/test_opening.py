import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from attn_tui.captures import disk
from attn_tui.captures.capture import Capture, HeadId, HeadShape
from attn_tui.captures.opening import open_capture, reopened
from attn_tui.captures.stored import Plain
from attn_tui.captures.writer import write_safetensors
from attn_tui.compute.errors import InputError
from tests.captures.arrays import Arrays, laid_out, layer, same, saved


def assert_holds(capture: Capture, arrays: Arrays, number: int = 0) -> None:
    """Assert that the likeliest reading gives the heads that were made, whole and by rows."""
    batch, heads, n_queries, _ = arrays["q"].shape
    group = heads // arrays["k"].shape[1]
    assert [head for head in capture.heads if head.layer == number] == [
        HeadId(b, number, h) for b in range(batch) for h in range(heads)
    ]
    for head in capture.heads:
        if head.layer != number:
            continue
        query, kv = (head.batch, head.head), (head.batch, head.head // group)
        assert capture.shape(head).kv_head == kv[1]
        for rows in (None, [n_queries - 1], [0, *range(2, n_queries)]):
            taken = capture.read(head, rows)
            chosen = list(range(n_queries)) if rows is None else rows
            assert taken.rows.tolist() == chosen
            assert same(taken.queries, arrays["q"][query][chosen])
            assert same(taken.keys, arrays["k"][kv])
            assert same(taken.values, arrays["v"][kv])
            assert same(taken.output, arrays["out"][query][chosen])


def test_a_plain_file_is_layer_0_and_numbers_name_others(tmp_path: Path) -> None:
    one, other = layer(), layer(seed=2)
    plain = open_capture([saved(tmp_path / "a.safetensors", one)])
    assert plain.layers == (0,)
    assert_holds(plain, one)
    both = {f"3.{part}": tensor for part, tensor in one.items()}
    both |= {f"layers.11.{part}": tensor for part, tensor in other.items()}
    capture = open_capture([saved(tmp_path / "b.safetensors", both)])
    assert capture.layers == (3, 11)
    assert_holds(capture, one, 3)
    assert_holds(capture, other, 11)
    assert capture.shape(HeadId(1, 11, 3)) == HeadShape(5, 5, 3, 6, 1, frozenset(one))
    assert capture.tensors(3)["q"].format == "bfloat16"
    assert capture.read(HeadId(0, 3, 0)).formats["out"] == "bfloat16"


@pytest.mark.parametrize(("qkv", "out"), [("bhnd", "bnhd"), ("bnhd", "bnhd")])
def test_layouts_are_found_by_shapes(tmp_path: Path, qkv: str, out: str) -> None:
    arrays = layer(2, 4, 2, 5, 5, 3, 6)
    stored = {
        part: laid_out(tensor, out if part == "out" else qkv) for part, tensor in arrays.items()
    }
    capture = open_capture([saved(tmp_path / "a.safetensors", stored)])
    assert not any("leave open" in sentence for sentence in capture.stated)
    assert_holds(capture, arrays)


def test_a_layout_that_is_given_is_taken(tmp_path: Path) -> None:
    arrays = layer(3, 4, 2, 5, 5, 3, 6)
    stored = {part: laid_out(tensor, "nbhd") for part, tensor in arrays.items()}
    path = saved(tmp_path / "a.safetensors", stored)
    assert_holds(open_capture([path], layout="nbhd"), arrays)
    with pytest.raises(
        InputError, match=r"layout: shapes of layer 0 do not fit each other: q 5×3×"
    ):
        open_capture([path], layout="q=hbnd")


@pytest.mark.parametrize("layout", ["hnd", "nhd"])
def test_one_sequence_needs_no_axis(tmp_path: Path, layout: str) -> None:
    arrays = layer(1, 4, 2, 5, 5, 3, 6)
    stored = {part: laid_out(tensor, layout) for part, tensor in arrays.items()}
    path = saved(tmp_path / "a.safetensors", stored, {"num_attention_heads": "4"})
    assert_holds(open_capture([path]), arrays)


def test_what_shapes_leave_open_is_read_in_both_ways_and_settled_by_layout(tmp_path: Path) -> None:
    arrays = layer(1, 4, 2, 4, 4, 3, 3)
    path = saved(tmp_path / "a.safetensors", arrays)
    capture = open_capture([path])
    layouts = [dict(reading.layouts)["out"] for reading in capture.readings(0)]
    assert layouts[0] == tuple("bhnd")
    assert tuple("bnhd") in layouts
    assert any("shapes leave open whether it is out=bhnd or out=bnhd" in s for s in capture.stated)
    assert_holds(capture, arrays)
    turned = {**arrays, "out": laid_out(arrays["out"], "bnhd")}
    given = open_capture([saved(tmp_path / "b.safetensors", turned)], layout="out=bnhd")
    assert {reading.layout("out") for reading in given.readings(0)} == {tuple("bnhd")}
    assert_holds(given, arrays)


def test_axes_of_length_1_leave_nothing_open(tmp_path: Path) -> None:
    capture = open_capture([saved(tmp_path / "a.safetensors", layer(1, 1, 1, 1, 1, 3, 3))])
    assert len(capture.readings(0)) == 1
    assert not any("leave open" in sentence for sentence in capture.stated)


@pytest.mark.parametrize("part", ["k", "v"])
def test_keys_or_values_stored_transposed_are_refused_with_the_layout(
    tmp_path: Path, part: str
) -> None:
    """llama.cpp stores V transposed."""
    arrays = layer(2, 4, 2, 5, 7, 3, 6)
    stored = {**arrays, part: laid_out(arrays[part], "bhdn")}
    path = saved(tmp_path / "a.safetensors", stored)
    with pytest.raises(InputError, match=f"do not fit .*; expected --layout {part}=bhdn, if"):
        open_capture([path])
    assert_holds(open_capture([path], layout=f"{part}=bhdn"), arrays)


def test_heads_that_share_keys_have_a_second_mapping(tmp_path: Path) -> None:
    arrays = layer(1, 4, 2)
    capture = open_capture([saved(tmp_path / "a.safetensors", arrays)])
    grouped, interleaved = capture.readings(0)
    assert [grouped.kv_head(h) for h in range(4)] == [0, 0, 1, 1]
    assert [interleaved.kv_head(h) for h in range(4)] == [0, 1, 0, 1]
    assert same(capture.read(HeadId(0, 0, 1), None, interleaved).keys, arrays["k"][0, 1])
    assert len(open_capture([saved(tmp_path / "b.safetensors", layer(g=1))]).readings(0)) == 1
    one = open_capture([saved(tmp_path / "c.safetensors", layer(1, 4, 4))])
    assert {reading.kv_mapping for reading in one.readings(0)} == {"grouped"}


def test_it_is_opened_again_by_what_was_asked_and_refused_where_a_file_is_another(
    tmp_path: Path,
) -> None:
    arrays = layer()
    path = tmp_path / "a.safetensors"
    capture = open_capture([saved(path, arrays)])
    data = pickle.dumps(capture.asked)
    assert len(data) < 2_000
    assert_holds(reopened(pickle.loads(data)), arrays)
    saved(path, layer(seed=3))
    for again in (
        lambda: reopened(pickle.loads(data)),
        lambda: capture.read(HeadId(0, 0, 0)),
    ):
        with pytest.raises(InputError, match=r"a\.safetensors': it has changed since"):
            again()
    path.unlink()
    with pytest.raises(InputError, match=r"a\.safetensors': there is no such file"):
        capture.read(HeadId(0, 0, 0))


def test_a_folder_is_the_shards_in_it(tmp_path: Path) -> None:
    arrays = {"q": (1, 2, 6, 4), "k": (1, 2, 6, 4), "v": (1, 2, 6, 4)}
    for number in (10, 9):
        tensors = {f"{number}.{part}": np.ones(shape, np.float32) for part, shape in arrays.items()}
        write_safetensors(tmp_path / f"model-{number}.safetensors", tensors)
    (tmp_path / "config.json").write_text("{}")
    np.savez(tmp_path / "other.npz", x=np.ones(1))
    capture = open_capture([str(tmp_path)])
    assert capture.layers == (9, 10)
    assert [Path(path).name for path in capture.paths] == [
        "model-9.safetensors",
        "model-10.safetensors",
    ]


def test_there_is_no_other_row_head_or_layer(tmp_path: Path) -> None:
    capture = open_capture([saved(tmp_path / "a.safetensors", layer())])
    for rows in ([5], [-1, 2]):
        with pytest.raises(InputError, match="row: there is no row"):
            capture.read(HeadId(0, 0, 0), rows)
    for head, message in (
        (HeadId(2, 0, 0), "batch: there is no batch 2; expected one from 0 to 1"),
        (HeadId(0, 1, 0), "layer: there is no layer 1; expected 0"),
        (HeadId(0, 0, 4), "head: there is no head 4; expected one from 0 to 3"),
    ):
        with pytest.raises(InputError) as error:
            capture.read(head)
        assert str(error.value) == message


def test_rows_of_one_head_cost_its_bytes_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.safetensors"
    _sparse(path, 30 * 2**30)
    opened: list[int] = []
    read_at = disk.read_at

    def counted(descriptor: int, size: int, begins: int) -> bytes:
        opened.append(size)
        data: bytes = read_at(descriptor, size, begins)
        return data

    monkeypatch.setattr(disk, "read_at", counted)
    capture = open_capture([str(path)])
    assert sum(opened) < 20_000
    opened.clear()
    head = capture.heads[-1]
    shape = capture.shape(head)
    rows = capture.read(head, [0, 100, shape.n_queries - 1])
    assert same(rows.output, np.zeros((3, 128)))
    whole = shape.n_keys * shape.d_k * 2
    # All keys and values, and three rows of queries and outputs.
    assert sum(opened) == whole * 2 + 3 * 2 * shape.d_k * 2


def _sparse(path: Path, size: int) -> None:
    layers, n, d = 8, 8192, 128
    heads = size // (layers * 4 * n * d * 2)
    length = heads * n * d * 2
    header = {
        f"{layer}.{part}": {
            "dtype": "BF16",
            "shape": [1, heads, n, d],
            "data_offsets": [(layer * 4 + index) * length, (layer * 4 + index + 1) * length],
        }
        for layer in range(layers)
        for index, part in enumerate(("q", "k", "v", "out"))
    }
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + layers * 4 * length)


def test_bytes_are_exact_whatever_is_taken(tmp_path: Path) -> None:
    array = np.arange(3 * 5 * 7 * 11, dtype="<f4").reshape(3, 5, 7, 11)
    path = tmp_path / "a"
    for is_fortran in (False, True):
        path.write_bytes(b"xyz" + array.tobytes("F" if is_fortran else "C"))
        stored = Plain("a", str(path), array.shape, array.dtype, "float32", 3, is_fortran)
        rows = np.array([0, 3, 6])
        for index in (
            (1, 2, slice(None), slice(None)),
            (1, 2, rows, slice(3, 9)),
            (slice(1, 3), 4, 5, slice(2, 4)),
            (2, rows[:2], slice(None), 10),
            (2, 3, 4, slice(None)),
            (2, slice(1, 1), 4, slice(None)),
            (2, 3, 4, 5),
        ):
            assert np.array_equal(stored.take(index), array[index]), index
