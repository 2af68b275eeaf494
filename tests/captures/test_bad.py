"""Files that are no captures: one line names the file, the tensor and what was expected."""

import json
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from attn_tui.captures.capture import HeadId
from attn_tui.captures.not_finite import not_finite
from attn_tui.captures.opening import open_capture
from attn_tui.compute.errors import InputError
from tests.captures.arrays import layer, saved


def refused(*paths: Path | str, **options: Any) -> str:
    """Return the one line with which files are refused."""
    with pytest.raises(InputError) as error:
        open_capture([str(path) for path in paths], **options)
    text = str(error.value)
    assert text.isprintable()
    assert error.value.field in ("capture", "layout", "names")
    return text


def header(path: Path, entries: object, data: int = 64, *, length: int | None = None) -> Path:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    size = len(text) if length is None else length
    path.write_bytes(struct.pack("<Q", size) + text + bytes(data))
    return path


def entry(dtype: object = "F32", shape: object = (4,), offsets: object = (0, 16)) -> object:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (b"{", "its header is no JSON; expected a .safetensors file"),
        (b"[1]", "its header is no JSON object"),
        (b"[" * 100_000, "its header is no JSON"),
        (b'{"q": ' * 50_000, "its header is no JSON"),
        (b"\xff\xfe{}", "its header is no JSON"),
        (b'{"q": NaN}', "its header is no JSON"),
        (b"1" * 5_000, "its header is no JSON"),
        (b'{"q": {}, "q": {}}', "its header has 'q' twice; expected different names"),
        ({"q": 3}, "'q': its entry in the header is no tensor's; expected dtype, shape and"),
        ({"q": entry(dtype=3)}, "'q': its dtype is no text"),
        ({"q": entry(shape=[-1])}, "'q': its shape is none"),
        ({"q": entry(shape=[1.5])}, "'q': its shape is none"),
        ({"q": entry(shape=[True])}, "'q': its shape is none"),
        ({"q": entry(shape=[1] * 17)}, "'q': its shape is none"),
        ({"q": entry(shape="4")}, "'q': its shape is none"),
        ({"q": entry(offsets=[0])}, "'q': its data_offsets are none"),
        ({"q": entry(offsets=[16, 0])}, "'q': it claims bytes 16 to 0 of 64"),
        ({"q": entry(offsets=[0, 400])}, "'q': it claims bytes 0 to 400 of 64; expected offsets"),
        ({"q": entry(shape=[5])}, "'q': a shape of 5 in F32 needs 20 bytes, not 16; expected"),
        ({"q": entry(shape=[2**40, 2**40])}, "in F32 needs 4,835,703,278,458,516,698,824,704"),
        ({"q": entry(), "k": entry(offsets=[8, 24])}, "'q' and 'k' claim the same bytes"),
        ({"__metadata__": []}, "its __metadata__ is no JSON object"),
        ({}, "capture: it holds no tensors; expected 0.q"),
        ({"a\x1b[31m": 1}, r"'a\x1b[31m': its entry in the header is no tensor's"),
        ({"0.q": entry("C64", [2])}, "'0.q': it holds C64; expected bfloat16, float16, float32"),
        ({"0.q": entry("I32")}, "'0.q': it holds int32; expected bfloat16"),
        ({"0.q": entry(shape=[0], offsets=[0, 0])}, "'0.q': it holds no numbers"),
        ({"0.lengths": entry()}, "'0.lengths': it holds float32; expected whole numbers"),
        ({"0.q": entry()}, "capture: layer 0 has no k; expected q and k of a layer at least"),
    ],
)
def test_a_header_that_will_not_do_is_named(tmp_path: Path, entries: object, message: str) -> None:
    assert message in refused(header(tmp_path / "a.safetensors", entries))


