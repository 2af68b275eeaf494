"""Ramps: more can be told from less, and text on them can be read."""

import numpy as np
import pytest
from textual.theme import BUILTIN_THEMES

from attn_tui.charts.colour import (
    HUES,
    KINDS,
    STEPS,
    Depth,
    Palette,
    both_signs,
    contrast,
    distance,
    hexadecimal,
    ink,
    mix,
    of_oklab,
    of_xterm,
    oklab,
    ramp,
    rgb,
    saturation,
    to_xterm,
)
from attn_tui.files.draft import EXAMPLE
from attn_tui.ui.app import AttnApp
from attn_tui.ui.theme import THEMES, colours_of
from tests.pairs import covering

DARK, LIGHT = "#0e1016", "#e0e0e0"

BACKGROUNDS = (DARK, LIGHT, "#000000", "#ffffff", "#1e1e2e", "#fdf6e3", "#282a36")

SYSTEMS = {Depth.TRUE: "truecolor", Depth.FEW: "256"}
"""Textual's names for the colours of a terminal."""


def ramps(background: str) -> dict[str, tuple[str, ...]]:
    kinds = {kind: ramp(kind, background) for kind in HUES}
    return kinds | {"both": both_signs(background), "saturation": saturation(background)}


def steps(colours: tuple[str, ...]) -> np.ndarray:
    """Return the distances of neighbours in OKLab."""
    return np.asarray(
        np.linalg.norm(np.diff([oklab(colour) for colour in colours], axis=0), axis=1)
    )


def test_a_little_more_is_never_drawn_in_the_colour_of_a_little_less() -> None:
    for background in BACKGROUNDS:
        for name, colours in ramps(background).items():
            assert len(set(colours)) == len(colours), name


def test_equal_steps_of_a_number_look_equal() -> None:
    for background, kind in covering(BACKGROUNDS, HUES):
        sizes = steps(ramp(kind, background))
        # A step is a few whole units of sRGB, so steps are not exactly equal.
        assert sizes.min() > 0.5 * sizes.mean()
        assert sizes.max() < 1.6 * sizes.mean()


def test_both_signs_look_equally_far_from_0() -> None:
    for background in BACKGROUNDS:
        colours = both_signs(background)
        middle = len(colours) // 2
        assert len(colours) == 2 * middle + 1
        negative, positive = colours[:middle][::-1], colours[middle + 1 :]
        assert len(negative) == len(positive) == STEPS
        zero = oklab(colours[middle])
        assert np.linalg.norm(zero - oklab(background)) < 0.15
        for sign in (negative, positive):
            away = np.linalg.norm([oklab(colour) - zero for colour in sign], axis=1)
            assert (np.diff(away) > 0.0).all()
            sizes = steps(sign)
            assert sizes.max() < 1.6 * sizes.mean()


def test_more_saturation_stands_out_more_from_a_dead_calm() -> None:
    for background in BACKGROUNDS:
        colours = saturation(background)
        away = np.linalg.norm([oklab(colour) - oklab(background) for colour in colours], axis=1)
        calm, warned = (round(level * (STEPS - 1)) for level in (0.5, 0.93))
        assert (np.diff(away[: calm + 1]) > 0.0).all()
        assert away[warned:].min() > away[: calm + 1].max()
        red, green, blue = rgb(colours[warned])
        assert red > 1.3 * max(green, blue)


def test_a_number_written_on_any_colour_can_be_read() -> None:
    for background in BACKGROUNDS:
        for name, colours in ramps(background).items():
            for colour in colours:
                assert contrast(ink(colour), colour) >= 4.5, (name, colour)


def test_oklab_is_that_of_its_author() -> None:
    # Red, green, blue and white, to the published digits.
    assert oklab("#ff0000") == pytest.approx([0.628, 0.225, 0.126], abs=1e-3)
    assert oklab("#00ff00") == pytest.approx([0.866, -0.234, 0.179], abs=1e-3)
    assert oklab("#0000ff") == pytest.approx([0.452, -0.032, -0.312], abs=1e-3)
    assert oklab("#ffffff") == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)


def test_a_colour_survives_the_way_there_and_back() -> None:
    for colour in ("#000000", "#ffffff", "#e29d04", "#4795ed", "#123456", "#010203"):
        assert of_oklab(oklab(colour)) == colour
        assert hexadecimal(rgb(colour)) == colour
        assert mix(colour, "#abcdef", 0.0) == colour
        assert mix("#abcdef", colour, 1.0) == colour


# Every theme, and terminals of 256 colours


@pytest.fixture(params=SYSTEMS, ids=lambda depth: depth.name)
def depth(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Depth:
    """Give the terminal this many colours."""
    depth: Depth = request.param
    monkeypatch.setattr("textual.constants.COLOR_SYSTEM", SYSTEMS[depth])
    return depth


def palette(theme: str) -> Palette:
    app = AttnApp(EXAMPLE)
    app.theme = theme
    app.get_css_variables()
    return colours_of(app)


@pytest.mark.slow
def test_in_every_theme_data_can_be_told_apart_and_texts_can_be_read(depth: Depth) -> None:
    for theme in [*BUILTIN_THEMES, *THEMES]:
        colours = palette(theme)
        assert colours.depth is depth
        apart = 0.03 if depth is Depth.FEW else 0.001
        for kind in KINDS:
            steps = [*dict.fromkeys(colours.ramp(kind))]
            assert min(map(distance, steps, steps[1:])) > apart, kind
            assert min(contrast(ink(step), step) for step in steps) >= 4.5, kind
        background = colours["background"]
        for kind in HUES:
            assert len(colours.ramp(kind)) >= 4
            least = colours.ramp(kind)[0]
            assert distance(least, background) > 0.02, kind
            assert abs(oklab(least)[0] - oklab(background)[0]) < 0.2, kind
        for name in (*HUES, "text", "muted", "accent"):
            assert contrast(colours[name], background) >= 4.5, name
        for one in HUES:
            for other in (*HUES, "accent"):
                assert one == other or distance(colours[one], colours[other]) > 0.07, (one, other)


def test_of_256_colours_only_those_are_used_that_are_the_same_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("textual.constants.COLOR_SYSTEM", "256")
    known = {of_xterm(number) for number in range(16, 256)}
    for theme in THEMES.values():
        colours = palette(theme.name)
        for kind in KINDS:
            assert {*colours.ramp(kind)} <= known, kind
        # A number has the colour of its curve and of its map.
        assert all(colours[kind] in colours.ramp(kind) for kind in HUES)
        # Faint tints are grey, as the nearest to a faint blue or amber have another hue.
        tints = [colours.tint(kind, level / 8) for kind in HUES for level in range(9)]
        assert all(len({*rgb(of_xterm(to_xterm(tint)))}) == 1 for tint in tints)


def test_a_ramp_of_256_colours_goes_one_way_in_one_hue() -> None:
    for background in (DARK, LIGHT):
        colours = Palette({"background": background}, Depth.FEW)
        for kind in HUES:
            labs = np.array([oklab(step) for step in colours.ramp(kind)])
            rises = np.diff(labs[:, 0])
            assert (rises > 0.0).all() if background == DARK else (rises < 0.0).all()
            hues = np.arctan2(labs[:, 2], labs[:, 1])[np.hypot(labs[:, 1], labs[:, 2]) > 0.03]
            assert np.abs(np.angle(np.exp(1j * (hues - hues[-1])))).max() < 0.7, kind
