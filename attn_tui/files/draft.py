"""A question as it stands in the editor: the text as typed, and the setup."""

import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import BinaryIO

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Source
from attn_tui.files.content import opened, read_json, read_text
from attn_tui.files.grammar import MOST_TYPED, Entry, is_long
from attn_tui.files.paths import path_text
from attn_tui.files.sources import FIELDS, VectorPart, part_of, source_of, text_of


@dataclass(frozen=True)
class Draft:
    """A question that may not be readable yet.

    Attributes:
        text: The source of the scores, as typed.
        setup: The rest of the question.
    """

    text: str
    setup: Setup = field(default_factory=Setup)

    def asking(self, source: Source) -> "Draft":
        """Return this draft with another source, written as text."""
        return replace(self, text=text_of(source))

    def with_text(self, text: str) -> "Draft":
        """Return this draft with another text; too many numbers move to a file that it names."""
        draft = replace(self, text=text)
        if len(text) > 2 * MOST_TYPED:
            with suppress(InputError):
                source = source_of(text)
                return self.asking(source) if is_long(source) else draft
        return draft


EXAMPLE = Draft("a: 100, 120, 150")
"""The worked example: at d_k = 1024 softmax saturates without the scale, and not with it."""


def parse(draft: Draft) -> Experiment:
    """Return the experiment a draft describes; the same text gives the same vectors.

    Raises:
        InputError: If it cannot be asked; with a line, if the text is not understood.
    """
    return Experiment(source_of(draft.text), draft.setup)


def draft_of(experiment: Experiment) -> Draft:
    """Return the draft that describes an experiment, with every number exact."""
    return Draft(text_of(experiment.source), experiment.setup)


def open_draft(path: str, setup: Setup) -> Draft:
    """Return the draft that opens a file.

    A .json file that ``show --json`` printed brings its own setup. Other files hold scores, or, in
    .npz and .json, queries and a matrix of keys called q and K; the setup stays.

    Args:
        path: A .npy, .npz, .csv, .json or .txt file.
        setup: The present setup.

    Raises:
        InputError: With field ``"file"``, naming the file and the place in it.
    """
    from attn_tui.files.formats import SUFFIXES, read_file

    # Elsewhere "-" means standard input, which the screen reads its keys from.
    path = os.path.join(".", path) if path == "-" else path
    name = os.path.abspath(os.path.expanduser(path))
    suffix = PurePath(path).suffix.lower()
    with opened(path, "file", SUFFIXES) as file:
        question = _question_of(file, name) if suffix == ".json" else None
    if question:
        return draft_of(question)
    try:
        parts = _parts_of(read_file(path)) if suffix in (".json", ".npz") else ()
        if parts:
            text = "\n".join(f"{part}: @{path_text(name)}" for part in FIELDS if part in parts)
            with suppress(InputError):
                return Draft(text_of(source_of(text)), setup)
        return Draft(text_of(source_of(f"@{path_text(name)}")), setup)
    except InputError as error:
        raise replace(error, field="file") from None


def _question_of(file: BinaryIO, name: str) -> Experiment | None:
    """Return the experiment in a JSON file, if it holds one."""
    # Imported here so that starting the program does not wait for it.
    from attn_tui.files.codec import asks, experiment_from_plain, kept_in

    plain = read_json(read_text(file))
    return kept_in(name, experiment_from_plain(plain)) if asks(plain) else None


def _parts_of(entries: list[Entry]) -> tuple[VectorPart | None, ...]:
    """Return which of q, K and V each entry is, if they are queries and a matrix of keys."""
    parts = tuple(part_of(entry.name) for entry in entries)
    keys = [entry for entry, part in zip(entries, parts, strict=True) if part == "K"]
    is_matrix = len(keys) > 1 or any(np.ndim(entry.scores) == 2 for entry in keys)
    return parts if None not in parts and "q" in parts and is_matrix else ()
