"""What a terminal can show, as its name tells."""

import pytest

from attn_tui.ui.terminal.ascii import lacks_blocks


@pytest.mark.parametrize(
    ("terminal", "lacks"),
    [
        ("", False),
        ("xterm-256color", False),
        ("screen.linux", False),
        ("linux", True),
        ("linux-16color", True),
        ("vt220", True),
        ("dumb", True),
    ],
)
def test_drawings_keep_to_ascii_where_blocks_are_lacking(terminal: str, lacks: bool) -> None:
    assert lacks_blocks(terminal) == lacks
