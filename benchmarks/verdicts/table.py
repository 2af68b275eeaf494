"""The table: rows are kinds of heads, columns formats and where they are rounded."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.verdicts.judge import OUTCOMES, Judged

SIGNS = {"right": "✓", "no model": "∅", "wrong cause": "✗", "agrees": "=", "silent": "?",
         "refused": "!"}  # fmt: skip
"""Outcomes in a cell, after how many there are."""


@dataclass(frozen=True)
class Line:
    """A capture that was examined.

    Attributes:
        kind: Of its heads.
        fault: What is wrong with it.
        dtype: Of its tensors.
        path: Where they were rounded.
        trained: Whether its heads are a trained model's.
        name: Of its folder.
        command: What was run.
        right: What was right to say, in words.
        judged: What was said.
    """

    kind: str
    fault: str
    dtype: str
    path: str
    trained: bool
    name: str
    command: str
    right: str
    judged: Judged

    @property
    def column(self) -> str:
        """The column of the table it is counted in."""
        return self.dtype if self.dtype == "float32" else f"{self.dtype}, {self.path}"

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong with it."""
        return self.fault == "healthy"


def markdown(lines: Sequence[Line]) -> Iterator[str]:
    """Yield both tables, the summary and the wrong ones."""
    yield "Counts of " + ", ".join(f"{SIGNS[each]} {each}" for each in OUTCOMES) + "."
    healthy = [line for line in lines if line.healthy]
    faulty = [line for line in lines if not line.healthy]
    for title, some, kind in (
        ("Healthy", healthy, lambda line: line.kind),
        ("Faults in heads drawn at random", [each for each in faulty if not each.trained], _fault),
        ("Faults in trained models", [each for each in faulty if each.trained], _fault),
    ):
        if some:
            yield from ("", f"### {title}", "")
            yield from _table([(kind(line), line) for line in some])
    if faulty:
        yield from ("", "### What is said of each fault", "", *_said(faulty))
    yield ""
    yield from _summary(healthy, faulty)
    wrong = [line for line in lines if line.judged.outcome not in _fine(line)]
    if wrong:
        yield from ("", "### Wrong", "")
    for line in wrong:
        yield f"- `{line.command}` ({line.judged.outcome}; right: {line.right}): {line.judged.line}"


def _fault(line: Line) -> str:
    return line.fault


def _fine(line: Line) -> tuple[str, ...]:
    """Return the outcomes that a capture may have."""
    return ("right",) if line.healthy else ("right", "no model")


def _table(some: Iterable[tuple[str, Line]]) -> Iterator[str]:
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    columns: dict[str, None] = {}
    for row, line in some:
        columns[line.column] = None
        counts[row][line.column][line.judged.outcome] += 1
    yield "| | " + " | ".join(columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for row, cells in counts.items():
        yield f"| {row} | " + " | ".join(_cell(cells[column]) for column in columns) + " |"


def _said(faulty: Sequence[Line]) -> Iterator[str]:
    """Yield a table of faults by the causes that are named."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in faulty:
        counts[line.fault][line.judged.said] += 1
    causes = sorted({cause for each in counts.values() for cause in each})
    yield "| | " + " | ".join(causes) + " |"
    yield "|---" * (len(causes) + 1) + "|"
    for fault, each in counts.items():
        yield f"| {fault} | " + " | ".join(str(each[cause] or "") for cause in causes) + " |"


def _cell(count: Counter[str]) -> str:
    return " ".join(f"{count[each]} {SIGNS[each]}" for each in OUTCOMES if count[each])


def _summary(healthy: Sequence[Line], faulty: Sequence[Line]) -> Iterator[str]:
    for title, some in (
        ("healthy", healthy),
        ("faults, drawn at random", [line for line in faulty if not line.trained]),
        ("faults, trained models", [line for line in faulty if line.trained]),
    ):
        if some:
            count = Counter(line.judged.outcome for line in some)
            parts = [f"{count[each]} {each}" for each in OUTCOMES if count[each]]
            share = 100 * count["right"] / len(some)
            yield f"{title}: {len(some)} captures, {', '.join(parts)}; {share:.1f} % right"
            yield ""
