"""Feeds every reader what is almost right; `python -m tests.fuzz_readers --seconds 600 --seed 1`.

Whatever is read, only an InputError may leave, its message is one printable line, and memory stays
bounded. What fails is printed with the number that `--only` tries again alone.
"""

import argparse
import io
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from unittest.mock import patch

import numpy as np

from attn_tui.captures.not_finite import not_finite
from attn_tui.captures.opening import open_capture
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.mask import Mask
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products
from attn_tui.console.asking import asked_by, read_scores
from attn_tui.files.codec import SCHEMA, experiment_to_plain, read_experiment
from attn_tui.files.content import read_json
from attn_tui.files.draft import Draft, open_draft, parse
from attn_tui.files.examples import EXAMPLES
from attn_tui.files.formats import SUFFIXES, read_file
from attn_tui.files.models.configuration import read_expectation
from attn_tui.files.sources import VectorPart, read_matrix
from attn_tui.tour.reader import OURS, read_tour
from tests.captures.arrays import layer, saved
from tests.memory import peak

MOST_MEMORY = 700 * 2**20
"""Bytes above the idle program; 16,000,000 numbers, packed, fit in what is tried."""

HERE = Path(__file__).parent / "files"
_PARTS: tuple[VectorPart, ...] = ("q", "K", "V")