def test_a_header_may_not_be_longer_than_the_file_nor_too_long(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    assert "its header claims 2,000 bytes but 75 follow; expected a complete" in refused(
        header(path, {"a": "bc"}, length=2_000)
    )
    assert "its header claims 18,446,744,073,709,551,615 bytes" in refused(
        header(path, {}, length=2**64 - 1)
    )
    with open(header(path, {}, length=2**22 + 1), "r+b") as file:
        file.truncate(2**23)
    assert "its header has 4,194,305 bytes; expected at most 4,194,304" in refused(path)
    path.write_bytes(b"1234")
    assert "it holds 4 bytes; expected a .safetensors file" in refused(path)


def test_a_file_that_is_cut_off_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    path = Path(saved(tmp_path / "a.safetensors", layer()))
    whole = path.read_bytes()
    for size in (len(whole) - 1, len(whole) // 2, 100, 9, 7):
        path.write_bytes(whole[:size])
        assert refused(path).startswith("capture, ")
    npz = tmp_path / "a.npz"
    np.savez(npz, allow_pickle=False, **layer(dtype=np.float16))
    whole = npz.read_bytes()
    for size in (len(whole) - 1, len(whole) // 2, 9):
        npz.write_bytes(whole[:size])
        assert "it is no zip archive, or is cut off" in refused(npz)
    flat = tmp_path / "q.npy"
    np.save(flat, np.zeros((2, 2, 5, 3)))
    flat.write_bytes(flat.read_bytes()[:-1])
    assert "it claims an array of 2×2×5×3 numbers but holds 479 bytes" in refused(flat)
    flat.write_bytes(b"\x93NUMPY\x01\x00\xff\xff")
    assert "it is no .npy file, or is cut off" in refused(flat)


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    assert refused(path).endswith("there is no such file; expected a file that can be read")
    path.write_bytes(b"")
    assert "it is empty" in refused(path)
    (tmp_path / "folder").mkdir()
    expected = "no file in this folder holds tensors; expected .safetensors, .npz"
    assert expected in refused(tmp_path / "folder")
    # One that only holds folders of captures, as the demos do, is not opened as a whole.
    for name in ("two", "one", "none"):
        (tmp_path / "folder" / name).mkdir()
    for name in ("two", "one"):
        np.save(tmp_path / "folder" / name / "q.npy", np.zeros((2, 2, 5, 3)))
    assert "expected one of the folders in it, such as 'one', 'two'" in refused(tmp_path / "folder")
    assert "its suffix is none of ours; expected .safetensors, .npz" in refused(__file__)
    pickled = tmp_path / "a.pt"
    pickled.write_bytes(b"x")
    assert "it holds pickles, which may run anything; expected .safetensors" in refused(pickled)
    assert "no file has such a name" in refused(tmp_path / "rank*.safetensors")
    assert refused() == "capture: there is none; expected a file, or a pattern of names"
    pipe = tmp_path / "pipe.safetensors"
    os.mkfifo(pipe)
    assert "it is no regular file" in refused(pipe)
    good = saved(tmp_path / "good.safetensors", layer())
    assert "it is given twice" in refused(good, good)
    assert "cannot be read" in refused("a\0.safetensors")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    path = Path(saved(tmp_path / "a.safetensors", layer()))
    path.chmod(0)
    assert "it may not be read" in refused(path)


def test_names_that_match_nothing_get_the_nearest_offered(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.safetensors", {"model.l0.my_q": np.zeros(3), "zzz": np.zeros(3)})
    assert refused(path) == (
        "names: no name of a tensor is known; expected 0.q and 0.k, or --names with a name such "
        "as 'model.l0.my_q' or 'zzz'"
    )
    assert refused(path, names="model.l{layer}.{part}") == (
        "names: no tensor is called 'model.l{layer}.{part}'; expected a name such as "
        "'model.l0.my_q' or 'zzz'"
    )
    for names in ("a.b", "{layer}.{layer}.{part}", "{part}{part}"):
        assert "will not do; expected {part} once, and {layer}" in refused(path, names=names)
    known = saved(tmp_path / "b.safetensors", layer())
    assert "names: no tensor is called 'l.{part}'" in refused(known, names="l.{part}")
    for text in ("bxnd", "bhn", "bhndd", "", "bhqk", "b(nd)h"):
        assert "layout: q=" in refused(path, layout=f"q={text}")
    assert "layout: 'z' is no tensor with a layout" in refused(path, layout="z=bhnd")


def test_parameters_are_not_taken_for_a_capture(tmp_path: Path) -> None:
    weights = {"model.layers.0.self_attn.q_proj.weight": np.zeros((4, 4))}
    assert "it holds a model's parameters" in refused(saved(tmp_path / "a.safetensors", weights))


def test_what_fits_no_shape_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    arrays = layer()
    wrong = {**arrays, "k": arrays["k"][:, :, :, :2]}
    assert "layout: shapes of layer 0 do not fit each other: q 2×4×5×3, k 2×2×5×2" in refused(
        saved(path, wrong)
    )
    heads = {"q": np.zeros((1, 4, 600, 3)), "k": np.zeros((1, 3, 600, 3))}
    assert "do not fit each other" in refused(saved(path, heads))
    mask = {**arrays, "mask": np.ones((2, 4, 5, 6), bool)}
    expected = "mask of layer 0 is 2×4×5×6; expected 2×4×5×5 or 2×5×5"
    message = refused(saved(path, mask))
    assert message.startswith("capture, ")
    assert message.endswith(f"a.safetensors': {expected}")
    assert refused(path, layout="mask=bhqk").startswith("layout: mask of layer 0 is 2×4×5×6")
    scalars = {"q": np.zeros(()), "k": np.zeros(())}
    assert "q a scalar, k a scalar" in refused(saved(path, scalars))
    for lengths, message in (
        (np.array([5, 9]), "2 lengths of layer 0 are 5 to 9; expected 2 of them, from 1 to 5"),
        (np.array([5, 0]), "lengths of layer 0 are 0 to 5"),
        (np.array([5, 5, 5]), "3 lengths of layer 0 are 5 to 5; expected 2 of them"),
        (np.array([[[5]]]), "lengths of layer 0 are 1×1×1; expected [batch], or"),
    ):
        assert message in refused(saved(path, {**arrays, "lengths": lengths}))
    packed = {**{part: tensor[:1] for part, tensor in arrays.items()}, "lengths": np.array([2, 2])}
    assert "lengths of layer 0 are 4 together; expected 5" in refused(saved(path, packed))


def test_tensors_that_mean_the_same_and_ranks_that_differ_are_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "0.safetensors", {**layer(), "layers.0.q": layer()["q"]})
    assert "'q' and 'layers.0.q' are both 0.q; expected one, or --names" in refused(path)
    one = saved(tmp_path / "rank0.safetensors", layer())
    other = saved(tmp_path / "rank1.safetensors", layer(b=1))
    assert "0.q is 2×4×5×3 bfloat16 in one file and 1×4×5×3 bfloat16 in another" in refused(
        one, other
    )
    lacks = {part: tensor for part, tensor in layer(seed=2).items() if part != "out"}
    other = saved(tmp_path / "rank1.safetensors", lacks)
    assert "layer 0 has out in 1 files; expected 2" in refused(one, other)


def test_an_archive_that_lies_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    arrays = layer(dtype=np.float32)
    np.savez_compressed(path, allow_pickle=False, **arrays)
    data = bytearray(path.read_bytes())
    data[200] ^= 0xFF
    path.write_bytes(data)
    assert "it cannot be unpacked" in refused(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("q.npy", b"nothing")
    assert "'q': it is no .npy file" in refused(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("q.npy", b"nothing")
    assert "'q': it is packed in another way" in refused(path)
    objects = tmp_path / "q.npy"
    np.save(objects, np.array([None, {}], object), allow_pickle=True)
    assert "'q': it holds |O; expected bfloat16" in refused(objects)


def test_what_is_not_finite_is_counted_and_placed_and_not_fatal(tmp_path: Path) -> None:
    arrays = layer(dtype=ml_dtypes.bfloat16)
    arrays["q"][1, 2, 3, 1] = np.nan
    arrays["q"][1, 3, 0, 0] = -np.inf
    arrays["out"][0, 0, 0, 2] = np.inf
    weights = np.zeros((2, 4, 5, 5), np.float32)
    weights[1, 1, 1, 1] = np.nan
    path = saved(tmp_path / "a.safetensors", {**arrays, "weights": weights})
    capture = open_capture([path])
    lines = {
        (head.batch, head.head): [str(odd) for odd in not_finite(capture, head)]
        for head in capture.heads
    }
    assert {place: odd for place, odd in lines.items() if odd} == {
        (1, 2): ["q holds 1 NaN, first at row 3, column 1"],
        (1, 3): ["q holds 1 infinity, first at row 0, column 0"],
        (0, 0): ["out holds 1 infinity, first at row 0, column 2"],
        (1, 1): ["weights holds 1 NaN, first at row 1, column 1"],
    }
    assert np.isnan(capture.read(HeadId(1, 0, 2)).queries[3, 1])
    assert not [*not_finite(capture, HeadId(1, 0, 2), None, lambda: True)]


@pytest.mark.parametrize("odd", [2**24, 2**63, -(2**24)])
def test_positions_that_no_key_has_are_refused(tmp_path: Path, odd: int) -> None:
    positions = np.full(5, odd, np.uint64 if odd > 0 else np.int64)
    capture = open_capture([saved(tmp_path / "a.safetensors", {**layer(), "positions": positions})])
    with pytest.raises(InputError, match=r"'positions' holds .* to .*; expected whole"):
        capture.read(HeadId(0, 0, 0))
