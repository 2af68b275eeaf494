"""What the keys of the Explore screen do that look another way."""

from dataclasses import replace

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.whole import parse_whole
from attn_tui.tui.explore.base import ExploreBase
from attn_tui.tui.explore.charts import next_tab
from attn_tui.tui.explore.drawing import pin_text


class LookingActions(ExploreBase):
    """Actions that change the view and ask nothing."""

    def action_next_vector(self) -> None:
        """Show the next vector."""
        if self.asked:
            following = (self.view.vector + 1) % len(self.asked.experiment.vectors)
            self.look(self.view.at(following))

    def action_next_tab(self) -> None:
        """Show the next tab."""
        self.look(next_tab(self.view, self.narrow))

    def action_tab(self, name: str) -> None:
        """Show a tab by its name."""
        self.look(self.view.tab(name))

    def action_log(self) -> None:
        """Switch charts between linear and logarithmic."""
        self.look(replace(self.view, log=not self.view.log))

    def action_other_side(self) -> None:
        """Show the other side where there is room for one."""
        self.look(self.view.other_side())

    def action_zoom(self) -> None:
        """See a large Jacobian around the cursor, or as a whole."""
        self.look(replace(self.view, zoomed=not self.view.zoomed))

    def action_sort(self) -> None:
        """List keys by something else, from the first on."""
        self.look(self.view.next_sort())

    def action_go_to_key(self) -> None:
        """Go to a key by its number."""
        if self.answer:
            last = self.answer.vector.n_keys - 1

            def read(text: str) -> int:
                key = parse_whole("key", text)
                if not 0 <= key <= last:
                    raise InputError("key", f"{inert(text)} will not do", f"0 to {last:,}")
                return key

            self.request("key", str(self.view.key), read, self.point)

    def point(self, key: int) -> None:
        """Put the cursor on a key."""
        self.look(replace(self.view, key=key))

    def action_pin(self) -> None:
        """Pin the present answer, or let go of the one that is pinned."""
        if self.view.pinned or self.found is None:
            self.look(replace(self.view, pinned=None, pin=""))
        else:
            pin = pin_text(self.found.answer, self.found.question.experiment)
            self.look(replace(self.view, pinned=self.found.answer, pin=pin))
