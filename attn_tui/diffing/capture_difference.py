"""What differs between two captures, as a value for Python that prints itself."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from attn_tui.diffing import json as diff_json
from attn_tui.diffing.difference import DiffReport
from attn_tui.diffing.sentences import verdict_line, why
from attn_tui.diffing.text import render


@dataclass(frozen=True, eq=False, repr=False)
class CaptureDifference(DiffReport):
    """What differs between two captures of one model: it prints what ``attn-tui diff`` prints."""

    @cached_property
    def line(self) -> str:
        """The verdict and what it rests on, in one line to paste into an issue."""
        return verdict_line(self)

    @property
    def why(self) -> tuple[str, ...]:
        """The sentences behind the verdict, the most important first."""
        return (self.line.partition(": ")[2], *why(self))

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict for each head, as pandas and polars make a table of."""
        return [diff_json.head_row(layer, head) for layer in self.layers for head in layer.heads]

    def to_dict(self) -> dict[str, Any]:
        """Return what ``attn-tui diff --json`` prints, as ``docs/json.md`` explains it."""
        plain: dict[str, Any] = json.loads("".join(diff_json.render(self)))
        return plain

    def __str__(self) -> str:
        return "".join(render(self)).rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.line}>"
