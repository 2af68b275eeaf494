"""Reports that were saved as JSON, read back: the question, and the numbers as arrays."""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from attn_tui import __version__
from attn_tui.captures.disk import place_of
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.text import counted
from attn_tui.files.codec import (
    SCHEMA,
    experiment_from_plain,
    experiment_to_plain,
    kept_in,
    report_text,
)
from attn_tui.files.content import opened, read_json, read_text
from attn_tui.files.values import SPELLINGS, shown
from attn_tui.report.export import write_atomically

NOTHING_ASKED = "what show, dot, sweep, attention, heads or claim prints with --json"


@dataclass(frozen=True, eq=False, repr=False)
class SavedReport:
    """A report that the screen saved, or that a command printed with ``--json``.

    Attributes:
        path: The file.
        plain: The JSON as it stands, by name.
    """

    path: str
    plain: dict[str, Any]

    @property
    def headline(self) -> str:
        """What the program says first.

        Of the doctor it is the sentence behind its verdict, and of several claims their number.
        """
        claims: list[dict[str, Any]] = self.plain.get("claims") or []
        if len(claims) > 1:
            return counted(len(claims), "claim")
        why: list[str] = self.plain.get("why") or [""]
        first, *_ = [*claims, self.plain]
        return str(first.get("headline") or why[0])

    @cached_property
    def experiment(self) -> Experiment:
        """The question, which `attn_tui.answer` answers again.

        Raises:
            InputError: If the file has none, as that of a diagnosis, or if it is about a capture
                that cannot be read any more.
        """
        asked = self.plain.get("experiment")
        claims = self.plain.get("claims") or []
        if asked is None and len(claims) == 1:
            asked = claims[0].get("experiment")
        if asked is None:
            raise InputError("experiment", "the file has none", NOTHING_ASKED, place_of(self.path))
        return kept_in(self.path, experiment_from_plain({"schema": SCHEMA, "experiment": asked}))

    @cached_property
    def numbers(self) -> dict[str, Any]:
        """The numbers by the names of ``docs/json.md``.

        Lists of numbers are arrays, in which ``"NaN"``, ``"Infinity"`` and ``"-Infinity"`` are
        numbers again; a list that has null in it stays a list, with None.
        """
        numbers: dict[str, Any] = _numbers(self.plain)
        return numbers

    def __repr__(self) -> str:
        return f"SavedReport({self.path!r}: {self.headline})"


def load(path: "str | os.PathLike[str]") -> SavedReport:
    """Return a report that the screen saved with ``s``, or that a command printed with ``--json``.

    Args:
        path: The .json file.

    Raises:
        InputError: If the file cannot be read, or is none of these.
    """
    name = os.fspath(path)
    with opened(name, "path") as file:
        plain = read_json(read_text(file))
        schema = plain.get("schema") if isinstance(plain, dict) else None
        if schema != SCHEMA:
            problem = "it has no schema" if schema is None else f"its schema is {shown(schema)}"
            raise InputError("path", problem, f'JSON of attn-tui, whose schema is "{SCHEMA}"')
    return SavedReport(name, plain)


def save(experiment: Experiment, path: "str | os.PathLike[str]") -> None:
    """Write a question to a .json file, which ``attn-tui --experiment FILE`` opens on the screen.

    Args:
        experiment: The question.
        path: The file; one that exists is replaced.

    Raises:
        InputError: If it is no experiment, or the file cannot be written.
    """
    if not isinstance(experiment, Experiment):
        raise InputError("experiment", f"{inert(repr(experiment))} is none", "an Experiment")
    plain = {"version": __version__, "experiment": experiment_to_plain(experiment)}
    write_atomically(os.fspath(path), report_text(plain))


def _numbers(value: Any) -> Any:
    """Return JSON with its numbers as numbers, and lists of numbers as arrays."""
    if isinstance(value, dict):
        return {name: _numbers(inner) for name, inner in value.items()}
    if isinstance(value, str):
        return SPELLINGS.get(value, value)
    if not isinstance(value, list):
        return value
    items = [_numbers(item) for item in value]
    kinds = {type(item) for item in items}
    if kinds and kinds <= {int, float}:
        return np.array(items)
    rows = {item.shape for item in items} if kinds == {np.ndarray} else set()
    return np.array(items) if len(rows) == 1 else items
