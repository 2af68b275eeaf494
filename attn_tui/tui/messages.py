"""Messages that any widget may send and only the application answers."""

from dataclasses import dataclass

from textual.message import Message


@dataclass
class HistoryStep(Message):
    """The user wants to go back or on; it travels behind the edits made before it.

    Attributes:
        by: −1 to undo, 1 to redo.
    """

    by: int
