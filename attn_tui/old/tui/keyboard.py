"""What keys do at a moment, for the key bar; and what is done or said as if one were pressed."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from textual.events import Key

from attn_tui.old.tui import visiting
from attn_tui.old.tui.actions import Action
from attn_tui.old.tui.everywhere import SHARED
from attn_tui.old.tui.parts import Host, Part
from attn_tui.old.tui.widgets.bar import Item


@runtime_checkable
class Moded(Protocol):
    """A widget in which keys have another meaning."""

    BAR: Sequence[Action]


class Keyboard(Part[Host]):
    """The keys of a screen."""

    NAME = "keyboard"

    def press(self, key: str) -> None:
        """Do as if a key were pressed."""
        self._screen.app.post_message(Key(key, None))

    def say(self, text: str) -> None:
        """Say something for some seconds."""
        self._screen.notify(text, timeout=3, markup=False)

    def show(self, items: Sequence[Item]) -> None:
        """Show the key bar."""
        self._screen.key_bar.show_items(items)

    @property
    def labels(self) -> Sequence[tuple[Action, str]]:
        """What keys do now, each with what the key bar calls it."""
        there = [each for each in self._actions if each.bar and self._screen.can(each)]
        # Of what a key could do it does the first.
        first = {each.shown: each for each in reversed(there)}
        there = [each for each in there if each is first[each.shown]]
        labels = [(each, self._label(each)) for each in there]
        return [(each, label) for each, label in labels if label or not each.label]

    @property
    def _actions(self) -> Sequence[Action]:
        """What has the keys may have keys of its own; elsewhere those of the screen work."""
        screen = self._screen
        for each in screen.focused.ancestors_with_self if screen.focused else ():
            if isinstance(each, Moded) and each.BAR:
                return each.BAR
        every = (visiting.ACTION, *screen.ACTIONS, *SHARED)
        return [each for each in every if each.full] if screen.view.full else every

    def _label(self, action: Action) -> str:
        """Return what an action is called now; nothing where it has nothing to do."""
        if "'stopping'" not in action.run:
            return action.label
        states = {"running": "Stop", "stopped": "Go on", "failed": "Again"}
        return states.get(self._screen.job.state, "")
