"""What drawn vectors say at one place, found out beside a screen; nothing waits for it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attn_tui.compute.experiment import Experiment, Stop
from attn_tui.old.tui.computing import Computing
from attn_tui.old.tui.parts import Host

if TYPE_CHECKING:
    from attn_tui.compute.sweep.answer import Answer
    from attn_tui.compute.sweep.points import Points


class AtPlace:
    """Has Sweep asked about one place alone.

    Args:
        screen: It is sent what is found, and gives it to `computing`.

    Attributes:
        points: What is found; None while it is not known.
        computing: Draws.
    """

    def __init__(self, screen: Host) -> None:
        self.points: Points | None = None
        self.computing: Computing[Answer] = Computing(screen, most=16)

    def forget(self) -> None:
        """Ask nothing."""
        self.points = None

    def go_on(self, experiment: Experiment, n: int, d_k: int) -> None:
        """Find out what draws say of n keys at a d_k, under the rules of a question."""
        # Imported when it is asked, for the start is not to wait for it.
        from attn_tui.compute.sweep.answer import answer, at_place

        self.points = None
        if (question := at_place(experiment, n, d_k)) is None:
            return

        def drawn(stop: Stop) -> "Iterator[Answer]":
            for found in answer(question, stop):
                if found.progress == 1.0:
                    yield found

        self.computing.ask(question, drawn)
        if found := self.computing.job.result(question):
            self.points = found.points
