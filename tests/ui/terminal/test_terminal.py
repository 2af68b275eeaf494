"""What a terminal can show, as its name tells."""

from attn_tui.ui.terminal.ascii import lacks_blocks


def test_drawings_keep_to_ascii_where_blocks_are_lacking() -> None:
    for terminal, lacks in [
        ("", False),
        ("xterm-256color", False),
        ("screen.linux", False),
        ("linux", True),
        ("linux-16color", True),
        ("vt220", True),
        ("dumb", True),
    ]:
        assert lacks_blocks(terminal) == lacks
