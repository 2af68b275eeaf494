"""The picture of Dot products, and the band over d_k, read back from their cells."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import asinh, log, sqrt
from typing import Any

import numpy as np
import pytest

from attn_tui.compute.dots.answer import Answer, answer
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, parse
from attn_tui.old.charts.dots.band import band, d_ks
from attn_tui.old.charts.dots.bells import bells
from attn_tui.old.charts.dots.values import GUTTER, ValueAxis
from attn_tui.report.rows import Row, cells, length, plain

WIDTH, HEIGHT = 120, 30
SOURCE = parse(EXAMPLE).source
ASKED = Settings(d_ks=(), samples=20_000)
COINS, DICE = replace(ASKED, entries="coins"), replace(ASKED, entries="die")
SAME = replace(COINS, correlation=1.0)


@cache
def drawn(d_k: int = 1024, rule: str = "inverse-sqrt", settings: Settings = ASKED) -> Answer:
    *_, found = answer(Experiment(SOURCE, Setup(d_k, parse_scale(rule)).put(settings)))
    return found


def columns(rows: Sequence[Row], role: str, glyphs: str) -> list[int]:
    """Return the columns of the axis, in each row together, with such a glyph in a role."""
    found = set()
    for row in rows:
        at = -GUTTER
        for text, its in row:
            for glyph in text:
                if its == role and glyph in glyphs and at >= 0:
                    found.add(at)
                at += cells(glyph)
    return sorted(found)


def brackets(found: Answer, role: str, width: int = WIDTH) -> tuple[int, int]:
    ends = columns(bells(found, width, HEIGHT), role, "├┤┴")
    return ends[0], ends[-1]


def sides(found: Answer, width: int) -> tuple[int, int]:
    """Return where the line of the unscaled bell is at half its height, left and right."""
    half = bells(found, width, HEIGHT)[(HEIGHT - 4) // 4 + 1]
    braille = "".join(map(chr, range(0x2801, 0x2900)))
    seen = columns([half], "label", braille)
    return seen[0], seen[-1]


@pytest.mark.parametrize("width", [80, 120])
def test_every_doubling_of_d_k_widens_one_bell_alike_and_leaves_the_other(width: int) -> None:
    powers = range(17)
    found = [drawn(2**power) for power in powers]
    # A doubling is a factor √2 of σ, which far from 0 is half of ln 2 on either side.
    step = (width - GUTTER) * log(2.0) / 2.0 / (2.0 * asinh(1000.0))
    assert step > 1.6
    for ends, from_power in ((brackets, 0), (sides, 4)):
        left, right = np.array(
            [
                brackets(each, "unscaled", width) if ends is brackets else sides(each, width)
                for each in found
            ]
        ).T
        for places in (right, -left):
            assert (np.diff(places) >= 1).all()
            # From end to end no place is farther than a cell and a bit from a straight line.
            straight = places[-1] - step * (16 - np.array(powers))
            assert np.abs(places - straight)[from_power:].max() <= 1.5
    assert len({brackets(each, "scaled", width) for each in found}) == 1


def test_the_axis_does_not_move_with_d_k() -> None:
    bottoms = {bells(drawn(d_k), WIDTH, HEIGHT)[-2:] for d_k in (1, 64, 65_536)}
    assert len(bottoms) == 1
    assert plain([next(iter(bottoms))[1]]).split() == [
        "−1,000", "−100", "−10", "−1", "0", "1", "10", "100", "1,000",
    ]  # fmt: skip


@pytest.mark.parametrize(("role", "m"), [("unscaled", 1.0), ("scaled", 1 / 32)])
def test_bars_are_as_high_as_the_density(role: str, m: float) -> None:
    found = drawn(1024)
    rows = bells(found, WIDTH, 64)
    lines = 30
    first = 0 if role == "unscaled" else lines + 1
    block = rows[first : first + lines]
    axis = ValueAxis.of(found.settings, found.multiplier, 1024, False)
    middles = axis.values((np.arange(WIDTH - GUTTER) + 0.5) / (WIDTH - GUTTER))
    sigma = 32.0 * m
    heights = [0] * (WIDTH - GUTTER)
    for row in block:
        for column in columns([row], role, "▒█⣀⣤⣶▁▂▃▄▅▆▇"):
            heights[column] += 1
    expected = np.exp(-(middles**2) / (2.0 * sigma**2)) * lines
    seen = np.array(heights, dtype=float)
    inside = np.abs(middles) < 3.0 * sigma
    # The curve in front hides a cell, and a bin is a quarter of σ wide.
    assert np.abs(seen - expected)[inside].max() <= 0.22 * lines
    assert np.abs(seen - expected)[inside].mean() <= 0.06 * lines


@pytest.mark.parametrize("width", [24, 40, 80, 120])
@pytest.mark.parametrize("height", [3, 6, 11, 40])
@pytest.mark.parametrize(
    "asked",
    [
        (1,),
        (2, "inverse-sqrt", COINS),
        (1024, "inverse-sqrt", DICE),
        (64, "inverse-sqrt", replace(ASKED, tied=True)),
        (64, "inverse", replace(ASKED, correlation=-0.5)),
        (64, "temperature:T=1e200"),
        (64, "inverse-sqrt", SAME),
    ],
)
@pytest.mark.parametrize("linear", [False, True])
def test_it_has_the_size_that_is_asked_for(
    asked: tuple[Any, ...], width: int, height: int, linear: bool
) -> None:
    rows = bells(drawn(*asked), width, height, linear)
    assert [length(row) for row in rows] == [width] * height
    if not linear:
        below = band(drawn(*asked), width, height)
        assert [length(row) for row in below] == [width] * height


def test_a_law_that_does_not_vary_has_no_picture() -> None:
    rows = bells(drawn(64, settings=SAME), WIDTH, HEIGHT)
    assert "always the same number" in plain(rows)


def test_values_that_are_few_have_a_bar_each() -> None:
    # −2, 0 and 2, of chances ¼, ½ and ¼, each in the middle of a bin.
    rows = bells(drawn(2, settings=COINS), WIDTH, HEIGHT)
    axis = ValueAxis.of(Settings(), 1.0, 2, False)
    block = rows[: (HEIGHT - 4) // 2]
    heights = {
        value: sum(int(axis.fractions(np.array([value]))[0] * (WIDTH - GUTTER))
                   in columns([row], "unscaled", "▒⣀⣤⣶") for row in block)
        for value in (-2.0, 0.0, 2.0, 4.0)
    }  # fmt: skip
    assert heights[4.0] == 0
    assert heights[0.0] == len(block)
    assert abs(heights[2.0] - len(block) / 2) <= 1
    assert abs(heights[-2.0] - len(block) / 2) <= 1


def test_a_mean_that_grows_marches_right() -> None:
    places = [np.mean(brackets(drawn(4**power, settings=DICE), "unscaled")) for power in range(9)]
    steps = np.diff(places)
    assert (steps > 0).all()
    assert steps[2:].std() < 1.0


def test_the_band_is_two_standard_deviations_wide() -> None:
    found = drawn(1024)
    axis = ValueAxis.of(found.settings, found.multiplier, 1024, False)
    for d_k, row in zip(d_ks(1024, 10), band(found, WIDTH, 13)[1:], strict=False):
        seen = columns([row], "unscaled", "▒") + columns([row], "scaled", "█")
        ends = axis.fractions(np.array([-2.0, 2.0]) * sqrt(d_k)) * (WIDTH - GUTTER)
        assert abs(min(seen) - ends[0]) <= 1.0
        assert abs(max(seen) - ends[1]) <= 1.0
        scaled = columns([row], "scaled", "█")
        ends = axis.fractions(np.array([-2.0, 2.0])) * (WIDTH - GUTTER)
        assert abs(min(scaled) - ends[0]) <= 1.0
        assert abs(max(scaled) - ends[1]) <= 1.0


def test_the_band_marks_the_present_d_k() -> None:
    _, *lines = plain(band(drawn(1000), WIDTH, 10)).splitlines()
    assert [line for line in lines if line.startswith("▸")] == [
        line for line in lines if " 1,000 " in line[:GUTTER]
    ]
    assert [int(line[:GUTTER].strip("▸ ").replace(",", "")) for line in lines[:-2]] == sorted(
        d_ks(1000, 7)
    )
