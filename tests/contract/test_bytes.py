"""How much is sent: to start, for a step of d_k, a move of a cursor, and thirty quick steps.

`bytes.json` holds what was measured, for each size and instrument, and the limits that hold once an
instrument is named in `rebuilt`; until then a margin above what was measured does.

    python -m tests.contract.test_bytes    # measures again, and keeps the largest

How many of quick steps are shown, and what is said while one takes long, depends on the machine.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
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

PLACE = Path(__file__).with_name("bytes.json")
DATA = json.loads(PLACE.read_text())
LIMITS: Mapping[str, int] = DATA["limits"]
MEASURED: Mapping[str, Mapping[str, Mapping[str, int]]] = DATA["measured"]

MARGIN = 1.25
"""What is measured on another machine may be so many times as much: frames split and join."""

STEPS = (MORE,) * 5
MOVES = UP, DOWN, LEFT, RIGHT

ASKS = "--d-k", "64"
"""Where a step has room on either side."""

Row = tuple[str, str, int]
Press = Callable[[Session], None]


def quickly(session: Session) -> None:
    """Hold the key of a step."""
    session.hold(MORE, 30)


def slowly(session: Session) -> None:
    """Press it as often, so that each step is shown, as the quickest machine does."""
    session.do(*[MORE] * 30)


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


def thirty(session: Session, press: Press) -> int:
    """Return what thirty steps send, from where the question began."""
    session.do(START)
    before = session.sent
    press(session)
    sent = session.sent - before
    session.do(START)
    return sent


def of_questions(session: Session, press: Press) -> Iterator[Row]:
    """Yield what the instruments send that need no file."""
    session.rest()
    yield "explore", "start", session.sent
    yield "explore", "step", sent_by(session, STEPS)
    yield "explore", "thirty steps", thirty(session, press)
    session.do(*JACOBIAN)
    yield "explore", "move on the Jacobian", sent_by(session, (UP, UP, DOWN, DOWN))
    for name in ("dots", "sweep", "attention"):
        session.do(KEYS[name])
        yield name, "step", sent_by(session, STEPS)
        yield name, "thirty steps", thirty(session, press)
        if name != "dots":
            yield name, "move", sent_by(session, MOVES)
    session.do(START, f"{TYPE_N}128\r")
    yield "attention", "step of 128 × 128", sent_by(session, STEPS)
    yield "attention", "move on 128 × 128", sent_by(session, MOVES)


def of_claims(session: Session, press: Press) -> Iterator[Row]:
    """Yield what Claims sends."""
    session.rest()
    session.do(KEYS["claims"])
    yield "claims", "step", sent_by(session, STEPS)
    yield "claims", "move", sent_by(session, (DOWN, DOWN, DOWN, UP))


def of_heads(session: Session, press: Press) -> Iterator[Row]:
    """Yield what Heads sends, opened on a capture."""
    session.rest()
    yield "heads", "move", sent_by(session, MOVES)


def measured(size: tuple[int, int], part: str, folder: Path, press: Press) -> Iterator[Row]:
    """Yield instrument, what is done there, and how many bytes that sends."""
    arguments: tuple[str, ...] = ASKS
    if part == "heads":
        run("demo", "--force", "captures", folder=folder)
        arguments = ("captures/healthy/capture.safetensors",)
    with Session(folder, arguments, size, first="") as session:
        yield from OF[part](session, press)


SIZES = {f"{columns}×{lines}": (columns, lines) for columns, lines in ((120, 40), (80, 24))}
OF = {"questions": of_questions, "heads": of_heads, "claims": of_claims}
PARTS = [
    (size, part) for size in SIZES for part in OF if (size, part) != ("80×24", "claims")
]  # fmt: skip
"""At 80×24 Claims sends less of the same."""


@pytest.mark.slow
@pytest.mark.parametrize(("size", "part"), PARTS)
def test_no_more_is_sent_than_is_allowed(size: str, part: str, tmp_path: Path) -> None:
    rows = list(measured(SIZES[size], part, tmp_path, quickly))
    too_much = {
        f"{name}, {what}": f"{sent:,} of {allowed(size, name, what):,}"
        for name, what, sent in rows
        if sent > allowed(size, name, what)
    }
    assert not too_much


def allowed(size: str, name: str, what: str) -> int:
    """Return how many bytes something may send."""
    if name in DATA["rebuilt"]:
        return LIMITS[what]
    return round(MARGIN * MEASURED[size][name][what])


def main() -> None:
    """Measure, and keep the largest of what is found and what was."""
    found = {size: {name: dict(sent) for name, sent in of.items()} for size, of in MEASURED.items()}
    for size, part in PARTS:
        with tempfile.TemporaryDirectory() as folder:
            for press in (quickly, slowly):
                for name, what, sent in measured(SIZES[size], part, Path(folder), press):
                    known = found.setdefault(size, {}).setdefault(name, {})
                    known[what] = max(sent, known.get(what, 0))
    PLACE.write_text(json.dumps({**DATA, "measured": found}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
