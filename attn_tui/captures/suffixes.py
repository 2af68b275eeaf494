"""Which names are those of captures: how they end, and the one of a capture that is made here."""

from pathlib import PurePath

EXAMPLE_NAME = "example"
"""The name of a capture that is no file: it is made when it is read, the same every time."""

SUFFIXES = (".safetensors", ".npz", ".npy")
"""How names of captures end."""


def suffix_of(path: str) -> str:
    """Return how a name ends, in small letters; of the example as if it were a file."""
    return SUFFIXES[0] if path == EXAMPLE_NAME else PurePath(path).suffix.lower()
