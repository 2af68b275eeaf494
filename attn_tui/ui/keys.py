"""The last line: the keys that work where the focus is."""

from collections.abc import Sequence

from textual import on
from textual.binding import Binding
from textual.events import Mount
from textual.widgets import Footer


class Keys(Footer):
    """A footer that is drawn anew only where it shows other keys.

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
        if shown != self._shown:
            self._shown = shown
            await super().recompose()
