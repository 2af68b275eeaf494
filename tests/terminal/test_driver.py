"""Random events on a real pseudo-terminal: the program answers, and what it shows is right."""

import os
import time

import pytest

from tests.contract.terminal import Patience
from tests.terminal.driver import run

EVENTS = 300
"""Events of the course that is a test; the command does as many as it is asked for."""


@pytest.mark.slow
def test_whatever_is_done_it_goes_on_and_tells_the_truth() -> None:
    _, compared, fault = run((1, EVENTS))
    assert not fault, fault
    assert compared >= EVENTS // 100 - 1


@pytest.mark.parametrize(
    ("passed", "held", "over"),
    [(59, 0, False), (61, 0, True), (600, 590, False), (600, 400, True), (1300, 1290, True)],
)
def test_a_deadline_is_of_seconds_in_which_a_program_could_run(
    passed: float, held: float, over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    patience, now = Patience(os.getpid()), time.monotonic()
    waited = patience.waited()
    monkeypatch.setattr(time, "monotonic", lambda: now + passed)
    monkeypatch.setattr(patience, "waited", lambda: waited + held)
    assert patience.over == over
