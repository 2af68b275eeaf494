"""Composes a change of the screen from the cells that changed alone.

Textual 8.2.8 renders every widget in the rectangle around all changes, and a step of d_k changes
something in every corner. Here each changed stretch of a line is that of the widget in front of it;
what is behind is not asked. The cells that are sent are the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from rich.console import Console
from rich.segment import Segment
from textual._compositor import Compositor, CompositorUpdate
from textual.color import Color
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from attn_tui.ui.terminal.direct import BindingsOnly

Stretch = tuple[int, int, int]
"""A line, its first column, and the column after the last."""


class Spanned(BindingsOnly):
    """A widget that renders parts of its lines, too."""

    _behind: Color | None = None
    """The colour behind it, cached because Textual is slow to compute it."""

    def notify_style_update(self) -> None:
        """Ask for the colour again, since it may have changed."""
        super().notify_style_update()
        self._behind = None

    def spans(self, parts: Sequence[Stretch]) -> Sequence[Strip | None]:
        """Return parts of lines, counted in the widget; None where one has to be a whole line."""
        return [None] * len(parts)

    def filtered(self, parts: Iterable[list[Segment]]) -> Iterator[Strip]:
        """Yield parts of lines with the filters of all lines applied."""
        behind = self._behind = self._behind or self.background_colors[1]
        filters = self.get_line_filters()
        for segments in parts:
            for line_filter in filters:
                segments = line_filter.apply(segments, behind)
            yield Strip(segments)


class SpansUpdate(CompositorUpdate):
    """Stretches of lines to write.

    Args:
        strips: Each with its line and its first column.
    """

    def __init__(self, strips: Sequence[tuple[int, int, Strip]]) -> None:
        self.strips = strips

    def render_segments(self, console: Console) -> str:
        """Return the data that writes them."""
        return "".join(
            f"\x1b[{y + 1};{x + 1}H{strip.render(console)}" for y, x, strip in self.strips
        )


class SparseCompositor(Compositor):
    """Renders the lines of widgets that changed, and no others."""

    # Textual's own returns its own kind of update.
    def render_partial_update(self) -> CompositorUpdate | None:  # type: ignore[override]
        """Return the changes to write, if any."""
        screen = self.size.region
        changes = [change.intersection(screen) for change in self._dirty_regions]
        self._dirty_regions.clear()
        spans_of: defaultdict[tuple[Widget, Region], list[Stretch]] = defaultdict(list)
        for span in self._regions_to_spans(changes):
            for widget, region, part in self._in_front(span):
                spans_of[widget, region].append(part)
        strips = [
            strip
            for (widget, region), spans in spans_of.items()
            for strip in rendered(widget, region, spans)
        ]
        # In the order of the screen, the cursor moves least.
        return SpansUpdate(sorted(strips, key=itemgetter(0, 1))) if strips else None

    def _in_front(self, span: Stretch, place: int = 0) -> Iterator[tuple[Widget, Region, Stretch]]:
        """Yield the widgets in front within a span, each with its region and its part of the span.

        Args:
            span: The span.
            place: How many widgets of the line, from the front, do not overlap it.
        """
        y, start, stop = span
        if start >= stop:
            return
        widgets = self.layers_visible[y]
        for number in range(place, len(widgets)):
            widget, seen, region = widgets[number]
            first, last = max(start, seen.x), min(stop, seen.right)
            if first < last:
                yield widget, region, (y, first, last)
                yield from self._in_front((y, start, first), number + 1)
                yield from self._in_front((y, last, stop), number + 1)
                return


def rendered(
    widget: Widget, region: Region, spans: Sequence[Stretch]
) -> Iterator[tuple[int, int, Strip]]:
    """Yield spans of a widget, each with its line and its first column on the screen.

    Args:
        widget: The widget.
        region: Where it is on the screen.
        spans: The spans, in the order of lines.
    """
    left, top = region.offset
    missing = spans
    if isinstance(widget, Spanned):
        missing = []
        parts = widget.spans([(y - top, start - left, stop - left) for y, start, stop in spans])
        for span, strip in zip(spans, parts, strict=True):
            if strip is None:
                missing.append(span)
            else:
                yield span[0], span[1], strip
    first = 0
    for place, (y, _, _) in enumerate(missing, 1):
        if place < len(missing) and missing[place][0] <= y + 1:
            continue
        begin = missing[first][0]
        lines = widget.render_lines(Region(0, begin - top, region.width, y + 1 - begin))
        for line, start, stop in missing[first:place]:
            yield line, start, lines[line - begin].crop(start - left, stop - left)
        first = place
