"""What a file of arrays on the command line is: a capture of a model's heads, or scores."""

import os
from collections.abc import Sequence

from attn_tui.captures.disk import opened, place_of
from attn_tui.captures.names import meaning_of
from attn_tui.captures.npy import list_npy, list_npz
from attn_tui.captures.stored import Stored
from attn_tui.captures.suffixes import suffix_of
from attn_tui.compute.errors import InputError, inert

LISTS = {".npz": list_npz, ".npy": list_npy}
"""The functions that list the arrays of files that may be either, by suffix."""

MOST_AXES = 2
"""The most axes of an array of scores."""


def is_capture(path: str, names: str = "") -> bool:
    """Return whether a file is a capture; only its header is read.

    Names of tensors that captures use make it one, and so do names that are stated. Any other file
    whose arrays have at most two axes holds scores, or q and K.

    Args:
        path: The path of the file.
        names: What tensors are called, as ``--names`` states it, or nothing.

    Raises:
        InputError: With field ``"scores"``, if it is neither; as readers of captures do, if it
            cannot be read.
    """
    suffix = suffix_of(path)
    if names or suffix not in LISTS:
        return suffix == ".safetensors" or bool(names)
    with opened(os.path.expanduser(path)) as disk:
        arrays = LISTS[suffix](disk).tensors
    if "K" not in {array.name for array in arrays} and any(map(_is_of_head, arrays)):
        return True
    many = next((array for array in arrays if len(array.shape) > MOST_AXES), None)
    if many is not None:
        shape = "×".join(map(str, many.shape))
        problem = f"array {inert(many.name, 60)} is {shape}, and no name is one of a tensor"
        raise InputError(
            "scores", problem,
            "scores of at most two axes; or a capture, with names such as 0.q and 0.k, or --names",
            place_of(path),
        )  # fmt: skip
    return False


def _is_of_head(array: Stored) -> bool:
    return meaning_of(array.name) is not None


def are_scores(argument: str) -> bool:
    """Return whether an argument is the path of a file of scores, as it can be given without @.

    Raises:
        InputError: With field ``"scores"``, if it is a capture or neither.
    """
    if suffix_of(argument) not in LISTS or not os.path.isfile(os.path.expanduser(argument)):
        return False
    if is_capture(argument):
        expected = f"--capture {argument}, or attn-tui heads {argument}"
        raise InputError("scores", "it is a capture of heads", expected, place_of(argument))
    return True


def names_in(arguments: Sequence[str]) -> str:
    """Return what ``--names`` says among the arguments of a command line, or nothing."""
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == "--names":
            following = arguments[place + 1] if place + 1 < len(arguments) else ""
            return value or following
    return ""
