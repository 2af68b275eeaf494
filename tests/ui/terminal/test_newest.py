"""Of a mouse that moves, only where it is now is passed on."""

from textual.events import Event, Key, MouseDown, MouseMove, MouseUp

from attn_tui.ui.terminal.unix import newest


def at(kind: type[MouseMove | MouseDown | MouseUp], x: int) -> Event:
    return kind(None, x, 0, 0, 0, 0, False, False, False)


def test_only_the_last_of_several_moves_in_a_row_is_passed_on() -> None:
    moves = [at(MouseMove, x) for x in range(4)]
    down, up, key = at(MouseDown, 1), at(MouseUp, 3), Key("q", "q")
    came = [moves[0], moves[1], down, moves[2], moves[3], up, key]
    assert [*newest(came)] == [moves[1], down, moves[3], up, key]
    assert [*newest([])] == []
    assert [*newest([key, key])] == [key, key]
