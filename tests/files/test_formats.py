"""Files of numbers, and SCORES on a command line: what is read, and what is refused where."""

import io
import os
import sys
from math import inf
from pathlib import Path

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.console.asking import read_scores
from attn_tui.files.content import opened

HERE = Path(__file__).parent

VALID: dict[str, dict[str, list[float]]] = {
    "typed.txt": {"a": [100, 120, 150]},
    "bom-crlf.txt": {"a": [1, 2], "b": [3]},
    "torch.txt": {"a": [1, 2.5], "b": [-inf, 0.001]},
    "numpy.txt": {"a": [100, 120, 150], "b": [1, -inf]},
    "column.txt": {"a": [1, 2, 3], "b": [4, 5]},
    "named.txt": {"q 1": [1, 2], "r: s": [3, 4], "t": [5, 6]},
    "list.json": {"list": [1, -2.5, -inf, -inf]},
    "lists.json": {"a": [1, 2], "b": [3]},
    "names.json": {"q": [1, 2], "k[0]": [3], "k[1]": [4]},
    "ours.json": {"q": [1, -inf]},
    "rows.csv": {"a": [1, 2, 3], "b": [4, 5, 6]},
    "column.csv": {"column": [1, 2, 3]},
    "head.csv": {"q": [1, 3], "k": [2, 4]},
    "semicolons.csv": {"a": [1, 2], "b": [3, -inf]},
    "row.npy": {"row": [100, 120, 150]},
    "RANK2.NPY": {"a": [0, 1, 2], "b": [3, 4, 5]},
    "half.npy": {"half": [1, -inf]},
    "fortran.npy": {"a": [1, 2, 3], "b": [4, 5, 6]},
    "big-endian.npy": {"big-endian": [1, 2]},
    "keys.npz": {"q": [1, 2], "k[0]": [3], "k[1]": [4]},
    "packed.npz": {"q": [1, 2]},
}

INVALID = {
    "abbreviated.txt": "line 1: '...'",
    "arabic.txt": "line 1: '٢' is not a number",
    "assignment.txt": "line 1: 'a' is not a number",
    "binary.csv": "not UTF-8",
    "binary.json": "not UTF-8",
    "binary.npy": "no .npy file",
    "binary.npz": "no zip archive",
    "blank.txt": "none",
    "boolean.npy": "it holds bool",
    "carriage.txt": "line 3: 'x'",
    "claims.npy": "1000000000000 numbers but holds",
    "claims.npz": "1000000000000 numbers but holds",
    "code.npy": "no .npy file",
    "complex.npy": "it holds complex128",
    "cut-data.npy": "numbers but holds",
    "cut-header.npy": "cut off",
    "cut.json": "line 1: not JSON",
    "cut.npz": "cut off",
    "digits.json": "too many digits",
    "empty-list.txt": "line 1: a list is empty",
    "empty-row.json": '"list[1]" is this empty list',
    "empty.csv": "none",
    "empty.json": "empty list",
    "empty.npy": "no .npy file",
    "empty.npz": "none",
    "empty.txt": "none",
    "escape-name.json": r"'\x1b[31m' cannot name",
    "escape-name.txt": r"line 1: '\x1b'",
    "escape.txt": r"line 1: '\x1b'",
    "gap.csv": "line 1: it is no table",
    "gap.txt": "line 1: nothing stands between",
    "head-only.csv": "a head and nothing else",
    "hexadecimal.npy": "no .npy file",
    "infinity.json": '"q[1][1]" is',
    "infinity.npy": "inf stands at key 1",
    "infinity.txt": "line 1: 'inf'",
    "large.json": '"list[0]" is',
    "lies-large.npz": "claim 4,294,967,280 bytes",
    "lies.npz": "array 'a'",
    "long-name.txt": "line 1: 'xxx",
    "markup.txt": "line 1: 'bold'",
    "mixed.txt": "line 1: 1 stands beside a list",
    "nan.csv": "nan stands at key 1",
    "nan.json": '"list[1]" is',
    "nan.npy": "nan stands at row 1, key 1",
    "nan.npz": "array 'q': nan stands at row 1, key 1",
    "nan.txt": "line 3: 'nan'",
    "negative-overflow.txt": "'-1e999' is too large",
    "negative.npy": "no .npy file",
    "nested.npy": "no .npy file",
    "no-columns.npy": "empty array",
    "no-scores.npy": "empty array",
    "no-suffix": "suffix",
    "nul.txt": r"\x00",
    "null.json": '"list[1]" is null',
    "number.json": '"list" is 3',
    "object.npy": "it holds object",
    "only-name.txt": "line 2: 'a' has no scores",
    "open.txt": "line 1: '[' is never closed",
    "other-schema.json": "attn-tui/9",
    "other.dat": "suffix",
    "other.npz": "'a.txt'",
    "overflow.json": "'-1e999' is too large",
    "overflow.txt": "'1e999' is too large",
    "pickle.npy": "no .npy file",
    "pickle.npz": "array 'a': it holds object",
    "ragged.json": '"list[0]" is 1',
    "rank3.json": '"list[0][0]" is this list',
    "rank3.npy": "3 dimensions",
    "record.npy": "it holds",
    "scalar.npy": "0 dimensions",
    "shut.txt": "line 1: ']' closes nothing",
    "text.npy": "it holds <U",
    "true-shape.npy": "no .npy file",
    "true.json": '"list[0]" is true',
    "twice.json": "'q' stands there twice",
    "two-names.txt": "line 3: two vectors are named 'a'",
    "underscore.csv": "line 1: it is no table: could not convert string '1_000'",
    "utf16.txt": "not UTF-8",
    "version.npy": "no .npy file",
    "words.csv": "line 1: it is no table: could not convert string 'a'",
    "words.json": "\"list[0]\" is 'x'",
    "words.txt": "line 1: 'hello'",
}


