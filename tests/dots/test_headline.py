"""The headline of Dot products: whole sentences whose numbers are those of the law."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attn_tui.compute.dots.answer import law_of
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn
from attn_tui.dots.headline import headline
from attn_tui.files.draft import EXAMPLE, parse

SOURCE = parse(EXAMPLE).source

NUMBER = r"−?\d[\d,]*(?:\.\d+)?(?: [mb]illion)?"


def asked(
    settings: Settings, d_k: int = 1024, rule: str = "inverse-sqrt", sigma_q: float = 1.0
) -> Experiment:
    return Experiment(SOURCE, Setup(d_k, parse_scale(rule), sigma_q=sigma_q).put(settings))


def of(
    settings: Settings = Settings(), d_k: int = 1024, rule: str = "inverse-sqrt",
    sigma_q: float = 1.0,
) -> str:  # fmt: skip
    return headline(asked(settings, d_k, rule, sigma_q))


SENTENCES: dict[str, str] = {
    of(): "At d_k = 1,024, q·k is typically ±32: it grows as √d_k. Divided by √d_k it is typically "
    "±1, at this d_k and at every other.",
    of(sigma_q=0.5): "At d_k = 1,024, q·k is typically ±16: it grows as √d_k. Divided by √d_k it "
    "is typically ±0.5, at this d_k and at every other.",
    of(Settings(entries="die"), sigma_q=2.0): "The means are not 0, so q·k piles up to about "
    "13,000. Divided by √d_k it is still about 390 and grows: the average does it, not the spread.",
    of(Settings(entries="die")): "Dice are never negative, so q·k piles up to about 13,000. "
    "Divided by √d_k it is still about 390 and grows: the average does it, not the spread.",
    of(Settings(mean_q=1.0, mean_k=-1.0)): "The means are not 0, so q·k averages −1,024, give or "
    "take 55. Divided by √d_k it still averages −32, and falls.",
    of(Settings(correlation=0.5)): "q and k lean the same way, so q·k averages 512, give or take "
    "36. Divided by √d_k it still averages 16, and grows.",
    of(Settings(tied=True)): "All components are one number, so nothing cancels: q·k is typically "
    "±1,024. Divided by √d_k it is still ±32, and grows.",
    of(rule="inverse"): "Dividing by d_k is too much: ±32 becomes ±0.0312, and shrinks as d_k "
    "grows.",
    of(rule="power:0.3"): "Scaling by the rule power is too little: ±32 becomes ±4, and still "
    "grows with d_k.",
    of(rule="yarn"): "At d_k = 1,024, q·k is typically ±32: it grows as √d_k. Scaled by the rule "
    "yarn it is typically ±1.87, at this d_k and at every other.",
    of(rule="fixed:a=144"): "q·k averages 0, give or take 32. Divided by 12 it averages 0, give or "
    "take 2.67.",
    of(rule="temperature:1e30"): "q·k averages 0, give or take 32. Divided by over a trillion it "
    "averages 0, give or take under a millionth.",
    of(Settings(mean_q=1e6, mean_k=-1e6), rule="mup"): "q·k averages under −1 trillion, give or "
    "take 45.3 million. Scaled by the rule mup it averages under −1 trillion, give or take "
    "353,553.",
    of(d_k=1): "Nothing is divided here (√1 = 1): q·k averages 0, give or take 1.",
    of(Settings(entries="coins", correlation=1.0)): "q·k is always 1,024 here: nothing varies.",
}  # fmt: skip


def test_a_person_reads_the_sentence_that_fits_the_question() -> None:
    for sentence, expected in SENTENCES.items():
        assert sentence == expected


QUESTIONS = st.builds(
    asked,
    st.builds(
        Settings,
        entries=st.sampled_from(["normal", "uniform", "coins", "die"]),
        tied=st.booleans(),
        correlation=st.sampled_from([0.0, 0.0, 0.5, -0.5, 1e-9, 1.0]),
        mean_q=st.sampled_from([0.0, 0.0, 1e-6, 1.0, -3.5, 1e6]),
        mean_k=st.sampled_from([0.0, 0.0, 0.5, -1e6]),
    ),
    st.sampled_from([1, 2, 64, 1000, 65_536]),
    st.sampled_from(
        [
            "inverse-sqrt", "none", "inverse", "temperature:T=1e200", "temperature:T=1e-200",
            "ssmax", "mup", "per-layer:layer=7", "log-length", "fixed:a=144",
            "power:alpha=0.3", "power:alpha=0.7",
        ]
    ),
    st.sampled_from([1.0, 1.0, 0.707, 2.0, 1000.0]),
)  # fmt: skip


@settings(max_examples=50, derandomize=True)
@given(QUESTIONS)
def test_it_is_short_and_plain_and_its_numbers_are_of_the_law(experiment: Experiment) -> None:
    sentence = headline(experiment)
    assert len(sentence) <= 170
    assert not re.search(
        r"\de[-+]?\d|∂|‖|\{|\}|\binf\b|nan|  |−over|about over|±−|−0\b(?!\.)", sentence
    ), sentence
    assert sentence.endswith(".")
    assert len(re.findall(NUMBER, sentence.replace("√1 = 1", ""))) <= 5
    setup = experiment.setup
    law = law_of(setup.get(Settings), setup.d_k, setup.sigmas)
    m = setup.scale.multiplier(setup.d_k, experiment.vectors[0].n_attended)
    sizes = [law.mean, law.standard_deviation]
    known = [*sizes, *(m * size for size in sizes), m, 1.0 / m]
    sentence = re.sub(rf"At d_k = {setup.d_k:,}|\([^)]* (?:1|none)\)", "", headline(experiment))
    for text in re.findall(NUMBER, re.sub(r"under −1 trillion|not 0", "", sentence)):
        units = {"million": 1e6, "billion": 1e9}
        number, _, unit = text.replace("−", "-").replace(",", "").partition(" ")
        told = float(number) * units.get(unit, 1.0)
        # Two decimals below 1, or one digit below 0.01; otherwise two digits or more.
        assert any(
            abs(told - value) <= max(0.0051 * (abs(told) >= 0.01), 0.051 * abs(told))
            or (abs(told) < 0.01 and abs(told - value) <= 0.5 * abs(told))
            for value in known
        ), (headline(experiment), known)


@settings(max_examples=50, derandomize=True)
@given(QUESTIONS)
def test_what_is_said_to_be_the_same_at_every_d_k_is(experiment: Experiment) -> None:
    setup = experiment.setup
    sentence = headline(experiment)
    sizes = []
    for d_k in (16, 65_536):
        law = law_of(setup.get(Settings), d_k, setup.sigmas)
        m = setup.scale.multiplier(d_k, experiment.vectors[0].n_attended)
        is_of_mean = "averages" in sentence or "piles up" in sentence
        sizes.append(m * abs(law.mean if is_of_mean else law.standard_deviation))
    if "at every other" in sentence:
        assert sizes[1] == pytest.approx(sizes[0], rel=1e-9)
    if sentence.endswith(("grows.", "falls.")) and "shrinks" not in sentence:
        assert sizes[1] > 1.5 * sizes[0]
    if "shrinks as d_k grows" in sentence:
        assert sizes[1] < sizes[0] / 1.5


@pytest.mark.parametrize(
    "settings",
    [Settings(), Settings(entries="die"), Settings(tied=True), Settings(correlation=-0.5)],
)
def test_what_is_typical_is_what_a_person_would_draw(settings: Settings) -> None:
    generator, d_k, n = np.random.default_rng(5), 64, 20_000
    shape = (n, 1 if settings.tied else d_k)
    if settings.entries == "die":
        q, k = generator.integers(1, 7, (2, *shape)).astype(float)
    else:
        q, other = generator.standard_normal((2, *shape))
        k = settings.correlation * q + np.sqrt(1 - settings.correlation**2) * other
    products = (q * k).mean(axis=1) * d_k
    text = of(settings, d_k).replace("−", "-").replace(",", "")
    told = [
        float(number)
        for number in re.findall(r"(?:±|averages |take |about )(-?\d+(?:\.\d+)?)", text)
    ]
    mean, spread = products.mean(), products.std()
    expected = [spread, spread / 8.0]
    if "averages" in text:
        expected = [mean, spread, mean / 8.0]
    if "about" in text:
        expected = [mean, mean / 8.0]
    assert told == pytest.approx(expected, rel=0.06)


def test_a_spread_does_not_cancel_where_nothing_is_normalised() -> None:
    """Here q and k are drawn as they are, also under a rule that normalises them elsewhere."""
    setup = Setup(64, parse_scale("cosine:g=8"), sigma_q=2.0)
    assert "give or take 16." in headline(Experiment(Drawn(), setup))
