"""Collect the tensors of several files by layer and part, and join those of ranks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from attn_tui.captures.disk import place_of
from attn_tui.captures.layer import Tensor
from attn_tui.captures.names import PARTS, Meaning, meaning_of, nearest, pattern_of
from attn_tui.captures.stored import Stored
from attn_tui.compute.errors import InputError, inert

UNDIVIDED = ("positions", "lengths")
"""The parts that hold whole numbers."""

TRUTHS = ("mask",)
"""The parts that hold truth values, whole or real numbers."""

_LAYER = re.compile(r"(?:layer|block)[-_.]?([0-9]{1,6})(?![0-9])", re.IGNORECASE)
_BEFORE_ROPE = ("q_proj", "k_proj")


@dataclass(frozen=True)
class TensorFile:
    """A file, the tensors it lists, and its metadata."""

    path: str
    tensors: tuple[Stored, ...]
    metadata: Mapping[str, object]


@dataclass(frozen=True)
class Collected:
    """Tensors by layer and part.

    Attributes:
        layers: The tensors by part, by the number of the layer.
        is_lens: Whether their names are those of TransformerLens.
        remarks: Sentences on how files and names were understood.
    """

    layers: Mapping[int, Mapping[str, Tensor]]
    is_lens: bool
    remarks: tuple[str, ...]


def collected(sources: Sequence[TensorFile], names: str) -> Collected:
    """Return the tensors whose names are known.

    Raises:
        InputError: With field ``"names"`` if no name is known, or none is as typed; ``"capture"``
            if two mean the same, or one is of a format that cannot be read.
    """
    pattern = pattern_of(names)
    every = [stored.name for source in sources for stored in source.tensors]
    by_meaning: dict[Meaning, list[Stored]] = {}
    over_files = _layers_of_files(sources)
    for source in sources:
        here: dict[Meaning, Stored] = {}
        for stored in source.tensors:
            meaning = meaning_of(stored.name, pattern)
            if meaning and source.path in over_files:
                meaning = meaning._replace(layer=over_files[source.path])
            if meaning:
                here[meaning] = _preferred(source, meaning, here.get(meaning), stored)
        for meaning, stored in here.items():
            _check_format(meaning, stored)
            by_meaning.setdefault(meaning, []).append(stored)
    if not by_meaning or (pattern and not any(map(pattern.fullmatch, every))):
        _refuse_names(every, names)
    tensors: dict[int, dict[str, Tensor]] = {}
    for meaning, pieces in by_meaning.items():
        _check_shapes(meaning, pieces)
        once = pieces[:1] if meaning.part in UNDIVIDED else pieces
        tensors.setdefault(meaning.layer, {})[meaning.part] = Tensor(tuple(once))
    remarks = []
    if over_files:
        remarks.append("Each file is a layer, by the number in its name.")
    ranks = max(map(len, by_meaning.values()))
    if ranks > 1:
        remarks.append(
            f"{ranks} files hold the same tensors: ranks, joined on heads in their order."
        )
    used = [stored for pieces in by_meaning.values() for stored in pieces]
    if any(stored.name.endswith(_BEFORE_ROPE) for stored in used):
        remarks.append(
            "q_proj and k_proj are before RoPE and QK-norm; what attention saw may differ."
        )
    is_lens = not names and all(".hook_" in stored.name for stored in used)
    return Collected(tensors, is_lens, tuple(remarks))


def _layers_of_files(sources: Sequence[TensorFile]) -> dict[str, int]:
    """Return the layer of each file, if only file names hold its number; else nothing."""
    layers: dict[str, int] = {}
    if len(sources) < 2:
        return layers
    for source in sources:
        number = _LAYER.search(PurePath(source.path).name)
        names = [stored.name for stored in source.tensors if meaning_of(stored.name)]
        if not number or any(re.search("[0-9]", name) for name in names):
            return {}
        layers[source.path] = int(number[1])
    return layers if len(set(layers.values())) == len(sources) else {}


def _preferred(source: TensorFile, meaning: Meaning, one: Stored | None, other: Stored) -> Stored:
    """Return the one to take of two tensors of a file that mean the same."""
    if one is None:
        return other

    def place(stored: Stored) -> tuple[bool, bool]:
        # Attention got the rotated tensor.
        return "rot_" not in stored.name, stored.name.endswith("_proj")

    if place(one) == place(other):
        problem = f"{inert(one.name)} and {inert(other.name)} are both {_called(meaning)}"
        raise InputError("capture", problem, "one, or --names", place_of(source.path))
    return min(one, other, key=place)


def _called(meaning: Meaning) -> str:
    return f"{meaning.layer}.{meaning.part}"


def _check_format(meaning: Meaning, stored: Stored) -> None:
    """Raise InputError if a tensor holds other numbers than its part should, or none."""
    is_real = stored.dtype is not None and "float" in stored.format
    is_integer = stored.dtype is not None and stored.dtype.kind in "iu"
    if meaning.part in UNDIVIDED:
        fits, expected = is_integer, "whole numbers"
    elif meaning.part in TRUTHS:
        fits, expected = stored.dtype is not None, "truth values, or what is added to logits"
    else:
        fits, expected = is_real, "bfloat16, float16, float32, float64 or float8"
    if fits and stored.size:
        return
    where = f"{place_of(stored.path)}, {inert(stored.name)}"
    if not fits:
        raise InputError("capture", f"it holds {stored.format}", expected, where)
    raise InputError("capture", "it holds no numbers", "at least one", where)


def _check_shapes(meaning: Meaning, pieces: Sequence[Stored]) -> None:
    """Raise InputError if the tensors of ranks differ in shape or format."""
    first = pieces[0]
    for piece in pieces:
        if piece.shape != first.shape or piece.format != first.format:
            shapes = [f"{'×'.join(map(str, one.shape))} {one.format}" for one in (first, piece)]
            problem = f"{_called(meaning)} is {shapes[0]} in one file and {shapes[1]} in another"
            where = place_of(piece.path)
            raise InputError("capture", problem, "ranks with as many heads each", where)


def _refuse_names(every: list[str], names: str) -> None:
    if not every:
        raise InputError("capture", "it holds no tensors", f"0.q, 0.k and others of {[*PARTS]}")
    if any(name.endswith(("_proj.weight", "attn.weight")) for name in every):
        problem = "it holds a model's parameters, not what the model computed"
        raise InputError("capture", problem, "q and k of a forward pass, such as 0.q and 0.k")
    if names:
        closest = nearest(every, names.replace("{layer}", "0").replace("{part}", "q"))
        problem = f"no tensor is called {inert(names, 80)}"
        raise InputError("names", problem, f"a name such as {closest}")
    expected = f"0.q and 0.k, or --names with a name such as {nearest(every, '0.q')}"
    raise InputError("names", "no name of a tensor is known", expected)
