"""Headlines of Dot products, against the table of sentences and against simulation."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.dots.answer import answer
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.number import Number
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, parse
from attn_tui.old.report.dots.headline import headline
from attn_tui.report.headline import FULL, SHORT, wrapped

SOURCE = parse(EXAMPLE).source


def asked(settings: Settings, d_k: int = 1024, rule: str = "inverse-sqrt") -> Experiment:
    return Experiment(SOURCE, Setup(d_k, parse_scale(rule)).put(settings))


@pytest.mark.parametrize(
    ("experiment", "expected"),
    [
        (
            asked(Settings()),
            "At d_k = 1,024, q·k is typically ±32: it grows as √d_k. Divided by √d_k it is "
            "typically ±1, at this d_k and at every other.",
        ),
        (
            asked(Settings(entries="die")),
            "Dice are never negative, so q·k averages 12,544, give or take 290. Divided by √d_k it "
            "still averages 392, and that grows as √d_k.",
        ),
        (
            asked(Settings(tied=True)),
            "All components are one number, so nothing cancels: q·k is typically ±1,024, and grows "
            "as d_k. Divided by √d_k it is still ±32, and grows as √d_k.",
        ),
        (
            asked(Settings(correlation=0.5)),
            "q and k lean the same way, so q·k averages 512, give or take 36. Divided by √d_k it "
            "still averages 16, and that grows as √d_k.",
        ),
        (
            asked(Settings(correlation=0.5), rule="inverse"),
            "q and k lean the same way, so q·k averages 512, give or take 36. Divided by d_k it "
            "averages 0.5, at this d_k and at every other.",
        ),
        (
            asked(Settings(), rule="inverse"),
            "At d_k = 1,024, q·k is typically ±32: it grows as √d_k. Dividing by d_k is too much: "
            "±32 becomes ±0.031, and shrinks as d_k grows.",
        ),
        (
            asked(Settings(), rule="none"),
            "At d_k = 1,024, q·k is typically ±32: it grows as √d_k. Nothing is divided here.",
        ),
        (
            asked(Settings(), rule="yarn"),
            "At d_k = 1,024, q·k is typically ±32: it grows as √d_k. Scaled by the rule yarn it is "
            "typically ±1.9, at this d_k and at every other.",
        ),
        (
            asked(Settings(entries="coins", correlation=1.0)),
            "q·k is always 1,024 here: nothing varies.",
        ),
    ],
)
def test_it_says_what_there_is_to_say(experiment: Experiment, expected: str) -> None:
    assert headline(experiment).full == expected


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.builds(
        Settings,
        entries=st.sampled_from(["normal", "uniform", "coins", "die"]),
        tied=st.booleans(),
        correlation=st.sampled_from([0.0, 0.0, 0.5, -0.5, 1.0]),
        mean_q=st.sampled_from([0.0, 0.0, 1.0, -3.5, 1e6]),
        mean_k=st.sampled_from([0.0, 0.0, 0.5, -1e6]),
    ),
    st.sampled_from([1, 2, 64, 1000, 65_536]),
    st.sampled_from(["inverse-sqrt", "none", "inverse", "temperature:T=1e200", "ssmax", "mup"]),
)
def test_every_sentence_fits(settings: Settings, d_k: int, rule: str) -> None:
    found = headline(asked(settings, d_k, rule))
    assert len(wrapped(found.full, FULL)) <= 2
    assert len(wrapped(found.short, SHORT)) <= 2
    assert "…" not in found.full
    assert not re.search(r"\de[+-]?\d", found.full + found.short)


@pytest.mark.parametrize(
    "settings",
    [Settings(), Settings(entries="die"), Settings(tied=True), Settings(correlation=-0.5)],
)
def test_what_is_typical_is_what_is_drawn(settings: Settings) -> None:
    generator, d_k, n = np.random.default_rng(5), 64, 20_000
    shape = (n, 1 if settings.tied else d_k)
    if settings.entries == "die":
        q, k = generator.integers(1, 7, (2, *shape)).astype(float)
    else:
        q, other = generator.standard_normal((2, *shape))
        k = settings.correlation * q + np.sqrt(1 - settings.correlation**2) * other
    products = (q * k).mean(axis=1) * d_k
    text = headline(asked(settings, d_k)).full.replace("−", "-").replace(",", "")
    told = [float(number) for number in re.findall(r"(?:±|averages |take )(-?\d+(?:\.\d+)?)", text)]
    spread = products.std()
    if "averages" in text:
        mean = products.mean()
        expected = [mean, spread, mean / 8.0]
    else:
        expected = [spread, spread / 8.0]
    assert told == pytest.approx(expected, rel=0.06)


def test_draws_that_disagree_say_so() -> None:
    *_, found = answer(asked(Settings(samples=1000)))
    assert headline(found.experiment, found) == headline(found.experiment)
    odd = replace(found, unscaled=replace(found.unscaled, mean=Number(9.0, 1.0, 0.0)))
    assert headline(odd.experiment, odd).full == (
        "At d_k = 1,024, q·k is typically ±32: it grows as √d_k. The draws disagree: their mean is "
        "9.0 standard errors off."
    )


@pytest.mark.parametrize(("d_k", "left"), [(64, "0.125"), (1024, "0.031"), (256, "0.0625")])
def test_what_three_digits_write_is_not_rounded(d_k: int, left: str) -> None:
    setup = Setup(d_k=d_k, scale=parse_scale("inverse"))
    assert f"becomes ±{left}, " in headline(parse(replace(EXAMPLE, setup=setup))).full