_TEXT = (
    *("1", "-1.5", "1e308", "-1e999", "-inf", "−∞", "nan", "1_0", "٢", "２", "0x1", "1e", "+", "-"),
    *("[", "]", "(", ")", "{", "}", "[[", "]]", "tensor(", "np.array(", "dtype=float32", "a.b."),
    *",;，:：= \t\u3000\n\r\x0b\x0c\x1c\x85\u2028\x00\ufeff\ud800\x7f\x9b😀",
    *(",,", "\r\n", "\x1b[31m"),
    *('"', "'", "\\", '"a":', "a:", "q:", "K:", "V:", "k[0]:", "n = ", "seed = ", "vectors = "),
    *("\n@row.npy\n", "<", ">", "1,000", "2^10", "1e6", "3·10^8", "x" * 50, "9" * 400),
    *("#", "@", "true", "null", "NaN", "Infinity", '"-Infinity"', "\\u001b", '{"a":', "1" * 5000),
)
_BYTES = (
    *(token.encode("utf-8", "surrogatepass") for token in _TEXT),
    *(b"\xff", b"\xc3", b"\x93NUMPY", b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\xff" * 4),
    *(b"\x00" * 8, b"'descr': '<f8'", b"'>f2'", b"'|O'", b"'shape': (", b"(2,)", b"True", b"-1, "),
    *(b"(True, 2)", b"()", b"0x" + b"f" * 4000, b"'V8'", b"'<M8[ns]'", b"[('a', '<f8')]", b"'f16'"),
)


def experiments() -> list[bytes]:
    """Return questions as JSON, one of each kind of source and setup."""
    rows = np.arange(4.0).reshape(2, 2)
    asked = [parse(example.draft) for example in EXAMPLES.values()]
    asked.append(Experiment(Drawn(5, 7, 2), Setup(d_k=8, mask=Mask(((1, 3),)))))
    asked.append(Experiment(Products(rows, rows, rows), Setup(d_k=2)))
    plain = [experiment_to_plain(each) for each in asked if len(str(each)) < 100_000]
    whole = [{"schema": SCHEMA, "experiment": each} for each in plain]
    found = [json.dumps(each).encode() for each in [*plain, *whole]]
    return [each for each in found if len(each) < 50_000]


def seeds() -> Mapping[str, list[bytes]]:
    """Return what is mutated, by the suffix of a file or the name of another way in."""
    files = [*(HERE / "valid").iterdir(), *(HERE / "invalid").iterdir()]
    found = {
        suffix: [
            path.read_bytes()
            for path in sorted(files)
            if path.suffix.lower() == suffix and path.stat().st_size < 50_000
        ]
        for suffix in SUFFIXES
    }
    found["experiment"] = experiments()
    found[".json"] += found["experiment"]
    texts = [
        *found[".txt"],
        b"1,2",
        b"3\rx",
        b"n = 64, seed = 1, vectors = 1",
        b"q: 1, 0\nK: [[1, 0], [0, 1]]",
        b"file: example\nlayer = 0",
    ]
    found |= captures() | beside_captures()
    return {**found, "arguments": texts, "source": texts, "matrix": texts, "input": texts}


def captures() -> dict[str, list[bytes]]:
    """Return captured tensors, by ``"capture"`` and a suffix."""
    made = layer(1, 4, 2, 5, 5, 2, 2, dtype=np.float32)
    ragged = {**layer(2, 2, 1, 3, 3, 2, 2), "lengths": np.array([2, 3])}
    packed, stored, single = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.savez(stored, allow_pickle=False, **{f"3.{part}": each for part, each in made.items()})
    np.savez_compressed(packed, allow_pickle=False, **made)
    np.save(single, made["q"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.safetensors"
        safe = []
        for tensors in (made, ragged):
            saved(path, tensors, {"layout": "bhnd", "config": '{"head_dim": 4}'})
            safe.append(path.read_bytes())
    return {
        "capture.safetensors": safe,
        "capture.npz": [packed.getvalue(), stored.getvalue()],
        "capture.npy": [single.getvalue()],
    }


def beside_captures() -> dict[str, list[bytes]]:
    """Return what is read of models, and of who teaches, by the name of a file."""
    config = {"model_type": "llama", "num_attention_heads": 4, "head_dim": 2, "hidden_size": 8}
    return {
        "config.json": [json.dumps(config).encode()],
        "tour.toml": [OURS.read_bytes()],
    }


def _read_capture(path: str) -> None:
    capture = open_capture([path])
    for head in capture.heads[:20]:
        for reading in capture.readings(head.layer):
            capture.read(head, None, reading)
            assert all(str(found).isprintable() for found in not_finite(capture, head, reading))
    assert all(map(str.isprintable, capture.stated))


def mutated(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    """Return data with a few changes of the kinds that readers trip over."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 5, 10))):
        start = rng.randint(0, len(changed))
        end = min(len(changed), start + rng.choice((1, 1, 2, 4, 16, 100)))
        way = rng.randrange(8)
        if way == 0 and changed:
            changed[start % len(changed)] = rng.randrange(256)
        elif way == 1:
            del changed[start:end]
        elif way in (2, 3, 4):
            changed[start : start if way == 2 else end] = rng.choice(_BYTES)
        elif way == 5:
            copies = rng.choice((1, 2, 10, 100, 2000))
            changed[start:start] = (changed[start:end] * copies)[:100_000]
        elif way == 6:
            other = rng.choice(others)
            place = rng.randint(0, len(other))
            changed[start:end] = other[place : place + rng.choice((5, 50, 500))]
        else:
            del changed[start:]
    return bytes(changed)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _read_source(text: str) -> None:
    parse(Draft("").with_text(text))


def _read_input(data: bytes) -> None:
    with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data))):
        read_scores(["-"])


def _write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def _read_json(data: bytes) -> None:
    read_json(data.decode("utf-8", "replace"))


def ways_in(name: str, data: bytes, rng: Random, folder: Path) -> Iterator[Callable[[], object]]:
    """Yield what reads the data, each way in once."""
    text = _text(data)
    if name == "arguments":
        marks = [mark for mark in ("\n", " ", "\x00", ",") if rng.random() < 0.5]
        parts = text.split(rng.choice(marks)) if marks else [text]
        yield lambda: read_scores([part for part in parts if part[:1] != "@" and part != "-"])
    elif name == "source":
        yield lambda: _read_source(text)
    elif name == "matrix":
        yield lambda: read_matrix(text.lstrip("@"), rng.choice(_PARTS))
    elif name == "input":
        yield lambda: _read_input(data)
    elif name.startswith("capture"):
        path = _write(folder / name, data)
        yield lambda: _read_capture(path)
    elif name in FILES:
        path = _write(folder / name, data)
        yield lambda: FILES[name](path)
    elif name == "experiment":
        path = _write(folder / "asked.json", data)
        yield lambda: read_experiment(path)
    else:
        path = _write(folder / f"file{name}", data)
        if name == ".json":
            yield lambda: _read_json(data)
        yield lambda: read_file(path)
        yield lambda: open_draft(path, Setup())
        yield lambda: read_matrix(f"@{path}", rng.choice(_PARTS))


FILES: Mapping[str, Callable[[str], object]] = {
    "config.json": read_expectation,
    "tour.toml": lambda path: read_tour(path, asked_by),
}
"""What reads files that are no scores and no capture."""


def check(read: Callable[[], object]) -> None:
    """Raise AssertionError, or what the reader raised, unless it reads or refuses as it should."""
    refused = None
    try:
        read()
    except InputError as error:
        refused = error
    if refused is not None:
        message = str(refused)
        assert message.isprintable(), message
        assert all((refused.field, refused.problem, refused.expected)), message
        assert len(message) < 1_000, message


def one(number: int, seed: int, corpus: Mapping[str, list[bytes]], folder: Path) -> bytes:
    """Try one mutation, and return it; the same numbers try the same one.

    Raises:
        AssertionError: If it is refused in a wrong way.
        Exception: What a reader let out.
    """
    rng = Random(f"{seed} {number}")
    name = rng.choice(sorted(corpus))
    data = mutated(rng, rng.choice(corpus[name]), corpus[name])
    try:
        for read in ways_in(name, data, rng, folder):
            check(read)
    except Exception as error:
        error.add_note(f"{name}: {data[:2000]!r}")
        raise
    return data


def main() -> None:
    """Try mutations until the time is over; the first failure ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of the one to try")
    given = parser.parse_args()
    corpus = seeds()
    idle, end = peak(), time.monotonic() + given.seconds
    number = given.only or 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            try:
                one(number, given.seed, corpus, Path(folder))
            except Exception:
                sys.stderr.write(f"--seed {given.seed} --only {number}\n")
                raise
            if peak() - idle > MOST_MEMORY:
                sys.exit(f"--seed {given.seed} --only {number} takes {peak() - idle:,} bytes")
            if given.only is not None:
                break
            number += 1
    sys.stdout.write(f"{number:,} tried, {peak() - idle:,} bytes at most, nothing found\n")


if __name__ == "__main__":
    main()
