"""Composes the screen from the widgets that changed alone.

Textual 8.2.8 renders every widget in the rectangle around all changes, and a step of d_k changes
something in every corner. What it then sends is the same.
"""

from collections.abc import Iterable

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip


class SparseCompositor(Compositor):
    """Renders the widgets that overlap a change, and no others."""

    _changes: tuple[Region, ...] = ()
    """The regions of the update under way; none while all is rendered."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """Return the changes to write, if any."""
        self._changes = tuple(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._changes = ()

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """Yield the region, the visible region and the lines of widgets, from the front."""
        if not self._changes:
            return super()._get_renders(crop)
        return self._changed_renders()

    def _changed_renders(self) -> Iterable[tuple[Region, Region, list[Strip]]]:
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            changes = [change for change in self._changes if seen.overlaps(change)]
            if not changes:
                continue
            lines = Region.from_union(changes)
            part = seen.intersection(Region(seen.x, lines.y, seen.width, lines.height))
            yield part, clip, widget.render_lines(part.translate(-region.offset))
