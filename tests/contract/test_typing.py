"""Keys that come faster than the screen end in what somebody gets who types slowly."""

from pathlib import Path

import pytest

from tests.contract.screens import (
    DOUBLE,
    EDIT,
    ENTER,
    ESCAPE,
    FIND,
    FURTHER,
    KEYS,
    LEAVE,
    MORE,
    START,
    TYPE_D_K,
    find,
    headline_at,
    keys_of_sweep,
)
from tests.contract.session import SOON, Session

ASKED = "attn-tui show 100,120,150 --d-k"
DIGITS = "314159265358979323846264338327"


@pytest.mark.slow
@pytest.mark.parametrize("together", [f"{EDIT}{DIGITS}", MORE * 20], ids=["digits", "steps"])
def test_keys_in_one_packet_do_what_they_do_one_by_one(together: str, tmp_path: Path) -> None:
    with Session(tmp_path) as session:
        first = session.copied()
        session.do(together, ESCAPE)
        quick = session.copied()
        session.do(START)
        assert session.copied() == first
        session.do(*together, quiet=SOON)
        session.do(ESCAPE)
        assert quick == session.copied() != first


@pytest.mark.slow
def test_a_key_for_an_instrument_that_is_not_yet_there_is_for_it(tmp_path: Path) -> None:
    with Session(tmp_path) as session:
        quick = session.line(f"{KEYS['sweep']}{FURTHER}{LEAVE}")
    with Session(tmp_path) as session:
        session.press(KEYS["sweep"])
        session.until_reads(keys_of_sweep(64))
        session.press(FURTHER)
        session.until_reads(keys_of_sweep(80))
        assert session.line() == quick


@pytest.mark.slow
def test_what_is_typed_at_once_is_entered_and_escape_with_a_letter_is_two_keys(
    tmp_path: Path,
) -> None:
    with Session(tmp_path) as session:
        for keys in (find("d_k 64"), f"{TYPE_D_K}64{ENTER}"):
            session.press(keys)
            session.until_reads(headline_at(64))
            assert session.copied() == f"{ASKED} 64 --screen"
            session.do(START)
        for opens in (EDIT, FIND, TYPE_D_K):
            session.do(opens)
            session.press(f"\x1b{DOUBLE}{DOUBLE}")
            session.until_reads(headline_at(4096))
            assert session.copied() == f"{ASKED} 4096 --screen"
            session.do(START)
        assert session.line(f"{TYPE_D_K}64{ENTER}{DOUBLE}{LEAVE}") == f"{ASKED} 128 --screen"


@pytest.mark.slow
def test_keys_before_the_first_picture_count(tmp_path: Path) -> None:
    with Session(tmp_path, first="") as session:
        # Nothing was read yet: they wait in the terminal.
        session.press(f"{TYPE_D_K}49{ENTER}{DOUBLE}{DOUBLE}")
        session.until_reads(headline_at(196))
        assert session.line() == f"{ASKED} 196 --screen"
    with Session(tmp_path, first="") as session:
        assert session.line() == f"{ASKED} 1024 --screen"
