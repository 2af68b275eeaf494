"""Headers that are almost right: each file is read, or refused in one line.

`tests.fuzz_readers` tries bytes that are almost right.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.captures.layouts import parse_layout
from attn_tui.captures.names import PARTS, meaning_of, pattern_of
from attn_tui.captures.opening import open_capture
from attn_tui.compute.errors import InputError

NAMES = st.one_of(
    st.sampled_from([*PARTS, *(f"{layer}.{part}" for layer in (0, 7) for part in PARTS)]),
    st.text(max_size=30),
)
SHAPES = st.one_of(
    st.lists(st.sampled_from([1, 2, 3, 4, 5]), max_size=5),
    st.lists(st.integers(-1, 2**49), max_size=18),
)
PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=5,
)
CLAIMS = st.dictionaries(
    st.sampled_from(["layout", "num_heads", "head_dim", "rank", "config"]),
    st.one_of(PLAIN, st.sampled_from(["bhnd", "q=bnhd", "4", "-1", '{"num_heads": 2}', [2, 3]])),
    max_size=4,
)  # fmt: skip
SIZES = {"F32": 4, "BF16": 2, "F64": 8, "I64": 8, "BOOL": 1, "F8_E4M3": 1, "F4": 1, "X": 1}


@st.composite
def files(draw: st.DrawFn) -> tuple[dict[str, Any], int]:
    """Return a header, mostly of tensors that follow one another, and the bytes after it."""
    header: dict[str, Any] = {}
    if draw(st.booleans()):
        header["__metadata__"] = draw(st.one_of(CLAIMS, PLAIN))
    end = 0
    names = draw(st.lists(NAMES, max_size=6, unique=True))
    is_likely = draw(st.booleans())
    if is_likely:
        names = [*dict.fromkeys(["q", "k", *names])]
    lengths = [draw(st.sampled_from([1, 2, 4])) for _ in range(4)]
    for name in names:
        shape = draw(SHAPES)
        if is_likely and draw(st.integers(0, 5)):
            shape = draw(st.permutations(lengths))[: draw(st.integers(1, 4))]
            shape = lengths if name in ("q", "k", "v", "out") else shape
        code = draw(st.sampled_from([*SIZES, "F32", "F32", "F32"]))
        size = SIZES[code]
        for length in shape:
            size *= max(length, 0)
        last = min(end + size, 10_000)
        header[name] = {"dtype": code, "shape": shape, "data_offsets": [end, last]}
        if draw(st.integers(0, 9)) == 0:
            header[name] = draw(PLAIN)
        end = last
    return header, end


@settings(max_examples=50, deadline=None)
@given(files(), st.integers(-3, 3))
def test_whatever_a_header_says_it_is_read_or_refused(
    arrays: tuple[dict[str, Any], int], more: int
) -> None:
    header, size = arrays
    text = json.dumps(header).encode("utf-8", "surrogatepass")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.safetensors"
        path.write_bytes(len(text).to_bytes(8, "little") + text + b"\x01" * max(size + more, 0))
        refused = None
        try:
            capture = open_capture([str(path)])
            assert all(sentence.isprintable() for sentence in capture.stated)
            for head in capture.heads[:10]:
                for reading in capture.readings(head.layer):
                    shape, rows = capture.shape(head, reading), capture.read(head, None, reading)
                    assert rows.queries.shape == (shape.n_queries, shape.d_k)
                    assert rows.keys.shape == (shape.n_keys, shape.d_k)
                    for matrix in (rows.weights, rows.seen, rows.bias):
                        assert matrix is None or matrix.shape == (shape.n_queries, shape.n_keys)
        except InputError as error:
            refused = str(error)
        assert refused is None or (refused.isprintable() and len(refused) < 1_000)


@given(st.text(max_size=60))
def test_any_text_is_a_name_or_a_layout_or_refused_in_one_line(text: str) -> None:
    meaning_of(text)
    for read in (pattern_of, lambda t: parse_layout(t, "q"), lambda t: parse_layout(t, "mask")):
        refused = ""
        try:
            read(text)
        except InputError as error:
            refused = str(error)
        assert refused.isprintable()
