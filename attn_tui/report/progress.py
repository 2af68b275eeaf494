"""How far a long computation is, and how long it will still take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """What is known of the pace of something counted.

    Attributes:
        total: How many there will be.
        first: How many there were when the clock was first read.
        begun: What it said, in seconds.
    """

    total: int
    first: int = 0
    begun: float = 0.0

    def left(self, done: int, now: float) -> float | None:
        """Return the seconds that are left at this pace; None while there is none."""
        seconds, counted = now - self.begun, done - self.first
        if not (seconds > 0.0 and counted > 0):
            return None
        return (self.total - done) * seconds / counted

    def text(self, done: int, now: float) -> str:
        """Return how far it is: ``37 %, 3,700,000 of 10,000,000, 4 s left``."""
        share = f"{100 * done // max(self.total, 1)} %, {done:,} of {self.total:,}"
        seconds = self.left(done, now)
        return share if seconds is None or done >= self.total else f"{share}, {left(seconds)}"


def left(seconds: float) -> str:
    """Return how long something still takes, in words.

    >>> left(0.2), left(41.3), left(200.0), left(9000.0)
    ('less than 1 s left', '42 s left', '4 min left', '2.5 h left')
    """
    if seconds < 1.0:
        return "less than 1 s left"
    if seconds < 100.0:
        return f"{-int(-seconds // 1)} s left"
    if seconds < 6000.0:
        return f"{-int(-seconds // 60)} min left"
    return f"{seconds / 3600:.3g} h left"


def going_on(words: str, share: float, seconds: float) -> tuple[str, str]:
    """Return how far something is that space stops, at two lengths.

    >>> going_on("drawing ", 0.5, 30.0)
    ('drawing 50%, 30 s left; space stops', '50%')
    """
    known = share > 0.01 and seconds > 0.5
    rest = f", {left(seconds * (1.0 - share) / share)}" if known else ""
    return f"{words}{share:.0%}{rest}; space stops", f"{share:.0%}"


def bar(share: float, width: int) -> str:
    """Return a bar of a width in characters, filled up to a share."""
    filled = round(min(max(share, 0.0), 1.0) * width)
    return "━" * filled + "─" * (width - filled)
