"""The last line: the keys that work where the focus is; and two leaks of Textual 8.2.

Textual remembers the colours of the last 1,024 widgets together with the widgets' lines, and so
keeps those: 100 MB after some hundred dialogues. And a footer keeps a watcher of each key that it
ever showed. We know of no issue upstream of either; `tests/contract/test_memory.py` fails without
these mends.
"""

from collections.abc import Sequence
from functools import lru_cache

from textual import on
from textual._styles_cache import StylesCache
from textual.binding import Binding
from textual.color import Color
from textual.events import Mount
from textual.style import Style
from textual.widgets import Footer


@lru_cache
def _backgrounds(outer: Color, inner: Color) -> tuple[Style, Style]:
    return Style(background=outer + inner), Style(background=outer)


def _inner_outer(_: StylesCache, outer: Color, inner: Color) -> tuple[Style, Style]:
    return _backgrounds(outer, inner)


def keep_no_lines() -> None:
    """Make Textual remember colours without the lines of the widgets that had them."""
    StylesCache.get_inner_outer = _inner_outer  # type: ignore[assignment, method-assign]


class Keys(Footer):
    """A footer that is drawn anew only where it shows other keys, and forgets those it showed.

    It is asked to show others several times at the start and whenever the focus moves, though most
    often they are the same.
    """

    _shown: Sequence[tuple[Binding, bool, str]] = ()

    @on(Mount)
    async def _show_at_once(self) -> None:
        """Show the keys in the first picture: Textual shows them in a later one."""
        self.bindings_changed(self.screen)
        await self.recompose()

    async def recompose(self) -> None:
        """Show the keys there are, if they are others."""
        active = self.screen.active_bindings.values()
        shown = [keys[1:] for keys in active if keys.binding.show]
        if shown == self._shown:
            return
        self._shown = shown
        await super().recompose()
        for watchers in getattr(self, "__watchers", {}).values():
            watchers[:] = [watcher for watcher in watchers if watcher[0].is_attached]
