"""Rows as lines of CSV."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from attn_tui.files.plain import spelled


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return a line for each row; nothing stands for None, and numbers are spelled as in JSON."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_cell, row) for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else spelled(value)
