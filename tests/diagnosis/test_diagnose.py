"""`attn_tui.diagnose` of arrays and of files."""

import json
import os
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import ml_dtypes
import numpy as np
import pytest

import attn_tui
from attn_tui import InputError
from attn_tui.captures.arrays import in_memory
from attn_tui.report.forms import csv
from attn_tui.report.text import text
from tests.diagnosis.heads import Numbers, attention, causal, drawn
from tests.documented import read

N = 48
SEEN = causal(N, N)
Q, K, V = drawn(N)
OUT = attention(Q, K, V, seen=SEEN)
LLAMA = {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4}


def test_arrays_that_are_as_promised_agree_and_print_what_the_doctor_prints(
    tmp_path: Path,
) -> None:
    diagnosis = attn_tui.diagnose(Q, K, V, OUT, scale="inverse-sqrt", causal=True)
    assert diagnosis.verdict == "agrees"
    assert "= 1/√d_k (d_k = 64), mask causal as promised" in diagnosis.why[0]
    m = diagnosis.heads[3].multiplier
    assert m.low is not None
    assert m.high is not None
    assert m.low <= 0.125 <= m.high
    np.savez(tmp_path / "capture.npz", q=Q, k=K, v=V, out=OUT)
    path = str(tmp_path / "capture.npz")
    same = attn_tui.diagnose(path, scale="inverse-sqrt", causal=True, layout="bhnd")
    of_arrays, of_files = str(diagnosis).splitlines(), str(same).splitlines()
    assert of_arrays[0] == of_files[0].replace(path, "arrays in memory")
    evidence = [text[text.index("") + 1 :] for text in (of_arrays[2:], of_files[2:])]
    assert evidence[0] == evidence[1]


def test_one_head_alone_has_a_report() -> None:
    one = [part[:1, :1] for part in (Q, K, V, OUT)]
    report = attn_tui.diagnose(*one, scale="inverse-sqrt", causal=True).to_report()
    assert "agrees" in "".join(text(report))
    assert "".join(csv(report)).count("\n") == 2


