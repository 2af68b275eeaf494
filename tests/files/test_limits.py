"""Hostile files are refused in time, with the limit they pass, and in little memory."""

import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO, FileIO
from pathlib import Path

import numpy as np
import pytest

from attn_tui.compute.errors import InputError
from attn_tui.files.content import LARGEST_TEXT, read_text
from attn_tui.files.formats import read_file

MEGABYTE = 2**20

MOST = 100 * MEGABYTE
"""Bytes above the idle program, for files of 4,000,000, and one that unpacks to far more."""

_CODE = """
import sys
from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import open_draft, parse
from tests.memory import peak

for path in sys.argv[1:]:
    before = peak()
    try:
        message = parse(open_draft(path, Setup())).vectors[0].name
    except InputError as error:
        message = str(error)
    print(peak() - before, message)
"""


def _filled(begin: str, repeated: str) -> Callable[[Path], object]:
    text = begin + repeated * (4_000_000 // len(repeated.encode()))
    return lambda path: path.write_text(text)


def _npy_header(path: Path) -> None:
    path.write_bytes(b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + b" " * 4_000_000)


def _array(numbers: int) -> bytes:
    file = BytesIO()
    np.save(file, np.zeros(numbers))
    return file.getvalue()


def _behind(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("a.npy", _array(3) + bytes(80 * MEGABYTE))


def _packed(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.npy", _array(3))


def _directory(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for place in range(50):
            archive.writestr(f"{'x' * 60_000}{place}.npy", _array(1))


LIMITS: dict[str, tuple[Callable[[Path], object], str]] = {
    "dots.txt": (_filled("", "a.a.a."), "is not a number"),
    "number.txt": (_filled("", "1"), "is too large for float64"),
    "open.txt": (_filled("", "["), "'[' is never closed"),
    "emoji.txt": (_filled('"', "😀"), "is not a number"),
    "lists.txt": (_filled("", "[1],"), "more than 10,000 vectors"),
    "lists.json": (_filled("[", "[],"), "more than 250,000 lists and objects"),
    "name.json": (_filled('{"', "😀"), "line 1: not JSON: Unterminated string"),
    "digits.json": (_filled("", "1"), "a whole number has too many digits"),
    "deep.json": (lambda path: path.write_text("[" * 200_000), "lists are nested too deep"),
    "row.csv": (lambda path: path.write_text("1," * 2_100_000), "line 1: it is no table"),
    "quoted.csv": (lambda path: path.write_text('"\n",' * 1_100_000), "it is no table"),
    "head.csv": (lambda path: path.write_text("q," * 10_001), "a head and nothing else"),
    "growing.csv": (
        lambda path: path.write_text("q\n1" + ",1" * 10_001),
        "its head has 1 cells and its rows 10002",
    ),
    "header.npy": (_npy_header, "it is no .npy file, or is cut off"),
    "packed.npz": (_packed, "which is no array"),
    "directory.npz": (_directory, "more than 2,097,152 bytes in its list of arrays"),
    "behind.npz": (_behind, "a"),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")
def test_what_passes_a_limit_is_refused_with_it_in_little_memory(tmp_path: Path) -> None:
    for name, (write, _) in LIMITS.items():
        write(tmp_path / name)
    done = subprocess.run(
        [sys.executable, "-c", _CODE, *(str(tmp_path / name) for name in LIMITS)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    for line, (_, limit) in zip(lines, LIMITS.values(), strict=True):
        assert limit in line
    assert sum(int(line.split()[0]) for line in lines) < MOST, lines


@pytest.mark.parametrize("suffix", [".json", ".csv", ".txt"])
def test_a_text_that_is_too_large_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"large{suffix}"
    with path.open("wb") as file:
        file.truncate(LARGEST_TEXT + 1)
    with pytest.raises(InputError, match=f"it is too large; expected at most {LARGEST_TEXT:,} by"):
        read_file(str(path))


class Unread(FileIO):
    """A file of which nobody may read anything."""

    def read(self, size: int | None = -1, /) -> bytes:
        pytest.fail("it is read")


def test_what_says_that_it_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(bytes(11))
    with Unread(path) as file, pytest.raises(InputError, match="it is too large"):
        read_text(file, 10)


class Endless(BytesIO):
    """Bytes without end, as a pipe may bring."""

    given = 0

    def read(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        self.given += size
        return b"1" * size


def test_what_says_nothing_of_its_size_is_read_to_the_limit_only() -> None:
    endless = Endless()
    with pytest.raises(InputError, match="it is too large; expected at most 1,000 bytes"):
        read_text(endless, 1_000)
    assert endless.given == 1_001
