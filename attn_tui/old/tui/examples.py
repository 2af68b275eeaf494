"""Questions worth asking, offered on every screen."""

from collections.abc import Iterator
from dataclasses import replace

from attn_tui.files import edits
from attn_tui.files.examples import EXAMPLES
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.parts import Host, Part

TOUR = Choice("tour", "The tour", "From q·k to where the usual story is wrong, in a dozen steps.")


class Examples(Part[Host]):
    """Examples of questions about scores."""

    NAME = "examples"

    def choose(self) -> None:
        """Offer the examples."""

        def preview(name: str) -> str:
            if name == TOUR.value:
                return ""
            return self._screen.preview(edits.become(EXAMPLES[name].draft))

        self._screen.choosing.choose(
            "Tour and examples", [TOUR, *_offered()], "", self.show, preview
        )

    def show(self, name: str) -> None:
        """Ask what an example asks, or begin the tour."""
        if name == TOUR.value:
            self._screen.do("app.instrument('tour')")
            return
        self._screen.ask(edits.become(EXAMPLES[name].draft))

    def commands(self) -> Iterator[Choice]:
        """Yield each example."""
        for each in _offered():
            yield replace(each, value=f"examples.show('{each.value}')", words="example")


def _offered() -> list[Choice]:
    return [Choice(name, each.title, each.look, name) for name, each in EXAMPLES.items()]
