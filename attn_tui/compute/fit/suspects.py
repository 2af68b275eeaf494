"""Where nothing fits: tests that come out positive for one fault each, and for no other."""

from collections.abc import Iterator
from dataclasses import dataclass

from attn_tui.compute.fit.explain import Question
from attn_tui.compute.heads.rows import HeadRows


@dataclass(frozen=True)
class Suspect:
    """What was done to a head that nothing fits.

    Attributes:
        name: What it is called.
        found: What the test found, in words.
    """

    name: str
    found: str


def suspect_of(head: HeadRows, question: Question) -> Suspect | None:
    """Return the fault whose test comes out positive, or None."""
    return next(_suspects(head, question), None)


def _suspects(head: HeadRows, question: Question) -> Iterator[Suspect]:
    yield from ()
