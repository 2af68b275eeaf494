"""The heads on their screen: the cursor among them, and what can be done with one."""

from dataclasses import replace
from typing import Any

from attn_tui.captures.capture import HeadId
from attn_tui.captures.suffixes import EXAMPLE_NAME
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.settings import ROWS, Settings
from attn_tui.files.draft import Draft
from attn_tui.files.history import Gesture
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.heads.opening import draft_of_head, leads
from attn_tui.old.tui.looking import Looking
from attn_tui.old.tui.parts import AskingHost, Part
from attn_tui.report.heads.values import head_text

MOVE = Gesture("head")
"""Moves of the cursor; a run of them is one step of history."""


class Heads(Part[AskingHost]):
    """The cursor among the heads, and what is done with the one it is on."""

    NAME = "heads"

    @property
    def here(self) -> HeadId | None:
        """The head with the cursor."""
        asked = self._screen.asked
        return self._screen.scene(asked).head if asked else None

    def go(self, batch: int, layer: int, head: int) -> None:
        """Go to a head; a run of such is one step of history."""
        self._screen.fields.ask(
            lambda setup: setup.put(
                replace(setup.get(Settings), batch=batch, layer=layer, head=head)
            ),
            MOVE,
        )

    def move(self, dx: int, dy: int) -> None:
        """Go so many heads to the right, and layers down."""
        here, answer = self.here, self._screen.answer
        if here is None or answer is None:
            return
        if self._screen.view.chart != "map":
            self._move_in_list(here, dx, dy)
            return
        table = answer.table
        rows = table.layers
        at = min(max(rows.index(here.layer) + dy, 0), len(rows) - 1)
        own = [h.head for h in table.heads if (h.batch, h.layer) == (here.batch, rows[at])]
        self.go(here.batch, rows[at], min(max(here.head + dx, 0), max(own, default=0)))

    def _move_in_list(self, here: HeadId, dx: int, dy: int) -> None:
        """Go so many lines down; to the side look at another statistic."""
        if dx and self._screen.view.chart == "list":
            self._screen.fields.change("statistic", dx)
        asked = self._screen.asked
        heads = self._screen.scene(asked).lined if asked else ()
        if not dy or not heads:
            return
        at = heads.index(here) + dy if here in heads else 0
        head = heads[min(max(at, 0), len(heads) - 1)]
        self.go(head.batch, head.layer, head.head)

    def can(self, verb: str) -> bool:
        """Offer no statistic where none is shown, and no exact numbers where they are exact."""
        if verb == "choose_statistic":
            return bool(self._screen.view.chart != "doctor")
        answer = self._screen.answer
        if verb == "exact" and answer is not None:
            capture, rows = answer.table.capture, self._screen.settings.rows
            sizes = (capture.shape(head).n_queries for head in answer.table.heads)
            return max(sizes, default=0) > (ROWS if rows is None else rows)
        return super().can(verb)

    def choose_statistic(self) -> None:
        """Offer the statistics."""
        offered = [
            Choice(name, each.title, each.words, name.replace("_", " "))
            for name, each in STATISTICS.items()
        ]
        present = self._screen.settings.statistic
        self._screen.choosing.choose("Statistic", offered, present, self.statistic)

    def statistic(self, name: str) -> None:
        """Show a statistic by its name."""
        self._screen.fields.put("statistic", lambda _: name)

    def exact(self) -> None:
        """Take every row, or sample rows again."""
        self._screen.fields.put("rows", lambda rows: ROWS if rows is None else None)

    def pin(self) -> None:
        """Keep this capture to compare the next one with, or let go of it."""
        settings = self._screen.settings
        if settings.other:
            self._screen.fields.put("other", lambda _: ())
            self._screen.notify("Compared with nothing any more", timeout=3)
        elif settings.capture:
            self._screen.fields.put("other", lambda _: settings.capture)
        else:
            self._screen.notify("There is nothing to pin yet: o opens a capture", timeout=4)

    async def follow(self) -> None:
        """Go to Attention, with the head under the cursor where it had another, or none."""
        screen = self._screen
        if (
            self.here
            and screen.asked
            and leads(self.here, screen.settings, screen.asked.experiment)
        ):
            await self.open()
        else:
            await screen.visiting.go("attention")

    async def open(self) -> None:
        """Open the head under the cursor; without a capture a small one."""
        screen = self._screen
        here, answer, asked = self.here, screen.answer, screen.asked
        if not screen.settings.capture:
            self.demo()
        if here is None or answer is None or asked is None:
            return
        settings, table = screen.settings, answer.table
        named = head_text(here, table.n_batches)
        words = (f"{named.capitalize()} of a capture: esc goes back to Heads", "esc goes back")

        def read(draft: Draft) -> None:
            screen.run_worker(screen.visiting.to("attention", draft, words))

        filing: Any = screen.parts["filing"]
        await filing.see_through(
            f"Reading {named}",
            lambda _: draft_of_head(table, settings, here, asked.draft),
            read,
            lambda problem: screen.notify(problem, timeout=6, markup=False),
        )

    def demo(self) -> None:
        """Open a small capture, which is made when it is read."""
        self._screen.fields.put("capture", lambda _: (EXAMPLE_NAME,))


class LookingAtHeads(Looking[AskingHost]):
    """The tabs, which show nothing before a capture is open."""

    def offers(self, name: str) -> bool:
        """Return whether there is something to look at in a tab."""
        return bool(self._screen.settings.capture)
