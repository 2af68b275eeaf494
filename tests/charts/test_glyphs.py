"""The characters that replace glyphs on a terminal that has only ASCII."""

from attn_tui.charts.glyphs import LESS, MORE, in_ascii


def test_steps_of_size_stay_apart_in_ascii() -> None:
    for steps in (MORE, LESS):
        assert len(set(in_ascii(steps))) == len(steps)


def test_a_curve_in_ascii_lies_where_its_dots_do_and_rises_as_they_do() -> None:
    assert in_ascii("⠉⠒⠤⣀") == "'--."
    assert in_ascii("⢣⡜⡇⢸⣀⣤⣶") == "\\/||..:"


def test_a_dot_that_multiplies_is_kept_in_ascii_and_one_that_is_drawn_is_not() -> None:
    assert in_ascii("m·q·k = m·√d_k, B···A ·") == "m·q·k = m·√d_k, B...A ."