def test_without_a_scale_m_is_found_and_nothing_is_expected() -> None:
    diagnosis = attn_tui.diagnose(Q, K, V, OUT)
    assert diagnosis.verdict == "no expectation"
    assert "mask causal (not promised)" in diagnosis.line
    assert diagnosis.heads[0].promised is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "promise",
    [
        {"scale": 0.125},
        {"scale": "1/sqrt(d_k)"},
        {"scale": "1/√d_k"},
        {"scale": "fixed:a=64"},
        {"scale": attn_tui.Scale()},
        {"config": LLAMA},
        {"config": SimpleNamespace(to_dict=lambda: LLAMA)},
    ],
)
def test_the_same_promise_may_be_written_in_several_ways(promise: dict[str, Any]) -> None:
    assert attn_tui.diagnose(Q, K, V, OUT, causal=True, **promise).verdict == "agrees"
    wrong = attention(Q, K, V, scale=1.0, seen=SEEN)
    diagnosis = attn_tui.diagnose(Q[:1], K[:1], V[:1], wrong[:1], causal=True, **promise)
    assert "m = 1 in all 4 heads, promised 0.125" in diagnosis.line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("promise", "made"),
    [
        ({"softcap": 2.0, "causal": True}, {"softcap": 2.0, "seen": SEEN}),
        ({"sink": 1.0, "causal": True}, {"sink": np.ones(4), "seen": SEEN}),
        ({"sink": [0.0, 1, 2, 3]}, {"sink": np.arange(4.0)}),
        ({"window": 8}, {"seen": SEEN & ~np.tri(N, N, -8, dtype=bool)}),
        ({"chunk": 16}, {"seen": SEEN & (np.arange(N) >= (np.arange(N) // 16 * 16)[:, None])}),
        ({"causal": False}, {}),
        ({"mask": np.arange(N) % 5 > 0}, {"seen": np.arange(N) % 5 > 0}),
        (
            {"mask": np.arange(N) % 5 > 0, "causal": True},
            {"seen": (np.arange(N) % 5 > 0) & SEEN},
        ),
        (
            {"mask": (np.arange(N) < [[40], [48]])[:, None, None], "causal": True},
            {"seen": (np.arange(N) < [[40], [48]])[:, None, None] & SEEN},
        ),
        ({"bias": np.float32(np.cos(np.arange(N)))}, {"bias": np.float32(np.cos(np.arange(N)))}),
        ({"bias": np.where(SEEN, 0.0, -np.inf)}, {"seen": SEEN}),
    ],
    ids=str,
)
def test_each_part_of_a_promise_is_heeded(promise: dict[str, Any], made: dict[str, Any]) -> None:
    out = attention(Q, K, V, **made)
    assert attn_tui.diagnose(Q, K, V, out, scale="inverse-sqrt", **promise).verdict == "agrees"
    plain = attention(Q, K, V)
    if np.allclose(plain, out):
        plain = OUT
    diagnosis = attn_tui.diagnose(
        Q[:, :1], K[:, :1], V[:, :1], plain[:, :1], scale="inverse-sqrt",
        **{name: part[:1] if name == "sink" and np.ndim(part) else part
           for name, part in promise.items()},
    )  # fmt: skip
    assert diagnosis.verdict != "agrees"


def test_a_value_scale_is_promised() -> None:
    half = OUT / np.float32(2)
    promised = attn_tui.diagnose(Q, K, V, half, scale=0.125, causal=True, value_scale=0.5)
    assert promised.verdict == "agrees"
    wrong = attn_tui.diagnose(Q[0], K[0], V[0], half[0], scale=0.125, causal=True)
    assert "value scale 0.5, promised 1" in wrong.line


@pytest.mark.slow
def test_causal_lets_the_last_query_see_the_last_key_unless_it_says_top_left() -> None:
    q, k, v = drawn(32, queries=20)
    right = attention(q, k, v, seen=causal(20, 32))
    left = attention(q, k, v, seen=np.tri(20, 32, dtype=bool))
    promise: dict[str, Any] = {"scale": 0.125, "causal": True}
    assert attn_tui.diagnose(q, k, v, right, **promise).verdict == "agrees"
    assert attn_tui.diagnose(q, k, v, left, **promise | {"causal": "top left"}).verdict == "agrees"
    wrong = attn_tui.diagnose(q[0], k[0], v[0], left[0], **promise)
    assert "aligned at the top left, as is_causal does?" in wrong.line
    # More queries than keys: the first ones see no key.
    q, k, v = drawn(20, queries=32)
    out = attention(q, k, v, seen=causal(32, 20))
    assert attn_tui.diagnose(q, k, v, out, **promise).verdict == "agrees"


def test_axes_may_stand_in_another_order_or_be_fewer() -> None:
    turned = [one.swapaxes(1, 2) for one in (Q, K, V, OUT)]
    promise: dict[str, Any] = {"scale": 0.125, "causal": True}
    assert attn_tui.diagnose(*turned, layout="bnhd", **promise).verdict == "agrees"
    mixed = attn_tui.diagnose(Q, K, V, turned[3], layout="bhnd,out=bnhd", **promise)
    assert mixed.verdict == "agrees"
    one_sequence = [one[0] for one in (Q, K, V, OUT)]
    assert len(attn_tui.diagnose(*one_sequence, **promise).heads) == 4
    one_head = [one[0, 0] for one in (Q, K, V, OUT)]
    assert len(attn_tui.diagnose(*one_head, **promise).heads) == 1


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float64", "float8_e4m3fn"])
def test_numbers_keep_their_format(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    q, k, v = (one.astype(dtype) for one in drawn(32))
    wide = (one.astype(np.float64) for one in (q, k, v))
    # Kernels that read float8 write bfloat16.
    is_narrow = name.startswith("float8")
    out = attention(*wide, seen=causal(32, 32)).astype(ml_dtypes.bfloat16 if is_narrow else dtype)
    diagnosis = attn_tui.diagnose(q, k, v, out, scale=0.125, causal=True)
    assert f"in {name}." in " ".join(str(diagnosis).split())
    assert diagnosis.verdict == "agrees"


@pytest.mark.slow
def test_queries_share_heads_of_keys_and_values() -> None:
    q, k, v = drawn(32, heads=4, kv_heads=2)
    tiled = attention(q, np.tile(k, (1, 2, 1, 1)), np.tile(v, (1, 2, 1, 1)))
    diagnosis = attn_tui.diagnose(q, k, v, tiled, scale=0.125, causal=False)
    assert "tiled, not repeated?" in diagnosis.line
    right = attn_tui.diagnose(q, k, v, attention(q, k, v), scale=0.125, causal=False)
    assert right.verdict == "agrees"


def test_a_diagnosis_is_frozen_and_goes_elsewhere() -> None:
    diagnosis = attn_tui.diagnose(Q, K, V, OUT, scale=0.125, causal=True)
    with pytest.raises(FrozenInstanceError):
        diagnosis.report = None  # type: ignore[misc, assignment]  # what is tried here
    rows = diagnosis.rows()
    assert [row["head"] for row in rows] == [0, 1, 2, 3] * 2
    assert all(
        type(value) in (int, float, str, type(None)) for row in rows for value in row.values()
    )
    plain = diagnosis.to_dict()
    assert plain["why"][0] == diagnosis.line
    assert read(json.dumps(plain)) == plain
    report = "".join(text(diagnosis.to_report()))
    assert "agrees: m = 0.12" in report
    assert report.count("agrees  ") >= 8


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as WCAG 2 has it."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.slow
def test_a_notebook_shows_it_on_light_and_on_dark() -> None:
    wrong = attention(Q, K, V, scale=1.0, seen=SEEN)
    diagnosis = attn_tui.diagnose(Q[0], K[0], V[0], wrong[0], scale="inverse-sqrt", causal=True)
    page = diagnosis._repr_html_()
    root = ElementTree.fromstring(page)
    assert "✗ differs" in "".join(root.itertext())
    svg = root.find(".//{http://www.w3.org/2000/svg}svg")
    assert svg is not None
    circles = svg.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 4
    assert len(root.findall(".//tbody/tr")) == 4
    for colour in {*re.findall("#[0-9a-f]{6}", page)}:
        for ground in ("#ffffff", "#111111"):
            low, high = sorted((luminance(colour), luminance(ground)))
            assert (high + 0.05) / (low + 0.05) > 3, (colour, ground)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"out": None}, "out: there is none; expected arrays q, k, v and out"),
        ({"k": K[:, :, :, :32]}, "k: its shape is 2×4×48×32; expected 2×4×48×64"),
        ({"k": K[:, :3], "v": V[:, :3]}, "k: it has 3 heads, and q has 4; expected a number"),
        ({"q": Q.astype(int)}, "q: it holds int64; expected bfloat16, float16"),
        ({"q": object()}, "q: object is no array"),
        ({"q": Q[None]}, "q: it has 5 axes; expected"),
        ({"layout": "bxnd"}, "layout: "),
        ({"causal": "left"}, "causal: it is 'left'; expected True"),
        ({"window": 0}, "window: it is '0'; expected a whole number from 1"),
        ({"window": 4, "causal": False}, "window: a causal window of 4 and causal=False"),
        ({"softcap": -1}, "softcap: it is '-1'; expected a number above 0"),
        ({"scale": "inverse-square"}, "scale: 'inverse-square' is not a rule"),
        ({"scale": float("nan")}, "scale: it is 'nan'"),
        ({"mask": np.ones((N, N))}, "mask: it holds float64; expected truth values, True where"),
        ({"mask": np.ones((3, 3), bool)}, "mask: its shape is 3×3; expected a shape that"),
        ({"sink": [1.0, 2.0]}, "sink: it is 2 of float64; expected one number, or one for each"),
        ({"config": 3}, "config: int is none; expected a path, a dict"),
        ({"config": {}}, "config: it is empty; expected"),
        ({"config": {"a": 1}}, "config, the configuration: it says neither heads nor width"),
        ({"names": "x"}, "names: arrays have no names"),
        ({"rows": 0}, "rows: it is '0'"),
        ({"assume": "rain"}, "assume: 'rain' is none of them; expected padding"),
    ],
)
def test_what_will_not_do_is_named(change: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as error:
        attn_tui.diagnose(**{"q": Q, "k": K, "v": V, "out": OUT, **change})
    assert str(error.value).startswith(says)


def test_arrays_cannot_be_written_to_by_whoever_reads_them() -> None:
    tensor = in_memory("q", Q)
    with pytest.raises(ValueError, match="read-only"):
        tensor.take((0, 0, slice(None), slice(None)))[0, 0] = 1.0
    assert Q.flags.writeable


def test_nothing_is_written_to_disk(tmp_path: Path) -> None:
    code = (
        "import os, sys, numpy as np\n"
        "sys.addaudithook(lambda name, given: name == 'open' and isinstance(given[1], str)"
        " and set(given[1]) & set('wxa+') and os._exit(7))\n"
        "import attn_tui\n"
        "q, k, v = np.random.default_rng(0).standard_normal((3, 2, 16, 8))\n"
        "print(attn_tui.diagnose(q, k, v, q).verdict)\n"
        "print({'torch', 'jax', 'textual', 'click', 'rich'} & {*sys.modules})\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(Path(attn_tui.__file__).parents[1])},
    )  # fmt: skip
    assert done.stdout == "cannot tell\nset()\n"


def test_rows_of_packed_tensors_keep_their_axes(tmp_path: Path) -> None:
    """A tensor stored transposed, of which some rows are read."""
    q, k, v = drawn(40, heads=2, batch=1)
    arrays = {"q": q.swapaxes(2, 3), "k": k.swapaxes(2, 3), "v": v, "out": attention(q, k, v)}
    np.savez_compressed(tmp_path / "a.npz", **arrays)  # type: ignore[arg-type]  # of its stubs
    layout = "q=bhdn,k=bhdn,v=bhnd,out=bhnd"
    for source in ([str(tmp_path / "a.npz")], [*arrays.values()]):
        diagnosis = attn_tui.diagnose(*source, layout=layout, scale=0.125, causal=False, rows=8)
        assert diagnosis.verdict == "agrees"


def test_strided_and_reversed_arrays_are_read_as_they_are() -> None:
    def strided(array: Numbers) -> Numbers:
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]

    arrays = [strided(one)[:, ::-1] for one in (Q, K, V, OUT)]
    assert all(not one.flags.c_contiguous for one in arrays)
    assert attn_tui.diagnose(*arrays, scale=0.125, causal=True).verdict == "agrees"
    ends = [head.multiplier.value for head in attn_tui.diagnose(*arrays).heads]
    assert all(first is not None for first, _ in pairwise(ends))


class ByDlpack:
    """An array that is passed by DLPack alone."""

    def __init__(self, array: Numbers) -> None:
        self.array = array

    def __dlpack__(self, **given: Any) -> Any:
        return self.array.__dlpack__(**given)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_whatever_has_dlpack_is_an_array() -> None:
    arrays = (ByDlpack(one) for one in (Q, K, V, OUT))
    assert attn_tui.diagnose(*arrays, scale=0.125, causal=True).verdict == "agrees"


def test_python_is_told_of_arguments_where_nothing_is_promised() -> None:
    diagnosis = attn_tui.diagnose(Q, K, V, OUT)
    assert diagnosis.verdict == "no expectation"
    assert "; give scale= or config= to compare" in diagnosis.line
    assert "nothing; config= or scale= gives it" in str(diagnosis)
    assert "--" not in str(diagnosis)
