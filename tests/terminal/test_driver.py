"""Random events on a real pseudo-terminal: the program answers, and what it shows is right."""

import pytest

from tests.terminal.driver import Part, run

EVENTS = 300
"""Events of the course that is a test; the command does as many as it is asked for."""


@pytest.mark.slow
def test_whatever_is_done_it_goes_on_and_tells_the_truth() -> None:
    _, compared, fault = run(Part(1, EVENTS))
    assert not fault, fault
    assert compared >= EVENTS // 100 - 1
