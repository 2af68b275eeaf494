import io
import json
import os
import sys
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.compute.vector import Vector
from attn_tui.files.codec import experiment_from_plain, experiment_to_plain
from attn_tui.files.plain import json_text
from attn_tui.files.readers import read_arguments, read_experiment
from attn_tui.instruments import Instrument
from tests.asking import asking
from tests.pairs import with_rows

HERE = Path(__file__).parent

VALID: dict[str, dict[str, list[float]]] = {
    "typed.txt": {"a": [100, 120, 150]},
    "bom-crlf.txt": {"a": [1, 2], "b": [3]},
    "torch.txt": {"a": [1, 2.5], "b": [-inf, 0.001]},
    "numpy.txt": {"a": [100, 120, 150], "b": [1, -inf]},
    "column.txt": {"a": [1, 2, 3], "b": [4, 5]},
    "named.txt": {"q 1": [1, 2], "r: s": [3, 4], "t": [5, 6]},
    "json-like.txt": {"q": [1, 2], "k[0]": [3, -inf], "k[1]": [4]},
    "unicode.txt": {"unicode": [-1, 2, -inf, 1000]},
    "list.json": {"list": [1, -2.5, -inf, -inf]},
    "lists.json": {"a": [1, 2], "b": [3]},
    "names.json": {"q": [1, 2], "k[0]": [3], "k[1]": [4]},
    "ours.json": {"q": [1, -inf]},
    "rows.csv": {"a": [1, 2, 3], "b": [4, 5]},
    "column.csv": {"column": [1, 2, 3]},
    "head.csv": {"q": [1, 3], "k": [2]},
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
    "assignment.txt": "line 1: 'a = 3'",
    "binary.csv": "not UTF-8",
    "binary.json": "not UTF-8",
    "binary.npy": "no .npy file",
    "binary.npz": "no zip archive",
    "blank.txt": "none",
    "boolean.npy": "true and false",
    "carriage.txt": "line 3: 'x'",
    "claims.npy": "1000000000000 numbers but holds",
    "claims.npz": "1000000000000 numbers but holds",
    "code.npy": "no .npy file",
    "complex.npy": "complex",
    "control.txt": r"line 1: '\x0b'",
    "crossed.txt": "line 1: ']'",
    "cut-data.npy": "numbers but holds",
    "cut-header.npy": "cut off",
    "cut.json": "line 1: not JSON",
    "cut.npz": "cut off",
    "digits.json": "too many digits",
    "empty-list.txt": "line 1: a list is empty",
    "empty-row.json": "row 1: this empty list",
    "empty.csv": "none",
    "empty.json": "empty list",
    "empty.npy": "no .npy file",
    "empty.npz": "none",
    "empty.txt": "none",
    "escape-name.json": r"'\x1b[31m' cannot name",
    "escape-name.txt": r"line 1: '\x1b'",
    "escape.txt": r"line 1: '\x1b'",
    "gap.csv": "line 1: a cell is empty",
    "gap.txt": "line 1: nothing stands between",
    "head-only.csv": "column 'q' is empty",
    "hexadecimal.npy": "no .npy file",
    "infinity.json": "'q', row 1, key 1: 'inf'",
    "infinity.npy": "inf stands at key 1",
    "infinity.txt": "line 1: 'inf'",
    "large.json": "key 0 is too large",
    "lies-large.npz": "claim 4,294,967,280 bytes",
    "lies.npz": "array 'a'",
    "long-name.txt": "line 1: 'xxx",
    "markup.txt": "line 1: 'bold'",
    "mixed.txt": "line 1: a list stands beside numbers",
    "nan.csv": "line 2: 'nan'",
    "nan.json": "key 1: 'nan'",
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
    "null.json": "key 1: null",
    "number.json": "3 is not",
    "object.npy": "pickled objects",
    "only-name.txt": "line 2: 'a' has no scores",
    "open.txt": "line 1: '[' is never closed",
    "other-schema.json": "attn-tui/9",
    "other.dat": "suffix",
    "other.npz": "'a.txt'",
    "overflow.json": "'-1e999' is too large",
    "overflow.txt": "'1e999' is too large",
    "pickle.npy": "no .npy file",
    "pickle.npz": "array 'a': it holds pickled objects",
    "ragged.json": "row 0: 1",
    "rank3.json": "row 0, key 0: this list",
    "rank3.npy": "3 dimensions",
    "record.npy": "records",
    "scalar.npy": "0 dimensions",
    "shut.txt": "line 1: ']' closes nothing",
    "text.npy": "it holds text",
    "true-shape.npy": "no .npy file",
    "true.json": "key 0: true",
    "twice.json": "'q' stands there twice",
    "two-names.txt": "line 3: two vectors are named 'a'",
    "underscore.csv": "line 1: '1_000' is not a number",
    "utf16.txt": "not UTF-8",
    "version.npy": "no .npy file",
    "words.csv": "line 1: 'a'",
    "words.json": "key 0: 'x'",
    "words.txt": "line 1: 'hello'",
}


