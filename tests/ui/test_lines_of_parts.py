"""A line that does not fit leaves out whole parts, and those behind it are wrapped."""

import pytest
from textual.app import App, ComposeResult

from attn_tui.ui.whole_words import WholeWords

CAPTURE = "a[1].npz · 8 layers × 8 heads · 128 × 128, d_k 32"
FINDING = "Another m would not show in layer 4 head 7: m = 0.1768\nIts rows have equal logits"


class Host(App[None]):
    """An application with one line."""

    CSS = "WholeWords { height: auto; max-height: 3; }"

    def compose(self) -> ComposeResult:
        yield WholeWords("… i has the rest")


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        (CAPTURE, 60, [CAPTURE]),
        (CAPTURE, 40, ["a[1].npz · 8 layers × 8 heads"]),
        (CAPTURE, 45, ["a[1].npz · 8 layers × 8 heads · 128 × 128"]),
        (
            "Layer 0 head 3 differs\ncause        no scale at all, or one that q carries already",
            40,
            [
                "Layer 0 head 3 differs",
                "cause        no scale at all, or one",
                "             that q carries already",
            ],
        ),
        (FINDING, 10, ["Another m…", "Its rows", "… i has…"]),
        (FINDING, 50, ["Another m would not show in layer 4 head 7", "Its rows have equal logits"]),
        (FINDING, 24, ["Another m would not…", "Its rows have equal", "logits"]),
    ],
)
async def test_what_does_not_fit_is_left_out_part_by_part(
    text: str, columns: int, lines: list[str]
) -> None:
    async with Host().run_test(size=(columns, 4)) as pilot:
        line = pilot.app.query_one(WholeWords)
        line.show(text)
        await pilot.pause()
        assert line.render().plain.split("\n") == lines
