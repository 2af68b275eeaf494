"""Checks shared by the tests of charts."""

from attn_tui.report.rows import Row, length

ROLES = frozenset(
    ["text", "muted", "label", "axis", "cursor", "error", "strong", "zero"]
    + ["unscaled", "scaled", "pinned", "unscaled_band", "scaled_band"]
    + [f"{sign}{shade}" for sign in ("positive", "negative") for shade in (1, 2, 3, 4)]
    + [f"rule{number}{band}" for number in (1, 2, 3, 4) for band in ("", "_band")]
)


def check_block(rows: tuple[Row, ...], width: int, height: int) -> None:
    """Assert that a block has its size to the cell and nothing but known roles and clean text."""
    assert len(rows) == height
    for row in rows:
        assert length(row) == width
        assert {role for _, role in row} <= ROLES
        assert "".join(text for text, _ in row).isprintable()


def lines(rows: tuple[Row, ...]) -> list[str]:
    """Return rows as strings, blanks at their ends kept."""
    return ["".join(text for text, _ in row) for row in rows]
