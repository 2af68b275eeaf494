"""What ``?`` says of a pane."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from rich.text import Text
from textual.screen import Screen


@dataclass(frozen=True)
class Explanation:
    """What ``?`` says of a pane.

    Attributes:
        title: The pane.
        formula: What it computes, in the field's symbols.
        meaning: How to read it.
        source: Who says so.
    """

    title: str
    formula: str
    meaning: str
    source: str

    def text(self) -> Text:
        """Return the explanation laid out to be read."""
        return Text.assemble(
            (self.formula, "bold"), f"\n\n{self.meaning}\n\n", ("Source: ", "bold"), self.source
        )


@runtime_checkable
class Explained(Protocol):
    """A widget that has something to say of itself."""

    explanation: Explanation


def explanation_of(screen: Screen[None]) -> Explanation:
    """Return what there is to say of the pane that has the focus, or else of the screen."""
    nodes = screen.focused.ancestors_with_self if screen.focused else [screen]
    return next(node.explanation for node in nodes if isinstance(node, Explained))
