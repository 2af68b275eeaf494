"""Parts of documents that the program writes, each between two marks that say how."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Generated:
    """A part of a Markdown document.

    Attributes:
        name: What it is, as its marks say.
        module: What writes it when it is run, and the document it is usually run on.
        lines: What stands there.
    """

    name: str
    module: str
    lines: Callable[[], Iterable[str]]

    def put(self, document: str) -> str:
        """Return the document with what stands there now between its two marks."""
        marks = f"<!-- {self.name}: python -m {self.module} -->\n", f"<!-- end of {self.name} -->"
        before, start, rest = document.partition(marks[0])
        _, end, after = rest.partition(marks[1])
        return "\n".join([before + start, *self.lines(), end + after])

    def write(self) -> None:
        """Write it anew into the documents that the command line names."""
        for path in map(Path, sys.argv[1:]):
            path.write_text(self.put(path.read_text("utf-8")), "utf-8")
