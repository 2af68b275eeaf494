"""The doctor's chart: m of every head, and a legend for every sign in it."""

import pytest

from attn_tui.charts.colour import Palette
from attn_tui.heads.doctor_pane import (
    LEAST_WITH_LEGEND,
    LEGEND,
    Chart,
    HeadMultiplier,
    MultiplierPlot,
)

COLOURS = Palette(
    {
        "larger": "#48a84f", "scaled": "#4795ed", "text": "#e6e8ee", "muted": "#7a7d86",
        "accent": "#b9a3ff", "background": "#0e1016",
    }
)  # fmt: skip

HEADS = (
    HeadMultiplier((0, 0, 0), "agrees", 0.125, 0.125, 0.1249, 0.1251),
    HeadMultiplier((0, 0, 1), "silent", 0.125, 0.128, 0.124, 0.5),
    HeadMultiplier((0, 0, 2), "differs", 0.125, 0.13, 0.129, 0.131),
    HeadMultiplier((0, 0, 3), "cannot tell", 0.125),
)


@pytest.mark.parametrize("lines", range(5, 20))
def test_equal_multipliers_stand_in_one_line(lines: int) -> None:
    """8 times is three quarters of the way to ×16: halfway between two lines of some charts."""
    heads = [
        HeadMultiplier((0, 0, head), "differs", 0.125, m, m * 0.999, m * 1.001)
        for head, m in enumerate((0.9998, 1.0, 1.0002, 1.0004))
    ]
    drawn = Chart(MultiplierPlot(heads)).draw(80, lines, COLOURS).text().split("\n")
    plot = drawn[:-2] if lines >= LEAST_WITH_LEGEND else drawn[:-1]
    assert [line.count("✗") for line in plot if "✗" in line] == [4]
    assert not any("│" in line for line in plot)


@pytest.mark.parametrize("lines", [7, 9, 14])
def test_the_legend_explains_every_sign_of_the_chart_and_no_other(lines: int) -> None:
    for heads in (HEADS, HEADS[:1], HEADS[2:]):
        drawn = Chart(MultiplierPlot(heads), (0, 0, 0)).draw(110, lines, COLOURS).text().split("\n")
        for sign, meaning in LEGEND.items():
            is_drawn = any(sign in line for line in drawn[:-1])
            assert is_drawn == (f"{sign} {meaning}" in drawn[-1]), sign


def test_a_low_chart_has_layers_in_place_of_a_legend() -> None:
    drawn = Chart(MultiplierPlot(HEADS), (0, 0, 0)).draw(110, 6, COLOURS).text().split("\n")
    assert drawn[-1].split() == ["layer", "0"]
