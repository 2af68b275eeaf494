"""How much is sent: to start, for a step of d_k, for a move of a cursor, and for thirty quick steps.

`bytes.json` holds what was measured, for each size and instrument, and the limits that hold once an
instrument is named in `rebuilt`; until then a margin above what was measured does.

    python -m tests.contract.test_bytes    # measures anew
"""

import json
import tempfile
from collections.abc import Iterator, Mapping
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

STEPS = (MORE,) * 6
MOVES = UP, DOWN, LEFT, RIGHT

ASKS = "--d-k", "64"
"""Where a step has room on either side."""

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
    """Return what thirty quick steps send, from the start of the question."""
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
    yield "explore", "step", sent_by(session, STEPS)
    yield "explore", "thirty steps", thirty(session)
    session.do(*JACOBIAN)
    yield "explore", "move on the Jacobian", sent_by(session, MOVES)
    for name in ("dots", "sweep", "attention"):
        session.do(KEYS[name])
        yield name, "step", sent_by(session, STEPS)
        yield name, "thirty steps", thirty(session)
        if name != "dots":
            yield name, "move", sent_by(session, MOVES)
    session.do(START, f"{TYPE_N}128\r")
    yield "attention", "step of 128 × 128", sent_by(session, STEPS)
    yield "attention", "move on 128 × 128", sent_by(session, MOVES)


def of_claims(session: Session) -> Iterator[Row]:
    """Yield what Claims sends."""
    session.rest()
    session.do(KEYS["claims"])
    yield "claims", "step", sent_by(session, STEPS)


def of_heads(session: Session) -> Iterator[Row]:
    """Yield what Heads sends, opened on a capture."""
    session.rest()
    yield "heads", "move", sent_by(session, MOVES)


def measured(size: tuple[int, int], part: str, folder: Path) -> Iterator[Row]:
    """Yield instrument, what is done there, and how many bytes that sends."""
    arguments: tuple[str, ...] = ASKS
    if part == "heads":
        run("demo", "captures", folder=folder)
        arguments = ("captures/healthy/capture.safetensors",)
    of = {"questions": of_questions, "claims": of_claims, "heads": of_heads}[part]
    with Session(folder, arguments, size, first="") as session:
        yield from of(session)


SIZES = {f"{columns}×{lines}": (columns, lines) for columns, lines in ((120, 40), (80, 24))}
PARTS = [(size, part) for size in SIZES for part in ("questions", "heads", "claims")]


@pytest.mark.parametrize(("size", "part"), PARTS)
def test_no_more_is_sent_than_is_allowed(size: str, part: str, tmp_path: Path) -> None:
    rows = list(measured(SIZES[size], part, tmp_path))
    of_parts = {"heads": {"heads"}, "claims": {"claims"}}
    names = of_parts.get(part, {"explore", "dots", "sweep", "attention"})
    wanted = {(name, what) for name in names for what in MEASURED[size][name]}
    assert {(name, what) for name, what, _ in rows} == wanted
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
    """Measure, and write what is found in place of what was."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for size, part in PARTS:
        with tempfile.TemporaryDirectory() as folder:
            for name, what, sent in measured(SIZES[size], part, Path(folder)):
                found.setdefault(size, {}).setdefault(name, {})[what] = sent
    PLACE.write_text(json.dumps({**DATA, "measured": found}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
