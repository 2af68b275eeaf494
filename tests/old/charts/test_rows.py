from hypothesis import given
from hypothesis import strategies as st

from attn_tui.old.charts.rows import beside, first_fit, first_text, packed
from attn_tui.report.rows import Row, cells, fitted, length, message, plain

texts = st.text(st.sampled_from("ab −✓注🙂é\u0301"), max_size=12)


@given(st.lists(st.tuples(texts, st.sampled_from(["text", "label"]))), st.integers(0, 20))
def test_a_fitted_row_is_as_wide_as_asked(row: list[tuple[str, str]], width: int) -> None:
    assert length(fitted(row, width)) == width


def test_a_row_that_fits_is_kept_whole_and_one_that_does_not_ends_with_an_ellipsis() -> None:
    row = (("abc", "label"), ("def", "strong"))
    assert fitted(row, 6) == row
    assert fitted(row, 5) == (("abc", "label"), ("d", "strong"), ("…", "muted"))


def test_wide_and_combining_characters_are_measured_in_cells() -> None:
    assert cells("注意") == 4
    assert cells("e\u0301") == 1
    assert fitted((("注意", "label"),), 4) == (("注意", "label"),)
    assert fitted((("注意", "label"),), 3) == (("注", "label"), ("…", "muted"))


def test_the_first_of_several_that_fits_is_taken_and_otherwise_the_last() -> None:
    assert first_text(["long name", "name", "n"], 5) == "name"
    assert first_text(["long name", "name"], 2) == "name"
    short, long = (("ab", "text"),), (("abcd", "text"),)
    assert first_fit([long, short], 3) == short


def test_blocks_stand_side_by_side() -> None:
    rows = beside(message("a", 2, 2), message("b", 3, 2), 1)
    assert [length(row) for row in rows] == [6, 6]
    assert "".join(text for text, _ in rows[0]) == "a  b  "


def test_parts_are_packed_whole_and_those_left_out_are_counted() -> None:
    parts: list[Row] = [((word, "text"),) for word in ("one", "two", "three", "four")]
    title: Row = (("title", "strong"),)

    def text(width: int, height: int, *choices: tuple[Row, list[Row]]) -> str:
        return plain(packed(choices or [(title, parts)], width, height))

    assert text(30, 1) == "title  one  two  three  four"
    assert text(12, 3) == "title  one\ntwo  three\nfour"
    assert text(14, 2) == "title  one\ntwo  … 2 more"
    assert text(15, 1) == "title  … 4 more"
    assert text(4, 1) == "title"
    assert text(15, 1, (title, parts), ((), parts[:2])) == "one  two"
