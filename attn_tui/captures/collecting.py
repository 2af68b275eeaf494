"""Tensors of several files by layer and part: what names say, and what is joined."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from attn_tui.captures.disk import place_of
from attn_tui.captures.layer import Tensor
from attn_tui.captures.names import PARTS, Meaning, meaning_of, nearest, pattern_of
from attn_tui.captures.stored import Stored
from attn_tui.compute.errors import InputError, inert

WHOLE = ("positions", "lengths")
"""Parts of whole numbers."""

TRUTHS = ("mask",)
"""Parts of truth, whole or real numbers."""

_LAYER = re.compile(r"(?:layer|block)[-_.]?([0-9]{1,6})(?![0-9])", re.IGNORECASE)
_BEFORE_ROPE = ("q_proj", "k_proj")


@dataclass(frozen=True)
class Source:
    """A file, the tensors it lists, and what it says besides."""

    path: str
    tensors: tuple[Stored, ...]
    metadata: Mapping[str, object]


@dataclass(frozen=True)
class Collected:
    """Tensors by layer and part.

    Attributes:
        layers: Of them.
        is_lens: Whether their names are those of TransformerLens.
        said: What is to be said of it, in sentences.
    """

    layers: Mapping[int, Mapping[str, Tensor]]
    is_lens: bool
    said: tuple[str, ...]


def collected(sources: Sequence[Source], names: str) -> Collected:
    """Return the tensors whose names mean something.

    Raises:
        InputError: With field ``"names"`` if none does, or none is as asked; ``"capture"`` if two
            are the same, or one is of a format that cannot be read.
    """
    pattern = pattern_of(names)
    every = [stored.name for source in sources for stored in source.tensors]
    found: dict[Meaning, list[Stored]] = {}
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
            found.setdefault(meaning, []).append(stored)
    if not found or (pattern and not any(map(pattern.fullmatch, every))):
        _refuse_names(every, names)
    tensors: dict[int, dict[str, Tensor]] = {}
    for meaning, pieces in found.items():
        _check_shapes(meaning, pieces)
        once = pieces[:1] if meaning.part in WHOLE else pieces
        tensors.setdefault(meaning.layer, {})[meaning.part] = Tensor(tuple(once))
    said = []
    if over_files:
        said.append("Each file is a layer, by the number in its name.")
    ranks = max(map(len, found.values()))
    if ranks > 1:
        said.append(f"{ranks} files hold the same tensors: ranks, joined on heads in their order.")
    used = [stored for pieces in found.values() for stored in pieces]
    if any(stored.name.endswith(_BEFORE_ROPE) for stored in used):
        said.append("q_proj and k_proj are before RoPE and QK-norm; what attention saw may differ.")
    is_lens = not names and all(".hook_" in stored.name for stored in used)
    return Collected(tensors, is_lens, tuple(said))


def _layers_of_files(sources: Sequence[Source]) -> dict[str, int]:
    """Return the layer of each file, if each has its number in its name and nowhere else."""
    found: dict[str, int] = {}
    if len(sources) < 2:
        return found
    for source in sources:
        number = _LAYER.search(PurePath(source.path).name)
        names = [each.name for each in source.tensors if meaning_of(each.name)]
        if not number or any(re.search("[0-9]", name) for name in names):
            return {}
        found[source.path] = int(number[1])
    return found if len(set(found.values())) == len(sources) else {}


def _preferred(source: Source, meaning: Meaning, one: Stored | None, other: Stored) -> Stored:
    """Return which of two tensors of a file that mean the same is taken."""
    if one is None:
        return other

    def place(stored: Stored) -> tuple[bool, bool]:
        # What was rotated is what attention saw.
        return "rot_" not in stored.name, stored.name.endswith("_proj")

    if place(one) == place(other):
        problem = f"{inert(one.name)} and {inert(other.name)} are both {_called(meaning)}"
        raise InputError("capture", problem, "one, or --names", place_of(source.path))
    return min(one, other, key=place)


def _called(meaning: Meaning) -> str:
    return f"{meaning.layer}.{meaning.part}"


def _check_format(meaning: Meaning, stored: Stored) -> None:
    """Raise InputError if a tensor holds other numbers than its part has."""
    is_real = stored.dtype is not None and "float" in stored.format
    is_whole = stored.dtype is not None and stored.dtype.kind in "iu"
    if meaning.part in WHOLE:
        fits, expected = is_whole, "whole numbers"
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
    """Raise InputError if ranks have tensors of several shapes."""
    first = pieces[0]
    for each in pieces:
        if each.shape != first.shape or each.format != first.format:
            shapes = [f"{'×'.join(map(str, one.shape))} {one.format}" for one in (first, each)]
            problem = f"{_called(meaning)} is {shapes[0]} in one file and {shapes[1]} in another"
            where = place_of(each.path)
            raise InputError("capture", problem, "ranks with as many heads each", where)


def _refuse_names(every: list[str], names: str) -> None:
    if not every:
        raise InputError("capture", "it holds no tensors", f"0.q, 0.k and others of {[*PARTS]}")
    if any(name.endswith(("_proj.weight", "attn.weight")) for name in every):
        problem = "it holds a model's parameters, not what the model computed"
        raise InputError("capture", problem, "q and k of a forward pass, such as 0.q and 0.k")
    if names:
        near = nearest(every, names.replace("{layer}", "0").replace("{part}", "q"))
        problem = f"no tensor is called {inert(names, 80)}"
        raise InputError("names", problem, f"a name such as {near}")
    expected = f"0.q and 0.k, or --names with a name such as {nearest(every, '0.q')}"
    raise InputError("names", "no name of a tensor is known", expected)
