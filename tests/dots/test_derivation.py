"""The derivation of the variance of q·k: its formulas and its sentences, against the exact law."""

import re
from dataclasses import replace
from functools import cache
from math import log2, sqrt

import pytest

from attn_tui.compute.dots.answer import Answer, answer
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import parse_scale
from attn_tui.compute.setup import Setup
from attn_tui.dots.derivation import DerivationStep, derivation, steps
from attn_tui.files.draft import EXAMPLE, parse
from attn_tui.report.rows import length, plain
from tests.pairs import covering

SOURCE = parse(EXAMPLE).source
NORMAL = Settings(samples=10, d_ks=())
ASKED = {
    "normal": NORMAL,
    "dice": replace(NORMAL, entries="die"),
    "tied": replace(NORMAL, tied=True),
    "tied dice": replace(NORMAL, entries="die", tied=True),
    "rho": replace(NORMAL, correlation=0.5),
    "rho below 0": replace(NORMAL, correlation=-0.5),
    "two means": replace(NORMAL, mean_q=2.0, mean_k=-3.0),
    "means against rho": replace(NORMAL, mean_q=1.0, mean_k=-1.0, correlation=1.0),
    "spread": NORMAL,
    "spread dice": replace(NORMAL, entries="die", correlation=0.25),
    "constant": replace(NORMAL, entries="coins", correlation=1.0),
}
RULES = ("inverse-sqrt", "inverse", "none", "yarn", "fixed:a=256", "mup", "power:alpha=0.3")
POWER = r"(?:grows|shrinks) as d_k\^(−?\d+(?:\.\d+)?)"
GROWTHS = {
    "grows as d_k²": 2.0, "grows as d_k": 1.0, "grows as √d_k": 0.5, "the same at every d_k": 0.0,
    "at every d_k": 0.0, "shrinks as 1/√d_k": -0.5, "shrinks as 1/d_k": -1.0,
}  # fmt: skip


@cache
def drawn(name: str, d_k: int = 64, rule: str = "inverse-sqrt") -> Answer:
    setup = Setup(d_k, parse_scale(rule)).put(ASKED[name])
    if name.startswith("spread"):
        setup = replace(setup, sigma_q=3.0, sigma_k=0.5)
    *_, last = answer(Experiment(SOURCE, setup))
    return last


def by_name(name: str, d_k: int = 64, rule: str = "inverse-sqrt") -> dict[str, DerivationStep]:
    return {step.name: step for step in steps(drawn(name, d_k, rule))}


def value(formula: str) -> float:
    """Return the value of the expression behind the last equals sign."""
    text = formula.rpartition(" = ")[2].replace("−", "-").replace("·", "*").replace("²", "**2")
    text = text.replace(",", "")
    return float(eval(re.sub(r"√(\d[\d.]*(e\d+)?)", r"sqrt(\1)", text), {"sqrt": sqrt}))


@pytest.mark.parametrize(("d_k", "rule", "name"), covering([1, 2, 64, 65_536], RULES, ASKED))
def test_every_formula_gives_the_exact_number_beside_it(name: str, rule: str, d_k: int) -> None:
    by_step = by_name(name, d_k, rule)
    assert len(by_step) >= 3
    for step in by_step.values():
        exact = step.number.exact
        assert exact is not None
        if " = " not in step.formula:
            assert step.name == "cross"
            assert exact == 0.0
        else:
            # Its terms are rounded to four digits.
            assert value(step.formula) == pytest.approx(exact, rel=2e-3, abs=1e-9)


@pytest.mark.parametrize(("rule", "name"), covering(RULES, ASKED))
def test_what_is_said_to_grow_grows_so(name: str, rule: str) -> None:
    few, many = by_name(name, 64, rule), by_name(name, 256, rule)
    assert few.keys() == many.keys()
    count = 0
    for step, other in zip(few.values(), many.values(), strict=True):
        words = re.search("|".join((POWER, *GROWTHS)), step.words)
        if not words or step.name not in ("size", "scaled", "scaled_average"):
            continue
        if "Nothing is divided" in step.words:
            continue
        before, after = step.number.exact, other.number.exact
        assert before
        assert after
        spread = "a spread that" in step.words
        power = log2(after / before) / 2.0 / (2.0 if spread else 1.0)
        said = float(words[1].replace("−", "-")) if words[1] else GROWTHS[words[0]]
        assert power == pytest.approx(said, abs=1e-9)
        count += 1
    assert count or rule == "none"


def test_it_says_why() -> None:
    assert [step.words for step in steps(drawn("normal"))] == [
        "One product averages 0: it is above 0 as often as below.",
        "It is typically ±1: the averages of q_i² and k_i² multiply.",
        "q·k adds d_k of them. Their variances add up.",
        "Different products know nothing of each other, so all cross terms are 0.",
        "So the variance of q·k is d_k.",
        "A typical size is the root of a variance: it grows as √d_k.",
        "Dividing by √d_k leaves a variance of 1 at every d_k. Dividing by d_k would leave 1/d_k: "
        "too little.",
    ]
    for name, step, words in [
        ("dice", "mean", "Dice are never negative, so one product does not average 0."),
        (
            "dice",
            "scaled_average",
            "The average grows as √d_k: dividing by d_k would hold it still.",
        ),
        (
            "tied",
            "cross",
            "But all products are one number: they move together, so nothing cancels.",
        ),
        (
            "tied",
            "total",
            "So the variance of q·k is d_k² times that of one product, not d_k times.",
        ),
        ("rho below 0", "mean", "q and k lean opposite ways, so one product does not average 0."),
        ("two means", "mean", "The means are not 0, so one product does not average 0."),
    ]:
        assert by_name(name)[step].words.startswith(words)


def test_no_word_and_no_number_is_cut() -> None:
    for width, name in covering([40, 60, 80, 120], ASKED):
        result = drawn(name, 65_536)
        rows = derivation(result, width)
        assert {length(row) for row in rows} == {width}
        text = plain(rows)
        assert "…" not in text
        written = re.sub(r"\s+", "", text)
        for step in steps(result):
            if width < 80:
                assert re.sub(r"\s+", "", step.words + step.formula) in written
            assert re.sub(r"\s+", "", step.words) in written
