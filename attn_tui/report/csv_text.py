"""Rows as lines of CSV."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return a line for each row; nothing stands for None."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
