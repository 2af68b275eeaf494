"""How much is read at most; each limit is checked before what would pass it is held."""

from attn_tui.compute.errors import InputError

LARGEST_TEXT = 64 * 2**20
"""Bytes of JSON, a table or another text: in a file, or on standard input."""

LARGEST_ARRAYS = 512 * 2**20
"""Bytes of the arrays of an .npz file together, unpacked, or of .npy data on standard input."""

LARGEST_TOML = 2**20
"""Bytes of a TOML file, which somebody has typed."""

MOST_SCORES = 16_000_000
"""Scores of one question, over all its vectors."""

MOST_VECTORS = 10_000
"""Vectors of one question."""

MOST_ROWS = 100_000
"""Rows of q, K and V together, as text."""

MOST_CELLS = 100_000
"""Cells in one row of a table."""

MOST_TOKENS = 20_000_000
"""Runs of numbers, words, brackets, separators and lines of a text."""

MOST_OPEN = 100_000
"""Brackets of a text that are open at a time."""

MOST_LISTS = 250_000
"""Lists and objects of a JSON text."""

LONGEST_WORD = 10_000
"""Characters of one number, word or string of a text."""

LONGEST_ROW = 4_000_000
"""Characters of one row of a table."""


def check_most(count: int, most: int, things: str, expected: str, line: int = 0) -> None:
    """Raise InputError, with field ``"scores"``, if there are more things than may be."""
    if count > most:
        where = f"line {line}" if line else ""
        problem = f"there are more than {most:,} {things}"
        raise InputError("scores", problem, expected, where, line)
