"""What is read other than a person may have meant it is said on a real pseudo-terminal."""

from pathlib import Path

import pytest

from tests.contract.session import Session


@pytest.mark.slow
def test_row_numbers_that_are_left_out_are_named_where_the_file_is(tmp_path: Path) -> None:
    (tmp_path / "index.csv").write_text(",a,b\n0,1.0,2.0\n1,3.0,4.0\n2,5.0,6.0\n")
    with Session(tmp_path, ["@index.csv"]) as session:
        session.until_shows("Scores s: row numbers left out")
        session.until_shows("< > vector 1 of 2, 3 keys")
        session.until_shows("'index.csv' has no name and counts")
        session.press("e")
        session.until_shows("esc Done")
        session.press("1, 2")
        session.until_shows("2 keys")
        assert "row numbers" not in session.text


@pytest.mark.slow
def test_a_decimal_comma_is_refused_with_both_readings_while_it_is_typed(tmp_path: Path) -> None:
    with Session(tmp_path, ["1,2,3"]) as session:
        session.press("e")
        session.until_shows("esc Done")
        session.press("1,5;2,5")
        session.until_reads("'1,5' may be one number or two; expected '1.5' for one, or")
        session.press("\x1b")
        session.until_shows("q Quit")
        session.press("q")
        assert session.leave() == 0
