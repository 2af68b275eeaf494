"""A question as it stands in the editor: the text as typed and everything else asked."""

import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePath

import numpy as np

from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Kind, Products, Source, Typed
from attn_tui.files.codec import asks, experiment_from_plain
from attn_tui.files.content import opened, read_json, read_text
from attn_tui.files.entries import Entry, expanded, named
from attn_tui.files.paths import folder_of, shown_path
from attn_tui.files.sources import (
    FIELDS,
    KINDS,
    LONGEST,
    MOST_TYPED,
    is_long,
    kind_of,
    part_of,
    products_of,
)


@dataclass(frozen=True)
class Draft:
    """What has been asked so far; the text may not be understood yet.

    Attributes:
        text: Where the scores come from, as typed: in the grammar of the kind of source.
        setup: The rest of the question.
        source: The kind of source.
        others: The texts of other kinds of source, kept for when the user returns to them.
    """

    text: str
    setup: Setup = field(default_factory=Setup)
    source: Kind = "typed"
    others: tuple[tuple[Kind, str], ...] = ()

    def from_source(self, kind: Kind) -> "Draft":
        """Return the draft with scores from another kind of source, as they were there last."""
        if kind == self.source:
            return self
        texts = dict(self.others) | {self.source: self.text}
        text = texts.pop(kind, KINDS[kind].template)
        return replace(self, text=text, source=kind, others=tuple(sorted(texts.items())))

    def asking(self, source: Source) -> "Draft":
        """Return the draft that asks about a source, which is written as text."""
        return replace(self.from_source(source.kind), text=KINDS[source.kind].write(source))

    def typed(self, text: str) -> "Draft":
        """Return the draft with a text of whichever kind of source it is, by how it begins."""
        return self.from_source(kind_of(text)).with_text(text)

    def with_text(self, text: str) -> "Draft":
        """Return the draft with another text; one of too many numbers names a file of them."""
        draft = replace(self, text=text)
        if len(text) > 2 * MOST_TYPED:
            with suppress(InputError):
                source = source_of(draft)
                return self.asking(source) if is_long(source) else draft
        return draft

    def pasted(self, text: str) -> "Draft":
        """Return the draft with other scores: in the grammar of the present kind, or else typed.

        Raises:
            InputError: If they are neither, or there is no answer to them under the setup; as of
                typed ones.
        """
        for kind in (self.source, kind_of(text)):
            with suppress(InputError):
                draft = self.from_source(kind).with_text(text)
                parse(draft)
                return draft
        draft = self.from_source("typed").with_text(text)
        parse(draft)
        return draft


EXAMPLE = Draft("a: 100, 120, 150")
"""The worked example: at d_k = 1024 softmax saturates without the scale and does not with it."""


def parse(draft: Draft) -> Experiment:
    """Return the question a draft asks.

    Raises:
        InputError: If it cannot be asked; where the text is not understood, with its line.
    """
    return Experiment(source_of(draft), draft.setup)


def source_of(draft: Draft) -> Source:
    """Return where the scores come from; the same text gives the same vectors.

    Raises:
        InputError: With field ``"scores"``, ``"draw"`` or ``"query"``, naming the token that is
            not understood, and its line.
    """
    return KINDS[draft.source].read(draft.text)


def draft_of(experiment: Experiment, files: str = "") -> Draft:
    """Return the draft that asks a question, every number exact.

    Args:
        experiment: The question.
        files: A text that names the files its scores were read from, if they were.
    """
    source = experiment.source
    kind = KINDS[source.kind]
    text = "" if files and is_long(source) else kind.write(source)
    if files and not 0 < len(text) <= LONGEST:
        try:
            kind.read(files)
            text = files
        except InputError:
            # The files are not there any more, or others by now.
            text = kind.write(source)
    return Draft(text, experiment.setup, source.kind)


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
    name = shown_path(os.path.abspath(os.path.expanduser(path)))
    source, own = _opened(path)
    files = f"@{name}"
    if isinstance(source, Products):
        parts = {"q": source.queries, "K": source.keys, "V": source.values}
        lines = [f"{part}: @{name}" for part in FIELDS if parts[part] is not None]
        # Of a question that was saved it would be the scores.
        files = "" if own else "\n".join(lines)
    return replace(draft_of(Experiment(source), files), setup=own or setup)


def _opened(path: str) -> tuple[Source, Setup | None]:
    """Return where scores come from, and the rest of the question if the file asks one."""
    from attn_tui.files.formats import SUFFIXES, entries_of, json_entries

    suffix = PurePath(path).suffix.lower()
    with opened(path, "file", SUFFIXES) as file:
        if suffix == ".json":
            plain = read_json(read_text(file))
            if isinstance(plain, dict) and asks(plain):
                experiment = experiment_from_plain(plain, folder=folder_of(path))
                return experiment.source, experiment.setup
            entries = json_entries(plain, PurePath(path).stem)
        else:
            entries = entries_of(file, path)
        products = _products(entries) if suffix in (".json", ".npz") else None
        return products or Typed(named(expanded(entries))), None


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
