"""Feeds the commands captures whose numbers are odd; `python -m tests.fuzz_captures --runs 2000`.

Captures of the demo and random small heads get infinities, NaN, zeros, numbers near the ends of
float32 and float64, other formats, other orders of axes and parts that are missing. Each of the
commands may answer or refuse; none may fail, or let a warning through. What fails is printed with
the number that `--only` tries again alone.
"""

import argparse
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

import ml_dtypes
import numpy as np
from click.testing import CliRunner, Result
from numpy.typing import NDArray

from attn_tui.captures.demo import demos, tensors_of
from attn_tui.captures.writer import write_safetensors
from attn_tui.commands.program import program

Tensors = Mapping[str, NDArray[Any]]

_FORMATS = ("float16", "bfloat16", "float32", "float64")
_LAYOUTS = ("bhnd", "bnhd", "hnd", "nhd", "out=bnhd", "q=bnhd")
_ODD = (np.nan, np.inf, -np.inf, 0.0, 1e38, -1e38, 1e280, -1e280, 1e-300, 65504.0)
_FACTORS = (0.0, 1e-300, 1e-30, 1e4, 1e20, 1e38, 1e280, np.inf)


def one(number: int, seed: int, folder: Path) -> None:
    """Run all commands on one capture; the same numbers make the same one.

    Raises:
        AssertionError: If a command fails or warns.
    """
    rng = Random(f"{seed} {number}")
    tensors, metadata = _small_heads(rng) if rng.random() < 0.4 else _of_demo(rng)
    path = str(folder / "odd.safetensors")
    changed = tensors
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        changed = _mutated(rng, changed)
    if not changed:
        return
    write_safetensors(path, changed, metadata)
    options = ["--layout", rng.choice(_LAYOUTS)] if rng.random() < 0.2 else []
    whole = ["--rows", "all"] if rng.random() < 0.3 else []
    check(["doctor", path, *options])
    check(["heads", path, *options, *whole, *rng.choice(([], ["--json"], ["--csv"]))])
    check(["show", "--capture", path, *options])


def check(arguments: list[str]) -> Result:
    """Return what a command comes to.

    Raises:
        AssertionError: If it fails, or lets a warning through.
    """
    with _below() as below, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = CliRunner().invoke(program, arguments)
        below.seek(0)
        printed = below.read()
    assert result.exit_code in (0, 1, 2, 3), f"{arguments}\n{result.stderr}"
    assert not printed, f"{arguments}\n{printed!r}"
    seen = [f"{each.filename}:{each.lineno}: {each.message}" for each in caught]
    assert not seen, f"{arguments}\n{seen[0]}"
    assert not result.stderr or result.exit_code == 2, f"{arguments}\n{result.stderr}"
    return result


@contextmanager
def _below() -> Iterator[BinaryIO]:
    """Give a file of what libraries below Python print meanwhile, as LAPACK does of NaN."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(1), os.dup(2)
        try:
            for number in (1, 2):
                os.dup2(file.fileno(), number)
            yield file
        finally:
            for number, own in zip((1, 2), kept, strict=True):
                os.dup2(own, number)
                os.close(own)


def _small_heads(rng: Random) -> tuple[Tensors, None]:
    """Return random heads in half precision, mostly without values."""
    tensors = half_head(
        rng.getrandbits(32),
        n=rng.randint(1, 12),
        d=rng.choice((1, 2, 4, 8, 16)),
        format=rng.choice((np.float16, ml_dtypes.bfloat16)),
        heads=rng.choice((1, 2)),
        multiplier=rng.choice((None, 1.0, 0.01, 30.0)),
        causal=rng.random() < 0.7,
    )
    return tensors if rng.random() < 0.2 else _without(tensors, "v"), None


def half_head(
    seed: int, n: int, d: int, format: Any, heads: int = 2,
    multiplier: float | None = None, causal: bool = True,
) -> dict[str, NDArray[Any]]:  # fmt: skip
    """Return q, k, v and out of random heads, shape (1, heads, n, d); m is 1/√d unless given."""
    draw = np.random.default_rng(seed).standard_normal
    queries, keys, values = (draw((1, heads, n, d)) for _ in range(3))
    logits = (multiplier or d**-0.5) * queries @ keys.swapaxes(-1, -2)
    if causal:
        logits = np.where(np.tri(n, dtype=bool), logits, -np.inf)
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    made = {"q": queries, "k": keys, "v": values, "out": weights @ values}
    return {part: array.astype(format) for part, array in made.items()}


def _of_demo(rng: Random) -> tuple[Tensors, dict[str, str]]:
    """Return the tensors of one of the demo's captures, of a layer, and its metadata."""
    tensors = _demo(rng.randrange(len([*demos()])))
    layer = rng.choice(sorted({name.partition(".")[0] for name in tensors}))
    own = {name: array for name, array in tensors.items() if name.startswith(f"{layer}.")}
    return own, {"layout": "out=bnhd"}


@cache
def _demo(place: int) -> Tensors:
    return tensors_of([*demos()][place])


def _mutated(rng: Random, tensors: Tensors) -> Tensors:
    """Return tensors of which one is odd, or all are."""
    chosen = rng.choice(sorted(tensors))
    names = list(tensors) if rng.random() < 0.15 else [chosen]
    way = rng.choice(("odd", "odd", "scaled", "format", "axes", "cut", "gone", "same"))
    seed = rng.getrandbits(32)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        changed = {name: _changed(Random(seed), tensors[name], way) for name in names}
    return {**tensors, **changed} if way != "gone" else _without(tensors, chosen)


def _without(tensors: Tensors, name: str) -> dict[str, NDArray[Any]]:
    return {other: each for other, each in tensors.items() if other != name}


def _changed(rng: Random, array: NDArray[Any], way: str) -> NDArray[Any]:
    """Return a tensor that is changed in one way."""
    if way == "format":
        return array.astype(rng.choice(_FORMATS))
    if way == "axes":
        axes = [*range(array.ndim)]
        rng.shuffle(axes)
        return np.ascontiguousarray(array.transpose(axes))
    if way == "cut":
        axis = rng.randrange(array.ndim)
        return np.ascontiguousarray(array.take(range(max(array.shape[axis] - 1, 1)), axis))
    if way == "same":
        return np.full_like(array, rng.choice((0.0, 1.0, -3.0)))
    wide = array.astype(rng.choice(("float32", "float64")))
    if way == "scaled":
        wide = wide * rng.choice(_FACTORS)
    elif way == "odd":
        places = tuple(
            slice(None) if rng.random() < 0.4 else rng.randrange(length) for length in wide.shape
        )
        wide[places] = rng.choice(_ODD)
    return wide.astype(array.dtype) if rng.random() < 0.4 else wide


def main() -> None:
    """Try captures; return 1 if any was answered in a wrong way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of the one to try")
    given = parser.parse_args()
    numbers = range(given.runs) if given.only is None else [given.only]
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            try:
                one(number, given.seed, Path(folder))
            except AssertionError as error:
                faults += 1
                sys.stdout.write(f"--seed {given.seed} --only {number}\n{error}\n")
                sys.stdout.flush()
    sys.stdout.write(f"{len(numbers):,} tried, {faults} faults\n")
    sys.exit(min(faults, 1))


if __name__ == "__main__":
    main()