def files(folder: str) -> list[str]:
    return sorted(path.name for path in (HERE / folder).iterdir())


def read(*arguments: object) -> dict[str, list[float]]:
    source = read_scores([f"@{a}" if isinstance(a, Path) else str(a) for a in arguments])
    return {vector.name: vector.scores.tolist() for vector in source.vectors(Setup())}


def refused(*arguments: object) -> str:
    with pytest.raises(InputError) as caught:
        read(*arguments)
    assert caught.value.field == "scores"
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_a_valid_file_is_read_as_these_vectors() -> None:
    for name in files("valid"):
        vectors = read(HERE / "valid" / name)
        assert vectors == VALID[name], name
        assert list(vectors) == list(VALID[name])


def test_an_invalid_file_is_refused_with_its_name_and_the_place() -> None:
    for name in files("invalid"):
        message = refused(HERE / "invalid" / name)
        assert INVALID[name] in message
        assert f"{name}'" in message


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.npy").mkdir()
    assert "it is a directory" in refused(tmp_path / "folder.npy")
    assert "it is a directory" in refused(tmp_path)
    assert "no such file" in refused(tmp_path / "missing.npy")
    assert "no such file" in refused("@")
    assert r"\x1b" in refused(tmp_path / "\x1b[31m.npy")


def test_what_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attn_tui.files.formats.LARGEST_ARRAYS", 1_000_000)
    bomb = tmp_path / "bomb.npz"
    np.savez_compressed(bomb, a=np.zeros(100_000), b=np.zeros(100_000))
    assert "its arrays claim 1,600,256 bytes" in refused(bomb)

    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    assert "nested too deep" in refused(deep)
    cell = tmp_path / "cell.csv"
    cell.write_text('1,"' + "1" * 200_000 + '"')
    assert "line 1: it is no table" in refused(cell)
    rows = tmp_path / "rows.npy"
    np.save(rows, np.zeros((10_001, 1)))
    assert "more than 10,000 vectors" in refused(rows)


