"""How much is sent: to start, for a step of d_k, a move of a cursor, and thirty quick steps."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from tests.contract.screens import (
    DOWN,
    JACOBIAN,
    KEYS,
    LEFT,
    MORE,
    RIGHT,
    START,
    TYPE_N,
    UP,
)
from tests.contract.session import Session, run

LIMITS = {
    "start": 61_440, "step": 4096, "thirty steps": 61_440, "move": 4096,
    "move on the Jacobian": 4096, "step of 128 × 128": 16_384, "move on 128 × 128": 4096,
}  # fmt: skip
"""Bytes at most at 120×40, whatever the instrument."""

STEPS = (MORE,) * 5
MOVES = UP, DOWN, LEFT, RIGHT

ASKS = "--d-k", "64"
"""Where a step has room on either side."""

SWEEPS = "sweep", "--map", "--ratio", "--d-k", "1:8192@64", "--draws", "1000", "--screen"
"""Likewise. By default, where keys are few, ten times as many are drawn; no more pictures of them
are sent, and it would be waited for them each time that a sweep begins."""

Row = tuple[str, str, int]


def usual(sent: list[int]) -> int:
    """Return what a key sends that changes the pictures too.

    Half of the steps are too small to move a curve, and a key at an edge moves nothing: it is half
    of what sends more than the others.
    """
    assert sum(each > 0 for each in sent) * 2 > len(sent), "keys that do nothing"
    return round(median(sorted(sent)[len(sent) // 2 :]))


def sent_by(session: Session, keys: tuple[str, ...]) -> int:
    """Return what one of some keys sends."""
    sent = []
    for each in keys:
        before = session.sent
        session.do(each)
        sent.append(session.sent - before)
    return usual(sent)


def thirty(session: Session) -> int:
    """Return what thirty steps send, from where the question began."""
    session.do(START)
    before = session.sent
    session.hold(MORE, 30)
    sent = session.sent - before
    session.do(START)
    return sent


def of_questions(session: Session) -> Iterator[Row]:
    """Yield what the instruments send that need no file."""
    session.rest()
    yield "explore", "start", session.sent
    yield from of_steps("explore", session)
    session.do(*JACOBIAN)
    yield "explore", "move on the Jacobian", sent_by(session, (UP, UP, DOWN, DOWN))
    session.do(KEYS["dots"])
    yield from of_steps("dots", session)
    session.do(KEYS["attention"])
    yield from of_steps("attention", session)
    yield "attention", "move", sent_by(session, MOVES)
    session.do(START, f"{TYPE_N}128\r")
    yield "attention", "step of 128 × 128", sent_by(session, STEPS)
    yield "attention", "move on 128 × 128", sent_by(session, MOVES)


def of_steps(name: str, session: Session) -> Iterator[Row]:
    """Yield what steps of d_k send on the instrument shown."""
    yield name, "step", sent_by(session, STEPS)
    yield name, "thirty steps", thirty(session)


def of_sweep(session: Session) -> Iterator[Row]:
    """Yield what Sweep sends."""
    session.rest()
    yield from of_steps("sweep", session)
    yield "sweep", "move", sent_by(session, MOVES)


def of_claims(session: Session) -> Iterator[Row]:
    """Yield what Claims sends."""
    session.rest()
    session.do(KEYS["claims"])
    yield "claims", "step", sent_by(session, STEPS)
    yield "claims", "move", sent_by(session, (DOWN, DOWN, DOWN, UP))


def of_heads(session: Session) -> Iterator[Row]:
    """Yield what Heads sends, opened on a capture."""
    session.rest()
    yield "heads", "move", sent_by(session, MOVES)


def measured(part: str, folder: Path) -> Iterator[Row]:
    """Yield instrument, what is done there, and how many bytes that sends."""
    arguments: tuple[str, ...] = SWEEPS if part == "sweep" else ASKS
    if part == "heads":
        run("demo", "--force", "captures", folder=folder)
        arguments = ("captures/healthy/capture.safetensors",)
    with Session(folder, arguments, first="") as session:
        yield from OF[part](session)


OF = {"questions": of_questions, "sweep": of_sweep, "heads": of_heads, "claims": of_claims}


@pytest.mark.slow
@pytest.mark.parametrize("part", OF)
def test_no_more_is_sent_than_is_allowed(part: str, tmp_path: Path) -> None:
    too_much = {
        f"{name}, {what}": f"{sent:,} of {LIMITS[what]:,}"
        for name, what, sent in measured(part, tmp_path)
        if sent > LIMITS[what]
    }
    assert not too_much
