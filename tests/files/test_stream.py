"""What is read does not depend on the pieces it comes in."""

from collections.abc import Callable, Iterator
from io import BytesIO
from random import Random

import pytest

from attn_tui.compute.errors import InputError
from attn_tui.files.entries import Entry
from attn_tui.files.grammar import read_entries
from attn_tui.files.json import read_json
from attn_tui.files.stream import AHEAD, Metered, text_pieces
from attn_tui.files.tables import csv_entries

LINES = {
    "grammar": (
        *("1", "2", "-3.25e-1\n4", "a b: 1, 2", '"q, r":\n1 2', "[[1, 2],\n[3 4]]", "", "\t", "5,"),
        *("tensor([1., 2.], dtype=torch.float32, device='cuda:0')", "1  ,  2\t;3", "−1 －2", " "),
        *("7 " * 5_000, "1\n" * 9_000, "\n" * 3_000, "[" + "1, \n" * 4_000 + "]", " " * 30_000),
        *("2.5, " * 12_000 + "1", "[1, " + " " * 12_000 + "2]", "{" + "'k': [1, 2], " * 3 + "}"),
        *("0." + "0" * 9_000 + "1 2", "[1, note='" + "x" * 9_000 + "']"),
    ),
    "csv": (
        *("1,2,3", "4,5,6", '"7", 8,9', "1 , 2,\t3", "", ",,", '"1\n",2,3', '1,"2",3', "-1e5,0,+3"),
        *("1,2,3\n" * 300, "\n" * 5_000, "1,2,3," + " " * 30_000, '"1","2","3"\n' * 100),
    ),
    "json": (
        *("[1, 2]", "[1.5,\n-2e3]", '["-Infinity", 1]', '["x", null, true]', "[[], {}]", "1e5"),
        *('{"a": [1], "b": {"c": "\\u00e9\\n"}}', "[" + "1.5, \n" * 9_000 + "2]", '"\\"y"', "0"),
        *(
            "[" + " " * 20_000 + "7]",
            "[" + "1," * 12_000 + '"z"]',
            "[" + "[1, 2]," * 2_000 + "[3]]",
        ),
    ),
}
WRONG = {
    "grammar": ("1,, 2", "x y", "1, " + " " * 15_000 + ",2", "]", "1\n2,nan", "'"),
    "csv": ("1,x,3", "1,,3", '"1\n2",3,4', "nan,1,2"),
    "json": ("[1 2]", '"\n"', "[1,]", "tru", '{"a" 1}', "1e999"),
}


def _text(kind: str, is_wrong: bool, rng: Random) -> str:
    lines = rng.choices(LINES[kind], k=rng.choice((20, 40)))
    if is_wrong:
        lines[rng.randrange(len(lines))] = rng.choice(WRONG[kind])
    return f"[{','.join(lines)}]" if kind == "json" else "\n".join(lines)


def _pieces(text: str, rng: Random) -> Iterator[str]:
    start = 0
    while start < len(text):
        size = rng.choice((1, 7, 1_000, AHEAD))
        yield text[start : start + size]
        start += size


def _shown(entries: list[Entry]) -> list[tuple[str, list[float], int]]:
    return [(entry.name, list(entry.scores), entry.line) for entry in entries]


READ: dict[str, Callable[[Iterator[str]], object]] = {
    "grammar": lambda pieces: _shown(read_entries(pieces)),
    "csv": lambda pieces: _shown(csv_entries(pieces, "file")),
    "json": read_json,
}


def _outcome(kind: str, pieces: Iterator[str]) -> object:
    try:
        return READ[kind](pieces)
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("kind", LINES)
def test_pieces_are_read_as_the_whole(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(kind)
    texts = [_text(kind, place % 2 == 1, rng) for place in range(10)]
    found = [_outcome(kind, _pieces(text, rng)) for text in texts]
    monkeypatch.setattr("attn_tui.files.stream.AHEAD", 10**9)
    assert found == [_outcome(kind, iter([text])) for text in texts]
    assert [isinstance(each, str) for each in found] == [False, True] * 5


def test_bytes_are_decoded_across_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attn_tui.files.stream.PIECE", 3)
    data = "\ufeff−1\r\n😀\rx\r\r\n".encode()
    assert "".join(text_pieces(Metered(BytesIO(data)))) == "−1\n😀\nx\n\n"
    with pytest.raises(InputError, match="byte 0xff at position 8 is not UTF-8"):
        list(text_pieces(Metered(BytesIO(data[:8] + b"\xff1"))))
    with pytest.raises(InputError, match="byte 0xef at position 0 is not UTF-8"):
        list(text_pieces(Metered(BytesIO(data[:2]))))
