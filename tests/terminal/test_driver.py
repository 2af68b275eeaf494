"""Random events on a real pseudo-terminal: the program answers, and what it shows is right."""

import os
import time
from pathlib import Path

import pytest

from attn_tui.old.tui.finding import typed_values
from attn_tui.old.tui.instrument_screen import InstrumentScreen
from tests.contract.terminal import Patience
from tests.old.tui.person import at_screen
from tests.terminal import captured
from tests.terminal.compared import (
    OTHERS,
    agree,
    compare_saved,
    place_of,
    reported,
    said,
    same,
    sees,
)  # fmt: skip
from tests.terminal.driven import Driven
from tests.terminal.driver import run
from tests.terminal.events import CAPTURE, LEAVE, OTHER, Size, found, opening
from tests.terminal.watched import END

INSTRUMENTS_OF = {"dot": "dots", "sweep": "sweep", "attention": "attention", "claim": "claims"}

SEEDS_OF_HEADS = 1_000_000

EVENTS = 300
"""Events of the course that is a test; the command does as many as it is asked for."""

REPORT = """\
d_k        4

a: 2 keys

weights p; gradient of p₀ with respect to the scores s
                          p          p     ∂p₀/∂s     ∂p₀/∂s
 key     score s   unscaled     scaled   unscaled     scaled    change
   1           2     0.7311     0.6225  −1.97e-01  −1.17e-01      ×0.6
   0           1     0.2689     0.3775  +1.97e-01  +1.17e-01      ×0.6
""".splitlines()

TABLE = """\
  key        s ▒ unscaled            █ divided by 2      unscaled    scaled  change
▸   0        1  26.9 % ▒▒▒▒▒          37.8 % █████▊     +1.97e-01 +1.17e-01   ×0.6
    1        2  73.1 % ▒▒▒▒▒▒▒▒▒      62.2 % ██████▏    −1.97e-01 −1.17e-01   ×0.6
""".splitlines()


def test_whatever_is_done_it_goes_on_and_tells_the_truth() -> None:
    course, fault = run(1, EVENTS)
    assert not fault, fault
    assert course.compared - course.unread >= EVENTS // 100 - 1


def test_what_heads_says_is_what_its_commands_print(tmp_path: Path) -> None:
    captured.fill(tmp_path)
    compared = f"5{found('tau 50')}p{opening(OTHER)}"
    with Driven(Size(80, 24), [], tmp_path) as driven:
        for seed, (keys, is_read) in enumerate(
            (
                ("", True),
                (compared, True),
                (f"5{found('cap 3')}", True),
                # Heads of other shapes cannot be compared, and those of the first are told.
                (f"5{found('compared with example')}", False),
                # So read it has more heads than its metadata says, and the doctor says nothing.
                (f"5{found('layouts bnhd')}", False),
                (f"5{found('names {x')}", False),
            )
        ):
            driven.send(f"{LEAVE}{keys}")
            # To leave now would stop what is being read.
            driven.ask()
            assert sees(driven, OTHER) or keys != compared
            assert captured.compare_heads(driven, SEEDS_OF_HEADS + seed) == is_read, keys


def test_a_row_of_a_capture_is_compared_with_what_is_saved_of_it(tmp_path: Path) -> None:
    captured.fill(tmp_path)
    with Driven(Size(80, 24), [], tmp_path) as driven:
        for keys in (f"{LEAVE}5{opening(CAPTURE)}", "\r", "\r"):
            driven.send(keys)
            driven.ask()
        assert compare_saved(driven, "row.json")
        assert driven.question
        assert "capture" in driven.question


@pytest.mark.parametrize(("command", "name"), {**INSTRUMENTS_OF, "heads": "heads"}.items())
async def test_what_lets_an_instrument_draw_little_is_one_of_its_settings(
    command: str, name: str
) -> None:
    little = OTHERS[command][1] if command in OTHERS else ("rows 16",)
    async with at_screen(instrument=name) as person:
        screen = person.screen(InstrumentScreen)  # type: ignore[type-abstract]
        for each in (*little, "seed 1000001"):
            first = next(typed_values(screen, each), None)
            assert first is not None, each
            assert first.value.startswith("fields.set("), first


def test_a_program_is_asked_where_it_stands(tmp_path: Path) -> None:
    with Driven(Size(80, 24), [], tmp_path) as driven:
        driven.wait(lambda: "q Quit" in driven.display[-1], "the first screen")
        stands = driven.stands()
    assert "in run_input_thread" in stands
    assert "Animator, on" in stands
    assert stands.endswith(END)


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


def boxed(lines: list[str]) -> list[str]:
    top = f"╭─ In words and numbers {'─' * 61}╮"
    return ["", top, *(f"│ {line:<82} │" for line in lines), "─"]


def test_a_text_is_found_in_a_report_or_differs_from_it() -> None:
    lines = said(boxed(REPORT))
    assert lines == REPORT
    assert place_of(lines, REPORT) == 1
    assert place_of([line.replace("0.2689", "0.2690") for line in lines], REPORT) == 0


def test_a_paragraph_is_no_table() -> None:
    words = ["It falls most with", "key 2, by", "65,504. Far below."]
    assert reported([*REPORT, "", *words]) == reported(REPORT)
    assert [*reported(REPORT)[0]] == ["1", "0"]
    assert place_of([], REPORT) == 0


def test_of_several_vectors_each_has_its_headline_below_its_name() -> None:
    head, vector = REPORT[:1], ["", *REPORT[3:]]
    shown = ["Said first.", "", *head, "", REPORT[2], *vector]
    parts = "b: 1 key", "Said too.", "", "", REPORT[2], "Said first."
    report = ["Said of all.", "", *head, "", *parts, *vector]
    assert place_of(shown, report) == 7
    assert place_of(["Said otherwise.", *shown[1:]], report) == 0


def test_a_table_has_the_numbers_of_a_report_or_others() -> None:
    (table,) = reported(REPORT)
    assert agree(TABLE, table)
    assert not agree([line.replace("+1.17e-01", "+1.18e-01") for line in TABLE], table)
    assert not agree(TABLE[:1], table)
    assert not agree([line.replace("62.2 %", "62.4 %") for line in TABLE], table)
    gone = [line.replace("  ×0.6", "from 0") for line in REPORT]
    assert agree([line.replace("  ×0.6", "from 0") for line in TABLE], reported(gone)[0])


def test_numbers_are_the_same_as_far_as_they_are_written() -> None:
    assert same("×2e195", "×2.26e195")
    assert same("−6e-364", "−5.91e-364")
    assert not same("−6e-364", "+5.91e-364")
    assert not same("0.7431", "0.7433")
    assert not same("1e-3", "1e-4")
    assert not same("–", "0")
    assert same("62.5%", "0.6245")
    assert not same("62.5%", "0.6265")
    assert same("~0%", "1.87e-13")
    assert same("~0%", "10^−4e+299")
    assert not same("0%", "1.87e-13")
    assert not same("~50%", "0.5000")
    assert same("NaN", "NaN")
    assert same("…", "×4e113668")
    assert same("masked", "NaN")
