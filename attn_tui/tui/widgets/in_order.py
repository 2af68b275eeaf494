"""Text fields whose keys take effect in the order they come in."""

from textual import events
from textual.widget import Widget


class KeysInOrder(Widget):
    """Runs its own bindings at once.

    Textual sends a key that types nothing up to the application before its binding is looked
    for; what was typed behind it would be there first.
    """

    async def on_key(self, event: events.Key) -> None:
        """Do what is bound to a key here, if anything is."""
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if not binding.priority:
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
                return