def files(folder: str) -> list[str]:
    return sorted(path.name for path in (HERE / folder).iterdir())


def read(*arguments: object) -> dict[str, list[float]]:
    vectors = read_arguments([f"@{a}" if isinstance(a, Path) else str(a) for a in arguments])
    return {vector.name: vector.scores.tolist() for vector in vectors}


def refused(*arguments: object) -> str:
    with pytest.raises(InputError) as caught:
        read(*arguments)
    assert caught.value.field == "scores"
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_a_valid_file_is_read_as_these_vectors() -> None:
    for name in files("valid"):
        vectors = read(HERE / "valid" / name)
        assert vectors == VALID[name]
        assert list(vectors) == list(VALID[name])


@with_rows("name", files("invalid"))
def test_an_invalid_file_is_refused_with_its_name_and_the_place(name: str) -> None:
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
    monkeypatch.setattr("attn_tui.files.npy.LARGEST_ARRAYS", 1_000_000)
    bomb = tmp_path / "bomb.npz"
    np.savez_compressed(bomb, a=np.zeros(100_000), b=np.zeros(100_000))
    assert "its arrays claim 1,600,256 bytes" in refused(bomb)

    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    assert "nested too deep" in refused(deep)
    cell = tmp_path / "cell.csv"
    cell.write_text('1,"' + "1" * 200_000 + '"')
    assert "line 1: no table" in refused(cell)
    rows = tmp_path / "rows.npy"
    np.save(rows, np.zeros((10_001, 1)))
    assert "more than 10,000 vectors" in refused(rows)


def test_too_many_scores_are_refused_before_they_are_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attn_tui.files.entries.MOST_SCORES", 100)
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
    with pytest.raises(InputError, match=r"experiment, .*no regular file"):
        read_experiment(str(path))


def test_what_is_piped_in_may_be_npy_and_is_limited_too(monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO()
    np.save(data, np.array([[1.0, 2.0], [3.0, 4.0]]))
    for given, most, expected in (
        (data.getvalue(), 512, {"a": [1, 2], "b": [3, 4]}),
        (data.getvalue()[:-1], 512, "claims an array of 2×2 numbers but holds 31 bytes"),
        (data.getvalue(), 100, "it is too large; expected at most 100 bytes"),
        (b"1 2", 100, {"a": [1, 2]}),
    ):
        monkeypatch.setattr("attn_tui.files.readers.LARGEST_ARRAYS", most)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        if isinstance(expected, str):
            assert expected in refused("-")
        else:
            assert read("-") == expected


def test_a_suffix_is_looked_at_before_the_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "attn_tui.files.readers.whole_entries", lambda *_: pytest.fail("it is read")
    )
    (tmp_path / "large.bin").write_bytes(bytes(11))
    assert "its suffix" in refused(tmp_path / "large.bin")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("q,k\n1,2\n3\n4,5", "line 3: a cell is empty"),
        ("q\n1\n2,3", "line 2: a cell is empty"),
        ("q\n\n1,2\n3", {"q": [1, 3], "a": [2]}),
        ("q,k\n1,2\n3\n", {"q": [1, 3], "k": [2]}),
        ("1\n2\n3,4", {"a": [1], "b": [2], "c": [3, 4]}),
        ("1;2\r\n3;4\r", {"a": [1, 2], "b": [3, 4]}),
        ("q\n1\nx\n", "line 3: 'x' is not a number"),
        ('1;2\n"x"\n', "line 2: 'x' is not a number"),
        ('1;2\n3;"x\n', "line 2: 'x' is not a number"),
        ('1,2\n"3\n4",5\n', "line 3: '3\\x0a4' is not a number"),
        ("1\n" * 10_001 + "2,3", "more than 10,000 vectors"),
    ],
)
def test_a_table_has_rows_or_columns_without_gaps(
    table: str, expected: str | dict[str, list[float]], tmp_path: Path
) -> None:
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
    assert list(read("1", row, row, "2,3")) == ["a", "row", "row 2", "b"]
    assert "two vectors are named 'a'" in refused(typed, typed)


def test_an_error_names_the_argument_if_there_are_several() -> None:
    assert refused("x").startswith("scores: 'x'")
    assert "argument 3: 'x'" in refused("1,2", "3\n4", "x")
    assert "argument 2: 'y'" in refused(HERE / "valid" / "row.npy", "y", "1")
    for ending in ("\r", "\r\n", "\n"):
        assert "argument 2: 'x'" in refused("1,2", f"3{ending}x")
        assert "argument 2: 'x'" in refused(f"1,2{ending}", "x")


