"""The names of captures: their suffixes, and the name of the example."""

from pathlib import PurePath

EXAMPLE_NAME = "example"
"""The name of the example, which is no file: it is made when it is read, always the same."""

SUFFIXES = (".safetensors", ".npz", ".npy")
"""The suffixes of capture files."""


def suffix_of(path: str) -> str:
    """Return the suffix of a path in lower case; for the example, that of .safetensors files."""
    return SUFFIXES[0] if path == EXAMPLE_NAME else PurePath(path).suffix.lower()
