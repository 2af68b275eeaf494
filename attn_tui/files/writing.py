"""Sources as text, every number exact; numbers too many to be edited are attached."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice
from json import dumps
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.source import Drawn, Products, Typed
from attn_tui.files.attachments import Attachment
from attn_tui.files.entries import Entry, held, letters, named, numbered
from attn_tui.files.grammar import read_entries

MOST_TYPED = 2_000
"""Numbers of one vector, or of q, K or V, that stand in a text."""

MOST_IN_TEXT = 10_000
"""Numbers that stand in a text together."""

_BARE = re.compile(r"[^\W\d][\w.\-+*/#@]*(?: [\w.\-+*/#@]+)*(?:\[\d+\])?")
_ROW = re.compile(r"(.+)\[(\d+)\]")


def score_text(score: float) -> str:
    """Return the shortest text that reads back as exactly this score: ``100``, ``-inf``."""
    text = repr(score)
    return text.removesuffix(".0") if isfinite(score) else text


class Writer:
    """Writes sources as text; numbers too many for it are attached, and named there."""

    def __init__(self, attachments: tuple[Attachment, ...]) -> None:
        self._attached = list(attachments)
        self._places: dict[int, int] = {}
        for place, attachment in enumerate(attachments):
            self._places.setdefault(id(attachment.numbers), place)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """What there was, and what has been attached since."""
        return tuple(self._attached)

    def draw(self, source: Drawn) -> str:
        """Return the line of a draw."""
        return f"n = {source.n_keys}, seed = {source.seed}, vectors = {source.count}"

    def typed(self, source: Typed) -> str:
        """Return a line for each vector."""
        return self.entries([Entry(vector.name, vector.scores) for vector in source.scores])

    def compacted(self, text: str, attachments: tuple[Attachment, ...]) -> str:
        """Return the text of typed scores written anew."""
        return self.entries(_named(read_entries(text, attachments, whole=True)))

    def products(self, source: Products) -> str:
        """Return the lines of q, K and V."""
        named = {"q": source.queries, "K": source.keys, "V": source.values}
        lines = [f"{name}: {self.matrix(rows)}" for name, rows in named.items() if rows is not None]
        return "\n".join(lines)

    def matrix(self, rows: NDArray[np.float64]) -> str:
        """Return rows of numbers, a single one without brackets."""
        if self._is_attached(rows) or rows.size > MOST_TYPED:
            return self.token(rows)
        lists = [", ".join(map(score_text, row)) for row in rows.tolist()]
        if len(lists) == 1:
            return lists[0]
        between = ",\n    " if rows.size > 16 else ", "
        return "[" + between.join(f"[{each}]" for each in lists) + "]"

    def entries(self, entries: Sequence[Entry]) -> str:
        """Return a line for each vector; vectors too many together are all attached."""
        apart = [self._is_attached(e.scores) or np.size(e.scores) > MOST_TYPED for e in entries]
        typed = sum(
            len(e.scores) for e, is_apart in zip(entries, apart, strict=True) if not is_apart
        )
        if typed > MOST_IN_TEXT:
            entries = _grouped(entries)
            apart = [True] * len(entries)
        return "\n".join(map(self._line, entries, apart))

    def _line(self, entry: Entry, apart: bool) -> str:
        name = entry.name if _BARE.fullmatch(entry.name) else dumps(entry.name, ensure_ascii=False)
        scores = held(entry.scores)
        text = self.token(scores) if apart else ", ".join(map(score_text, scores.tolist()))
        return f"{name}: {text}" if entry.name else text

    def _is_attached(self, numbers: object) -> bool:
        return id(numbers) in self._places

    def token(self, numbers: NDArray[np.float64]) -> str:
        """Attach numbers, if they are not, and return what names them in a text."""
        if not self._is_attached(numbers):
            self._places[id(numbers)] = len(self._attached)
            self._attached.append(Attachment(numbers))
        place = self._places[id(numbers)]
        size = " × ".join(f"{length:,}" for length in numbers.shape)
        return f"<#{place + 1} {size}{' scores' if numbers.ndim == 1 else ''}>"


def _named(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries with the names their vectors get; matrices keep theirs."""
    rows = [numbered(entry.rows()) for entry in entries]
    names = iter(named(chain.from_iterable(rows)))
    called = [[next(names).name for _ in each] for each in rows]
    return [
        entry if np.ndim(entry.scores) == 2 else replace(entry, name=name)
        for entry, (name, *_) in zip(entries, called, strict=True)
    ]


def _grouped(entries: Sequence[Entry]) -> list[Entry]:
    """Return entries with rows of one length as matrices: ``q[0]``, ``q[1]`` … as ``q``."""
    unnamed = [entry.name for entry in entries] == [*islice(letters(), len(entries))]
    if unnamed and len({np.shape(entry.scores) for entry in entries}) == 1:
        return [Entry("", held(np.stack([held(entry.scores) for entry in entries])))]
    groups: list[list[Entry]] = []
    for entry in entries:
        last = groups[-1] if groups else []
        if last and _continues(last, entry):
            last.append(entry)
        else:
            groups.append([entry])
    return [
        Entry(_ROW.sub(r"\1", group[0].name), held(np.stack([held(e.scores) for e in group])))
        if len(group) > 1
        else group[0]
        for group in groups
    ]


def _continues(group: Sequence[Entry], entry: Entry) -> bool:
    first, row = _ROW.fullmatch(group[0].name), _ROW.fullmatch(entry.name)
    return (
        first is not None
        and row is not None
        and np.ndim(entry.scores) == np.ndim(group[0].scores) == 1
        and (first[1], first[2], row[2]) == (row[1], "0", str(len(group)))
        and len(entry.scores) == len(group[0].scores)
    )
