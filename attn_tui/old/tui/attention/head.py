"""The head on its screen: the cursor among queries and keys, what is pinned, and a row alone."""

from dataclasses import replace
from functools import partial
from typing import Any

from attn_tui.compute.attention.answer import Answer
from attn_tui.compute.attention.head import is_drawn
from attn_tui.old.tui.attention.scene import Scene
from attn_tui.old.tui.looking import Looking
from attn_tui.old.tui.parts import Host, Part


class HeadPart(Part[Host]):
    """The cursor, what is pinned, and the row that Explore opens."""

    NAME = "head"

    @property
    def _seen(self) -> tuple[Scene, Answer] | None:
        """What is shown, and its answer; None before all."""
        screen = self._screen
        if screen.asked is None or screen.answer is None:
            return None
        return screen.scene(screen.asked), screen.answer

    def move(self, dx: int, dy: int) -> None:
        """Move the cursor by so many keys to the right, and rows down."""
        if seen := self._seen:
            scene, _ = seen
            order, (query, key) = scene.listed.tolist(), scene.cursor
            place = min(max(order.index(query) + dy, 0), len(order) - 1)
            self.point(order[place], key + dx if dx else None)

    def point(self, query: int | None = None, key: int | None = None) -> None:
        """Put the cursor on a query, and on a key."""
        if seen := self._seen:
            scene, answer = seen
            view, last = self._screen.view, (answer.n_queries - 1, answer.n_keys - 1)
            row = scene.cursor[0] if query is None else min(max(query, 0), last[0])
            at = view.key if key is None else min(max(key, 0), last[1])
            self._screen.look(replace(view, query=row, key=at))

    def pin(self) -> None:
        """Pin the present head, or let go of the one that is pinned."""
        view, answer = self._screen.view, self._screen.answer
        if view.pinned is None and (answer is None or answer.progress < 1.0):
            self._screen.notify("There is nothing to pin yet", timeout=3)
        else:
            self._screen.look(replace(view, pinned=None if view.pinned else answer))

    def again(self) -> None:
        """Draw the head again."""
        asked = self._screen.asked
        if asked and not is_drawn(asked.experiment):
            said = "The rows are the vectors that are asked: rows, drawn, draws a head"
            self._screen.notify(said, timeout=4)
        else:
            self._screen.fields.change("seed", 1)

    async def open(self) -> None:
        """Open the cursor's row in Explore, as one step of history."""
        seen = self._seen
        if seen is None or seen[0].is_unread:
            return
        scene, answer = seen
        head, (query, _), draft = answer.head, scene.cursor, scene.asked.draft
        if answer.odd[query]:
            said = f"Query {query:,} meets NaN or infinity: there is nothing to open"
            self._screen.notify(said, timeout=4)
            return
        if answer.is_drawn:
            draft = draft.asking(head.source)
        draft = replace(draft, setup=head.setup)
        words = (f"Query {query:,} of the head: esc goes back to all", f"Query {query:,}: esc")
        await self._screen.visiting.to("explore", draft, words, partial(_at, query))


class LookingAtHead(Looking[Host]):
    """The tabs: that of outputs only where there are any."""

    def offers(self, name: str) -> bool:
        """Return whether there is something to look at in a tab."""
        asked = self._screen.asked
        return asked is not None and self._screen.scene(asked).offers(name)


def _at(query: int, view: Any) -> Any:
    """Return Explore's view of a vector, of scores that are there or that are to come."""
    return replace(view.at(query), first=query)
