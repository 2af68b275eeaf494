"""Reports in less room than they were written for."""

import pytest
from click.testing import CliRunner

from attn_tui.commands.program import program
from attn_tui.report.reflow import reflowed


@pytest.fixture(scope="module")
def report() -> str:
    return CliRunner().invoke(program, ["show", "100,120,150"]).stdout


def test_a_report_is_as_it_was_where_it_has_room(report: str) -> None:
    assert reflowed(report, 80) == report


def test_a_sentence_that_is_longer_than_the_room_is_wrapped_wherever_it_is() -> None:
    verdict = "agrees: m = 0.176 to 0.180 = 1/√d_k" + ", mask causal as expected" * 5
    for width in (80, 100):
        lines = reflowed(f"{verdict}\n\ncapture   example\n", width).split("\n")
        assert max(map(len, lines)) <= width
        assert " ".join(lines[:-3]) == verdict
        assert lines[-3:] == ["", "capture   example", ""]


@pytest.mark.parametrize("width", [30, 38, 60])
def test_every_word_stands_once_in_its_order_and_only_tables_are_longer(
    report: str, width: int
) -> None:
    lines = reflowed(report, width).split("\n")
    assert " ".join(lines).split() == report.split()
    long = [line for line in lines if len(line) > width]
    assert all(line in report.split("\n") and "  " in line for line in long)


def test_a_line_that_had_more_room_ended_where_it_was_to_end() -> None:
    lines = reflowed(f"{'word ' * 20}end\nmore", 40).split("\n")
    assert lines[-2:] == ["word word word word end", "more"]


def test_sentences_flow_on_where_a_line_had_ended(report: str) -> None:
    first = reflowed(report, 38).partition("\n\n")[0].split("\n")
    words = [line.split() for line in first]
    assert all(
        len(line) + 1 + len(after[0]) > 38 for line, after in zip(first, words[1:], strict=False)
    )
