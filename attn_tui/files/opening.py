"""A file that a user opens: scores, queries and keys, or a whole question."""

import os
from pathlib import PurePath

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products, Source, Typed
from attn_tui.files.codec import asks, experiment_from_plain
from attn_tui.files.draft import Draft
from attn_tui.files.entries import Entry, expanded, named
from attn_tui.files.plain import from_json
from attn_tui.files.readers import SUFFIXES, place_of, read_bytes, text_of, whole_entries
from attn_tui.files.sources import part_of, products_of
from attn_tui.files.tables import json_entries
from attn_tui.files.writing import source_text


def open_draft(path: str, setup: Setup) -> Draft:
    """Return the draft that asks about what a file holds.

    A .json file that ``show --json`` printed asks its own question. Other files hold scores, and
    the setup stays; or, in .npz and .json, queries and a matrix of keys, called q and K.

    Args:
        path: A .npy, .npz, .csv, .json or .txt file.
        setup: What is asked beside the scores.

    Raises:
        InputError: With field ``"file"``, naming the file and the place in it.
    """
    # "-" would be standard input, where the keys of a screen come from.
    path = os.path.join(".", path) if path == "-" else path
    data = read_bytes(path, "file", SUFFIXES)
    try:
        source, setup = _opened(data, path, setup)
    except InputError as error:
        place = place_of(path)
        where = f"{place}, {error.where}" if error.where else place
        raise InputError("file", error.problem, error.expected, where, error.line) from None
    text, attachments = source_text(source)
    return Draft(text, setup, source.kind, attachments)


def _opened(data: bytes, path: str, setup: Setup) -> tuple[Source, Setup]:
    suffix = PurePath(path).suffix.lower()
    if suffix == ".json":
        plain = from_json(text_of(data), "file", "")
        if asks(plain):
            experiment = experiment_from_plain(plain)
            return experiment.source, experiment.setup
        entries = json_entries(plain, PurePath(path).stem)
    else:
        entries = whole_entries(data, path)
    products = _products(entries) if suffix in (".json", ".npz") else None
    return products or Typed(named(expanded(entries))), setup


def _products(entries: list[Entry]) -> Products | None:
    """Return queries, keys and values if these are their names and they fit together."""
    parts = [part_of(entry.name) for entry in entries]
    matrices = {
        part
        for part, entry in zip(parts, entries, strict=True)
        if parts.count(part) > 1 or np.ndim(entry.scores) == 2
    }
    if None in parts or "K" not in matrices:
        return None
    try:
        return products_of(entries)
    except InputError:
        return None
