"""The difference of two captures as text: a line to paste first, then a row for each layer."""

from collections.abc import Iterator

from attn_tui.compute.numbers import fixed
from attn_tui.diffing.difference import TENSORS, DiffReport, LayerDifference
from attn_tui.diffing.sentences import main_group, name, notes, unit_text, verdict_line
from attn_tui.doctor.text import LABEL, capture_lines, evidence, first_line
from attn_tui.report.rows import labelled

_COLUMN = 11
"""The width of a column of numbers."""
_MOST = 100
"""The most layers to list."""


def render(difference: DiffReport, width: int | None = None) -> Iterator[str]:
    """Yield the verdict, then lines of at most 80 columns.

    Args:
        difference: What differs.
        width: The width at which the verdict is wrapped, in columns; None for one line, however
            long.
    """
    yield first_line(verdict_line(difference), width)
    yield from capture_lines("REFERENCE", difference.reference)
    if difference.port is not None:
        yield from capture_lines("PORT", difference.port)
    yield labelled("took", f"{fixed(difference.elapsed, 1)} s", LABEL)
    for sentence in notes(difference):
        yield labelled("note", sentence, LABEL)
    if difference.layers:
        yield "\n" + _row("", "attention", TENSORS) + "\n"
    for layer in difference.layers[:_MOST]:
        yield _row(f"layer {layer.layer}", layer.verdict, [*map(_number, _largest(layer))]) + "\n"
    if difference.layers[_MOST:]:
        yield labelled("and", f"{len(difference.layers) - _MOST:,} more: --json has all", LABEL)
    if difference.layers:
        yield labelled("", f"the largest difference, in units of {_formats(difference)}", LABEL)
    first = difference.first
    if first is not None and not first.reason:
        yield f"\nPORT, {name(first)}, beside what REFERENCE computes:\n"
        yield from evidence(main_group(first.ports).first)


def _row(title: str, verdict: str, texts: "list[str] | tuple[str, ...]") -> str:
    """Return a line of the table."""
    numbers = "".join(f"{text:>{_COLUMN}}" for text in texts)
    return f"{title:{LABEL}}{verdict:{LABEL}}{numbers}".rstrip()


def _largest(layer: LayerDifference) -> list[float | None]:
    """Return how far each tensor differs in a layer."""
    return [layer.largest(part) for part in TENSORS]


def _number(largest: float | None) -> str:
    """Return a number of units, or a dash if a tensor is not compared."""
    return "–" if largest is None else unit_text(largest)


def _formats(difference: DiffReport) -> str:
    """Return the number formats whose units stand in the table."""
    names = dict.fromkeys(
        one.format
        for layer in difference.layers
        for head in layer.heads
        for one in head.distances.values()
    )
    return " or ".join(names) or "no format"