def test_too_many_scores_are_refused_before_they_are_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attn_tui.files.grammar.MOST_SCORES", 100)
    one, two = tmp_path / "one.npy", tmp_path / "two.npz"
    np.save(one, np.zeros(101, dtype=np.int8))
    np.savez(two, a=np.zeros(60), b=np.zeros(41))
    for source in (one, two, "1 " * 101, "1\n" * 101, "1 2 " * 20 + "\n" + "1 " * 61):
        assert "more than 100 scores" in refused(source)
    np.save(one, np.zeros(60))
    assert "more than 100 scores" in refused(one, one)
    assert len(read(one, "1 " * 40)) == 2


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_may_never_end_is_refused_unread(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "endless.txt"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    assert "it is no regular file; expected a file on a disk" in refused(path)
    with (
        pytest.raises(InputError, match=r"experiment, .*no regular file"),
        opened(str(path), "experiment"),
    ):
        pytest.fail("it is open")


def test_what_is_piped_in_is_text_and_limited_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, expected in [
        (b"1 2", {"a": [1, 2]}),
        (b"1\n2\n", {"a": [1, 2]}),
        (b"\x93NUMPY", "standard input: byte 0x93 at position 0 is not UTF-8"),
        (b"1\n2\nx", "standard input, line 3: 'x'"),
        (b"1 2 3 4 5", "standard input: it is too large; expected at most 8 bytes"),
    ]:
        monkeypatch.setattr("attn_tui.files.content.read_text.__defaults__", (8,))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        if isinstance(expected, str):
            assert expected in refused("-")
        else:
            assert read("-") == expected


def test_a_table_has_rows_or_columns_without_gaps(tmp_path: Path) -> None:
    for table, expected in [
        ("q,k\n1,2\n3\n4,5", "line 3: it is no table: the number of columns changed from 2 to 1"),
        ("q,k\n1,2\n3,-inf\n", {"q": [1, 3], "k": [2, -inf]}),
        ("1\n2\n3\n", {"table": [1, 2, 3]}),
        ("1;2\r\n  \r3;4\r", {"a": [1, 2], "b": [3, 4]}),
        ('q,"k, l"\n1,2', {"q": [1], "k, l": [2]}),
        ("q\n\n1\nx\n", "line 4: it is no table: could not convert string 'x'"),
        ("1,2\n3,\n", "line 2: it is no table: could not convert string ''"),
        ("q,k\n", "it holds a head and nothing else"),
        ("q,k\n1\n2\n", "its head has 2 cells and its rows 1"),
        ("1,2\n" * 10_001, "more than 10,000 vectors"),
    ]:
        path = tmp_path / "table.csv"
        path.write_text(table, newline="")
        if isinstance(expected, str):
            assert expected in refused(path)
        else:
            assert read(path) == expected


def test_names_of_an_experiments_fields_can_name_vectors(tmp_path: Path) -> None:
    (tmp_path / "named.json").write_text('{"d_k": [1, 2], "rule": [3]}')
    assert read(tmp_path / "named.json") == {"d_k": [1, 2], "rule": [3]}


def test_single_numbers_side_by_side_are_one_vector_else_each_argument_is_one() -> None:
    assert read("100", "120", "150") == {"a": [100, 120, 150]}
    assert read("q:", "1", "2") == {"q": [1, 2]}
    assert read("[1", "2]") == {"a": [1, 2]}
    assert read(" -1,0", "q:2", "3,4") == {"a": [-1, 0], "q": [2], "b": [3, 4]}


def test_files_and_scores_can_be_mixed_and_files_may_share_a_name() -> None:
    row = HERE / "valid" / "row.npy"
    typed = HERE / "valid" / "typed.txt"
    assert list(read("1", row, row, "2,3")) == ["a", "row", "b", "c"]
    assert "two vectors are named 'a'" in refused(typed, typed)


def test_an_error_names_the_argument_if_there_are_several() -> None:
    assert refused("x").startswith("scores: 'x'")
    assert "argument 3: 'x'" in refused("1,2", "3\n4", "x")
    assert "argument 2: 'y'" in refused(HERE / "valid" / "row.npy", "y", "1")
    for ending in ("\r", "\r\n", "\n"):
        assert "argument 2: 'x'" in refused("1,2", f"3{ending}x")
        assert "argument 2: 'x'" in refused(f"1,2{ending}", "x")
