"""Queries, keys or values alone: typed, or in a file."""

from attn_tui.compute.arrays import Floats
from attn_tui.compute.errors import InputError, inert
from attn_tui.files.content import place_of
from attn_tui.files.entries import NUMBERS, Entry
from attn_tui.files.grammar import read_entries
from attn_tui.files.limits import MOST_ROWS
from attn_tui.files.readers import read_whole
from attn_tui.files.sources import FIELDS, FINITE, Part, matrix_of, part_of


def read_matrix(argument: str, part: Part) -> Floats:
    """Return the rows that text holds, or the file it names after ``@``.

    Of a file with several arrays it is the one whose name means the part.

    Raises:
        InputError: With field ``"query"``, ``"keys"`` or ``"values"``.
    """
    is_file = argument.startswith("@")
    try:
        if is_file:
            return matrix_of(part, _chosen(read_whole(argument[1:]), part))
        return matrix_of(part, _chosen(read_entries(argument, most=MOST_ROWS), part))
    except InputError as error:
        where = error.where or (place_of(argument[1:]) if is_file else "")
        expected = FINITE if error.expected == NUMBERS else error.expected
        raise InputError(FIELDS[part], error.problem, expected, where, error.line) from None


def _chosen(entries: list[Entry], part: Part) -> list[Entry]:
    """Return the rows that are meant, if others are there too."""
    if not entries:
        raise InputError("", "there are none", "at least one row")
    own = [entry for entry in entries if entry.name and part_of(entry.name) == part]
    names = {entry.name.partition("[")[0] for entry in entries if not entry.shared} - {""}
    if own or len(names) < 2:
        return own or entries
    raise InputError("", f"it holds {inert(', '.join(sorted(names)))}", f"one named {part}")
