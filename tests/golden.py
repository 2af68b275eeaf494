"""Texts and pictures kept to be read in review; with GOLDEN=1 set the files are written anew."""

import os
from pathlib import Path


def compare(path: Path, text: str) -> None:
    """Check a text against the kept one, or keep it."""
    if os.environ.get("GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def compare_names(folder: Path, names: set[str]) -> None:
    """Check that a folder holds these files and no others, or take the others away."""
    others = [path for path in folder.iterdir() if path.name not in names]
    if os.environ.get("GOLDEN"):
        for path in others:
            path.unlink()
        return
    assert not others
