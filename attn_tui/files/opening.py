"""A file that a user opens: scores, queries and keys, or a whole question."""

import os
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import PurePath
from typing import BinaryIO

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products, Source, Typed
from attn_tui.files.codec import asks, experiment_from_plain
from attn_tui.files.content import opened, read_text
from attn_tui.files.draft import Draft, parse
from attn_tui.files.entries import Entry, expanded, named
from attn_tui.files.json import read_json
from attn_tui.files.kinds import source_text
from attn_tui.files.origin import origin_of
from attn_tui.files.paths import folder_of
from attn_tui.files.readers import SUFFIXES, whole_entries
from attn_tui.files.sources import part_of, products_of
from attn_tui.files.tables import json_entries
from attn_tui.files.watch import Watch, unwatched


def open_draft(path: str, setup: Setup, watch: Watch = unwatched) -> Draft:
    """Return the draft that asks about what a file holds.

    A .json file that ``show --json`` printed asks its own question. Other files hold scores, and
    the setup stays; or, in .npz and .json, queries and a matrix of keys, called q and K.

    Args:
        path: A .npy, .npz, .csv, .json or .txt file.
        setup: What is asked beside the scores.
        watch: Called between steps, from the thread that calls; what it raises is let out.

    Raises:
        InputError: With field ``"file"``, naming the file and the place in it.
        Stopped: If the watch raised it.
    """
    # "-" would be standard input, where the keys of a screen come from.
    path = os.path.join(".", path) if path == "-" else path
    origin = origin_of((), (path,))
    with opened(path, "file", SUFFIXES) as file:
        source, asked = _opened(file, path, watch)
    watch(0.0)
    text, attachments = source_text(source)
    origin = replace(origin.of(source.kind, text), arguments=_arguments(path, source, asked))
    draft = Draft(text, asked or setup, source.kind, attachments, origin)
    watch(0.0)
    # Read once here, where it may take its time: what is read again is found in the caches.
    with suppress(InputError):
        parse(draft)
    watch(1.0)
    return draft


def _opened(file: BinaryIO, path: str, watch: Watch) -> tuple[Source, Setup | None]:
    """Return where scores come from, and the rest of the question if the file asks one."""
    suffix = PurePath(path).suffix.lower()
    if suffix == ".json":
        text = read_text(file)
        watch(0.0)
        plain = read_json(text)
        watch(0.0)
        if asks(plain):
            experiment = experiment_from_plain(plain, folder=folder_of(path))
            return experiment.source, experiment.setup
        entries = json_entries(plain, PurePath(path).stem)
    else:
        entries = whole_entries(file, path)
    watch(0.0)
    products = _products(entries) if suffix in (".json", ".npz") else None
    return products or Typed(named(expanded(entries))), None


def _arguments(path: str, source: Source, asked: Setup | None) -> tuple[str, ...]:
    """Return what of a command line reads the same scores from a file."""
    if isinstance(source, Products) and not asked:
        options = ("--query", "--keys", "--values" * (source.values is not None))
        return tuple(chain.from_iterable((each, f"@{path}") for each in options if each))
    return (f"@{path}",) if isinstance(source, Typed) else ("--experiment", path)


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
