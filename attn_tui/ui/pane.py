"""A pane: a region with a round border, a title, and its origin at the lower right."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Self

from rich.segment import Segment
from textual.containers import Container
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from attn_tui.report.rows import cells
from attn_tui.ui.keymap import shown_key
from attn_tui.ui.markup import plain
from attn_tui.ui.terminal.compositor import Spanned, Stretch

SEPARATOR = re.compile(r": |, | over d_k$")
"""What stands between the parts of a title, and a part that its chart says as well."""

TAG = re.compile(r"\[[^\]]*\]")
"""Markup, of which only what stands between is shown."""

NO_LITERAL = re.compile(r"[\\\t\n]")
"""What Textual shows otherwise than it is written."""


class Pane(Container, Spanned):
    """Holds widgets behind a border with a title.

    Args:
        title: What it shows.
        key: The key that acts on it, which its title shows; or nothing.
        binding: The id of the binding that has this key, unless somebody has given it another.
        id: The id of the widget.
        classes: The classes of the widget.
        widgets: The widgets inside it.
    """

    ALLOW_MAXIMIZE = True

    def __init__(
        self,
        title: str,
        *widgets: Widget,
        key: str = "",
        binding: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        self._key, self._binding = key, binding
        self._heading = title
        self._changed: tuple[Region, ...] = ()
        """The lines of the border that change."""
        self._described: tuple[str, ...] = ()
        self._short = ""
        """What stands in place of the subtitles that do not fit."""
        self._title = ""
        """The title of a pane that nobody describes."""
        self._written = ("", "")
        """Title and subtitle as they were set: Textual rewrites their markup."""
        self._last_line: Sequence[Segment] = ()
        """The line with the subtitle as Textual rendered it: another one has its looks."""
        self._form: tuple[Sequence[str], int] | None = None
        """The markup of that subtitle, and into how many texts it parts it."""
        super().__init__(*widgets, id=id, classes=classes)
        self.border_title = self.headed(title)

    def headed(self, title: str) -> str:
        """Return a title with the key of the pane marked, which may be its first letter."""
        key = self.key
        if not key:
            return title
        is_first = title.startswith(key)
        rest = title.removeprefix(key) if is_first else f" {title}"
        return f"[b $mark]{plain(key)}[/]{rest}"

    @property
    def key(self) -> str:
        """The key that acts on it, as it is shown; nothing if there is none."""
        return shown_key(self, self._binding, self._key)

    def on_mount(self) -> None:
        """Make the pane focusable if nothing inside is, so that help and full view can reach it."""
        self.can_focus = not any(widget.can_focus for widget in self.query("*"))
        if self.key != self._key:
            self.border_title = self.headed(self._heading)
        self._title = self.border_title or ""

    def describe(self, title: str, *subtitles: str, short: str = "") -> None:
        """Set title and subtitle, and repaint the lines of the border that change.

        Args:
            title: What it shows; parts after a colon or a comma are left out if they do not fit.
            subtitles: How it was made; if not all fit, the first are left out, and of the last one
                what stands after a comma.
            short: A shorter text that stands there if even the last does not fit.
        """
        self._described = (title, *subtitles)
        self._short = short
        self._write()

    def has_room_for(self, title: str) -> bool:
        """Return whether the border has room for a title, with its key."""
        return columns_of(self.headed(title)) <= self._room

    @property
    def _room(self) -> int:
        """The columns of the border that titles may take."""
        return self.outer_size.width - len("╭─  ─╮")

    def on_resize(self) -> None:
        """Write as much of title and subtitles as fits the new size."""
        if self._described:
            self._write()
        elif self._title:
            self.border_title = first_parts(self._title, self._room)

    def _write(self) -> None:
        """Write what fits; the first time paints everything, as Textual may have lost a drawing."""
        width, height = self.outer_size
        if not width:
            # Nobody knows yet what fits: a resize follows.
            return
        room = self._room
        title, *subtitles = self._described
        parts = [part for part in subtitles if part]
        while len(parts) > 1 and columns_of(" · ".join(parts)) > room > 0:
            del parts[0]
        title = first_parts(self.headed(title), room)
        subtitle = " · ".join(parts)
        if self._short and columns_of(subtitle) > room > 0:
            subtitle = self._short
        is_first = self.border_subtitle is None
        subtitle = first_parts(subtitle, room)
        if self._written[0] != title:
            self._changed = () if is_first else (Region(-1, -1, width, 1),)
            self.border_title = title
        if self._written[1] != subtitle or is_first:
            self._changed = () if is_first else (Region(-1, height - 2, width, 1),)
            self.border_subtitle = subtitle
        self._written = (title, subtitle)
        self._changed = ()

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Repaint; a change of title only its line, though Textual asks for the whole pane."""
        lines = regions or self._changed
        return super().refresh(*lines, repaint=repaint, layout=layout, recompose=recompose)

    def notify_style_update(self) -> None:
        """Have the last line rendered again, since its looks may have changed."""
        super().notify_style_update()
        self._form = None

    def spans(self, parts: Sequence[Stretch]) -> Sequence[Strip | None]:
        """Return parts of lines, that with the subtitle among them: many change at each step."""
        last = self.outer_size.height - 1
        return [
            self._subtitled().crop(start, stop) if strip is None and y == last else strip
            for strip, (y, start, stop) in zip(super().spans(parts), parts, strict=True)
        ]

    def _subtitled(self) -> Strip:
        """Return the last line: a corner, the edge, the subtitle, the edge again, a corner."""
        width, height = self.outer_size
        subtitle = self._written[1]
        texts = [text for text in TAG.split(f" {subtitle} ") if text]
        form = (TAG.findall(subtitle), len(texts))
        # What is escaped, or takes no column, is left to Textual.
        is_literal = not NO_LITERAL.search(subtitle)
        if form != self._form or not subtitle or not is_literal:
            (line,) = self.render_lines(Region(0, height - 1, width, 1))
            self._last_line = [*line]
            is_plain = [text for text, _, _ in self._last_line[2:-2]] == texts
            self._form = form if is_plain else None
            return line
        left, edge, *label, short, right = self._last_line
        room = width - 3 - cells("".join(texts))
        label = [Segment(text, style) for text, (_, style, _) in zip(texts, label, strict=True)]
        edge = Segment(short.text * room, edge.style)
        return next(self.filtered([[left, edge, *label, short, right]]))


def first_parts(text: str, room: int) -> str:
    """Return as many parts of a text with markup as fit some columns, or the first words of it.

    >>> first_parts("Gradient, unscaled over scaled, n = 64", 30)
    'Gradient, unscaled over scaled'
    """
    first = text
    while columns_of(first) > room > 0:
        ends = [match.start() for match in SEPARATOR.finditer(first)]
        if not ends:
            return first_words(text, room)
        first = first[: ends[-1]]
    return first


@lru_cache(maxsize=1024)
def first_words(text: str, room: int) -> str:
    """Return as many whole words of a text with markup as fit some columns, with an ellipsis."""
    if room <= 0 or columns_of(text) <= room:
        return text
    content = Content.from_markup(text)
    while content.plain and content.cell_length > room - 1:
        content = content[: max(content.plain.rstrip().rfind(" "), 0)]
    plain = content.plain.rstrip(" ·,:;●")
    return f"{content[: len(plain)].markup}…" if plain else ""


@lru_cache(maxsize=1024)
def columns_of(text: str) -> int:
    """Return the width of a text with markup, in columns."""
    return Content.from_markup(text).cell_length if "[" in text else cells(text)