def test_an_experiment_file_is_refused_with_its_name_and_the_place(tmp_path: Path) -> None:
    vectors = [{"name": "a", "scores": [1, 2]}]
    path = tmp_path / "experiment.json"
    for plain, expected in (
        ([], "this empty list"),
        ({}, '"vectors" is null'),
        ({"schema": "attn-tui/1"}, '"experiment" is null'),
        ({"vectors": vectors, "d_k": 0}, "d_k: '0' will not do"),
        ({"vectors": vectors, "d_k": 2.5}, '"d_k" is 2.5; expected a whole number'),
        ({"vectors": vectors, "d_k": True}, '"d_k" is true'),
        ({"vectors": vectors, "dk": 2}, "unknown name 'dk'"),
        ({"vectors": vectors, "rule": "cube"}, "rule: 'cube'"),
        ({"vectors": vectors, "rule": "temperature", "parameters": {"T": "NaN"}}, "T=nan"),
        ({"vectors": vectors, "rule": "temperature", "parameters": {"T": None}}, '"T" is null'),
        ({"vectors": vectors, "precision": "f16"}, "precision: 'f16'"),
        ({"vectors": vectors, "naive": 1}, '"naive" is 1; expected true or false'),
        ({"vectors": vectors, "settings": {"x": {}}}, "unknown name 'x'"),
        ({"vectors": vectors, "settings": {"explore": {"of": "0"}}}, "\"of\" is '0'"),
        ({"vectors": vectors, "settings": {"explore": {"of": -1}}}, "of: '-1'"),
        ({"vectors": vectors, "settings": {"explore": {"wrt": "x"}}}, "wrt: 'x'"),
        ({"vectors": []}, "at least one number"),
        ({"vectors": [{"name": "a", "scores": []}]}, "at least one score"),
        ({"vectors": [{"name": "a", "scores": ["Infinity"]}]}, "inf at key 0"),
        ({"vectors": [{"name": "a", "scores": [10**400]}]}, '"scores of a"'),
        ({"vectors": [*vectors, *vectors]}, "two vectors are named 'a'"),
        ({"vectors": [{"name": "\x1b", "scores": [1]}]}, r"'\x1b' cannot name"),
    ):
        path.write_text(json.dumps(plain))
        with pytest.raises(InputError) as caught:
            read_experiment(str(path))
        assert caught.value.field == "experiment"
        assert "experiment.json'" in str(caught.value)
        assert expected in str(caught.value)


@dataclass(frozen=True)
class Rich:
    """Settings of every kind allowed."""

    limit: float = 1.0
    seed: int | None = None
    layers: tuple[int, ...] = ()
    widths: tuple[float, ...] | None = None
    mode: Literal["a", "b"] = "a"


@pytest.fixture
def rich(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Instrument("rich", "Rich", 9, "", f"{__name__}:Rich", "", "", "", "", "", "")
    monkeypatch.setattr("attn_tui.files.codec.INSTRUMENTS", (entry,))


def with_settings(plain: dict[str, object]) -> dict[str, object]:
    vectors = [{"name": "a", "scores": [1, 2]}]
    return {"vectors": vectors, "settings": {"rich": plain}}


@pytest.mark.usefixtures("rich")
def test_settings_of_every_kind_go_to_json_and_back() -> None:
    for settings in (Rich(), Rich(2.5, 3, (1, 2), (1.5, 2.0), "b")):
        asked = asking(Vector("a", np.array([1.0])), setup=Setup().put(settings))
        plain = json.loads("".join(json_text(experiment_to_plain(asked))))
        assert experiment_from_plain(plain).setup.get(Rich) == settings
    found = experiment_from_plain(with_settings({"limit": 3})).setup.get(Rich).limit
    assert (found, type(found)) == (3.0, float)


@pytest.mark.usefixtures("rich")
@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ({"limit": nan}, '"limit" is NaN; expected a finite number'),
        ({"limit": "Infinity"}, "expected a finite number"),
        ({"limit": None}, '"limit" is null; expected a number'),
        ({"limit": True}, '"limit" is true; expected a number'),
        ({"seed": 1.5}, '"seed" is 1.5; expected a whole number'),
        ({"layers": 3}, '"layers" is 3; expected a list'),
        ({"layers": [1, "2"]}, "\"layers\" is '2'; expected a whole number"),
        ({"widths": [[]]}, '"widths" is this empty list; expected a number'),
        ({"mode": []}, '"mode" is this empty list; expected a string'),
    ],
)
def test_settings_that_will_not_do_are_refused(plain: dict[str, object], expected: str) -> None:
    with pytest.raises(InputError, match="experiment: ") as caught:
        experiment_from_plain(with_settings(plain))
    assert expected in str(caught.value)
