"""Questions worth asking, offered on every screen."""

from collections.abc import Iterator
from dataclasses import replace

from attn_tui.files import edits
from attn_tui.files.examples import EXAMPLES
from attn_tui.old.tui.choices import Choice
from attn_tui.old.tui.parts import Host, Part

TOURS = {
    name: Choice(name, title, detail)
    for name, title, detail in (
        ("skip", "Go on without what there is to do", "What there was to see is said at once."),
        ("begin", "The tour: a guess at every step",
         "From q·k to where the usual story is wrong. It goes on where it was left; escape leaves "
         "it, with everything as it was."),
        ("anew", "The tour from its first step", "What was guessed before is forgotten."),
    )
}  # fmt: skip
"""What leads through all of this, by the verbs of the tour."""


class Examples(Part[Host]):
    """Examples of questions about scores."""

    NAME = "examples"

    def choose(self) -> None:
        """Offer the examples."""

        def preview(name: str) -> str:
            if name in TOURS:
                return ""
            return self._screen.preview(edits.become(EXAMPLES[name].draft))

        every = [*self._tours(), *_offered()]
        self._screen.choosing.choose("Tour and examples", every, "", self.show, preview)

    def show(self, name: str) -> None:
        """Ask what an example asks, or begin the tour."""
        if name in TOURS:
            self._screen.do(f"app.tour('{name}')")
            return
        self._screen.ask(edits.become(EXAMPLES[name].draft))

    def _tours(self) -> Iterator[Choice]:
        """Yield what of the tour can be done now."""
        can = self._screen.app.check_action
        yield from (each for name, each in TOURS.items() if can("tour", (name,)))

    def commands(self) -> Iterator[Choice]:
        """Yield each example."""
        for each in self._tours():
            yield replace(each, value=f"app.tour('{each.value}')", words="tour lesson guide")
        for each in _offered():
            yield replace(each, value=f"examples.show('{each.value}')", words="example")


def _offered() -> list[Choice]:
    return [Choice(name, each.title, each.look, name) for name, each in EXAMPLES.items()]
