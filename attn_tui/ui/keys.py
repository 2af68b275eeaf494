"""The last line: the keys that work at the focus; and fixes for Textual 8.2.

Textual caches the colours of the last 1,024 widgets with a reference to the widgets' lines, which
keeps the lines alive: 100 MB after some hundred dialogues. And a footer keeps a watcher for every
key it has ever shown. We know of no upstream issue for either; `tests/contract/test_memory.py`
fails without these fixes.
"""

from collections.abc import Sequence
from functools import lru_cache

from textual import on
from textual._styles_cache import StylesCache
from textual.app import ComposeResult
from textual.binding import Binding
from textual.color import Color
from textual.events import Mount
from textual.keys import KEY_TO_UNICODE_NAME
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Footer

from attn_tui.report.rows import cells


@lru_cache
def _backgrounds(outer: Color, inner: Color) -> tuple[Style, Style]:
    return Style(background=outer + inner), Style(background=outer)


def _inner_outer(_: StylesCache, outer: Color, inner: Color) -> tuple[Style, Style]:
    return _backgrounds(outer, inner)


def keep_no_lines() -> None:
    """Make Textual cache colours without keeping the lines of widgets alive."""
    StylesCache.get_inner_outer = _inner_outer  # type: ignore[assignment, method-assign]


KEY_TO_UNICODE_NAME |= {"plus": "PLUS SIGN", "minus": "HYPHEN-MINUS", "slash": "SOLIDUS"}
"""Textual shortens these names of keys, and then does not know that an editor types them."""

QUIT = "q"

EDITING = ("enter", "escape")
"""The keys of an editor, which stand before those that do in it what they do elsewhere."""

FIRST = ("question_mark", "slash", "g", "r", "t", "x", "o", "s", "c", QUIT)
"""The keys that stand first where there are all; others follow those for the picture."""

LAST = ("i", "f")
"""The keys that stand last, and so are left out where there is little room."""

PIN = "pin"
"""The action whose key is left out before all but the last; the way back from it is not."""

GAP = 1
"""Columns between two keys."""


def place(widget: Widget) -> int:
    """Return where the key of a widget stands among others."""
    order = (*FIRST[:5], "", *FIRST[5:], *LAST)
    key = key_of(widget)
    return order.index(key if key in order else "")


def key_of(widget: Widget) -> str:
    """Return the key that a part of the footer shows, or nothing."""
    return str(getattr(widget, "key", ""))


def importance(widget: Widget) -> tuple[bool, bool, bool]:
    """Return what sorts the keys of widgets by importance, from the way out to the last ones."""
    key, action = key_of(widget), getattr(widget, "action", "")
    return key != QUIT, key in LAST, action == PIN


class KeysFooter(Footer):
    """A footer that is rebuilt only when its keys change, and then forgets the old ones.

    Textual rebuilds it several times at the start and whenever the focus moves, though the keys are
    usually the same.
    """

    _shown: Sequence[tuple[Binding, bool, str]] = ()

    def compose(self) -> ComposeResult:
        """Lay out the keys, those that everybody needs first."""
        keys = sorted(super().compose(), key=place)
        for key in keys:
            # Set once it is mounted, it would be styled a second time.
            key.set_class(self.compact, "-compact", update=False)
        if EDITING[1] in map(key_of, keys):
            keys.sort(key=lambda key: key_of(key) not in EDITING)
        yield from keys

    def on_resize(self) -> None:
        """Leave out the keys for which there is no room, so that none is cut; the way out stays."""
        # Before the first layout it has no width of its own.
        room = (self.size.width or self.app.size.width) + GAP
        for key in sorted(self.children, key=importance):
            room -= cells(str(key.render())) + GAP
            key.display = room >= 0

    @on(Mount)
    async def _show_at_once(self) -> None:
        """Show the keys in the first frame: Textual would show them only later, and in a batch.

        The first frame of the screen would be dropped meanwhile.
        """
        self.bindings_changed(self.screen)
        self._shown = self._active()
        await self.mount_all(self.compose())
        self.on_resize()

    def _active(self) -> Sequence[tuple[Binding, bool, str]]:
        """Return the keys that are active now, of those that are shown."""
        active = self.screen.active_bindings.values()
        return [entry[1:] for entry in active if entry.binding.show]

    async def recompose(self) -> None:
        """Show the active keys, if they have changed."""
        keys = self._active()
        if keys == self._shown:
            return
        self._shown = keys
        await super().recompose()
        self.on_resize()
        for watchers in getattr(self, "__watchers", {}).values():
            watchers[:] = [watcher for watcher in watchers if watcher[0].is_attached]
