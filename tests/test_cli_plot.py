"""Pictures below a report: for pipes, logs and mail."""

import pytest

from attn_tui.charts.glyphs import DRAWN
from tests.test_cli import call

LINES = {
    "show": (["show", "100,120,150"], ["Weights over d_k", "Gradient over d_k"], "65,536"),
    "dot": (["dot", "--d-k", "64", "--samples", "1e4"], ["q·k and q·k/√d_k"], "σ = ±8"),
    "sweep": (["sweep", "--draws", "20", "--points", "5"], ["Gradient over d_k"], "1/√d_k"),
    "sweep --map": (
        ["sweep", "--map", "--draws", "20", "--points", "4"],
        ["What dividing by √d_k does to the gradient"],
        "n\\d_k",
    ),
    "heads": (["heads", "example"], ["layers down and heads across"], "100 %"),
}


@pytest.mark.parametrize("name", LINES)
def test_pictures_stand_below_the_report_with_titles_and_axes(name: str) -> None:
    line, titles, axis = LINES[name]
    plotted = call(*line, "--plot").stdout
    report, _, pictures = plotted.partition(titles[0])
    assert len(report) > 300
    pictures = titles[0] + pictures
    for title in titles:
        assert title in pictures
    assert axis in pictures
    assert max(map(len, pictures.splitlines())) <= 100
    assert "\x1b" not in plotted


def test_ascii_has_no_glyph_that_a_log_cannot_show() -> None:
    line = ["show", "100,120,150", "--plot"]
    report = call(*line[:-1]).stdout
    pictures = call(*line, "--ascii").stdout.removeprefix(report)
    assert "unscaled" in pictures
    assert not set(pictures) & set(DRAWN)


@pytest.mark.parametrize(
    "line",
    [
        ["show", "1,2", "--plot", "--json"],
        ["heads", "example", "--plot", "--csv"],
        ["sweep", "--crossover", "--plot"],
    ],
)
def test_what_programs_read_has_no_pictures(line: list[str]) -> None:
    done = call(*line)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--plot" in done.stderr


def test_of_several_vectors_the_picture_names_its_own() -> None:
    assert "Weights over d_k of b" in call("show", "b:1,2", "c:3,4", "--plot").stdout
