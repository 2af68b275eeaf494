"""The headline of Dot products: how large q·k is, what dividing makes of it, and how both grow."""

from dataclasses import dataclass
from math import log

from attn_tui.compute.dots.answer import Answer, law_of
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import Pair
from attn_tui.compute.scale import Scale
from attn_tui.old.report.dots.readouts import readouts
from attn_tui.report.headline import DIVISORS, Headline
from attn_tui.report.measured import deviations
from attn_tui.report.numbers import MINUS

FAR = 4.0
"""Draws so many standard errors from what is exact are said to disagree with it."""

_GROWTHS = {1.0: "grows as d_k", 0.5: "grows as √d_k", -0.5: "shrinks as d_k grows"}
"""How a number changes with a power of d_k, in words."""


def headline(experiment: Experiment, answer: Answer | None = None) -> Headline:
    """Return the headline of a question; its numbers are exact.

    Args:
        experiment: The question.
        answer: What was drawn so far, if anything: it may disagree with the law.
    """
    setup = experiment.setup
    law = law_of(setup.get(Settings), setup.d_k)
    n = experiment.vectors[0].n_attended
    divided = Divided.of(setup.scale, setup.d_k, max(n, 1))
    far = _disagreement(answer) if answer else ""
    if law.standard_deviation == 0.0:
        always = f"q·k is always {_amount(law.mean)} here: nothing varies."
        return Headline.fitting((always,), (always,))
    parts = _about_mean(law, divided) if law.mean else _about_spread(law, divided)
    (first, *seconds), shorts = parts
    ends = (far,) if far else (f"{second}." for second in seconds)
    return Headline.fitting((*(f"{first}. {end}" for end in ends), *shorts), shorts)


def _about_spread(law: DotLaw, divided: "Divided") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is said where q·k is 0 on average: its size is its standard deviation."""
    before, after = (_amount(law.standard_deviation * m) for m in (1.0, divided.multiplier))
    power = 1.0 if law.tied else 0.5
    left = divided.left(power)
    if law.tied:
        first = "All components are one number, so nothing cancels: q·k is typically "
        first += f"±{before}, and {_GROWTHS[power]}"
    else:
        first = f"At d_k = {law.d_k:,}, q·k is typically ±{before}: it {_GROWTHS[power]}"
    short = f"q·k is typically ±{before}, and grows."
    if divided.how == "":
        return (first, "Nothing is divided here"), (short,)
    if left < 0:
        second = f"{divided.doing} is too much: ±{before} becomes ±{after}, and {_GROWTHS[left]}"
    elif left == 0:
        second = f"{divided.how} it is typically ±{after}, at this d_k and at every other"
    else:
        second = f"{divided.how} it is{divided.still} ±{after}, and {_GROWTHS[left]}"
    always = f"{divided.how} it is ±{after} at every d_k"
    return (first, second, *((always,) if left == 0 else ())), (
        f"{short} {divided.how}: ±{after}{', always' * (left == 0)}.",
        short,
    )


def _about_mean(law: DotLaw, divided: "Divided") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is said where q·k has a mean: that grows as d_k, and faster than its spread."""
    before, after = (_amount(law.mean * m) for m in (1.0, divided.multiplier))
    spread = _amount(law.standard_deviation)
    left = divided.left(1.0)
    first = f"{cause(law.pair)}, so q·k averages {before}, give or take {spread}"
    short = f"q·k averages {before}, and grows."
    if divided.how == "":
        second = f"Its average {_GROWTHS[left]}"
        return (first, f"{second}; nothing is divided here"), (short,)
    if left == 0:
        second = f"{divided.how} it averages {after}, at this d_k and at every other"
    else:
        second = f"{divided.how} it{divided.still} averages {after}, and that {_GROWTHS[left]}"
    brief = (
        f"{divided.how} it{divided.still} {_GROWTHS[left]}" if left else f"{divided.how}: {after}"
    )
    return (first, second, brief), (f"{short} {divided.how}: {after}.", short)


def cause(pair: Pair) -> str:
    """Say why one product is not 0 on average, as a clause."""
    q, k = pair.means
    if q and k:
        shifted = pair.mean_q or pair.mean_k
        return "The entries have a mean of their own" if shifted else "Dice are never negative"
    return f"q and k lean {'the same way' if pair.correlation > 0 else 'opposite ways'}"


@dataclass(frozen=True)
class Divided:
    """What a scale does to q·k; a soft cap and a sink play no part here.

    Attributes:
        multiplier: m.
        power: Of d_k, that m falls with.
        how: ``Divided by √d_k``; nothing where nothing is divided.
        doing: ``Dividing by √d_k``.
    """

    multiplier: float
    power: float
    how: str
    doing: str

    @classmethod
    def of(cls, scale: Scale, d_k: int, n_keys: int) -> "Divided":
        """Return what a scale does at a d_k and a number of keys, which some rules depend on."""
        m = scale.multiplier(d_k, n_keys)
        ends = [scale.multiplier(each, n_keys) for each in (4, 16)]
        # Every rule is a power of d_k, times what does not depend on it.
        power = round(2.0 * log(ends[0] / ends[1]) / log(4.0)) / 2.0 if all(ends) else 0.0
        if m == 1.0 and not power:
            return cls(m, power, "", "")
        if scale.rule in DIVISORS:
            verb, by = "Divid", DIVISORS[scale.rule]
        elif power:
            verb, by = "Scal", f"the rule {scale.rule}"
        else:
            verb, by = ("Divid", _amount(1.0 / m)) if 0.0 < m < 1.0 else ("Multipli", _amount(m))
        return cls(m, power, f"{verb}ed by {by}", f"{verb.replace('ipli', 'iply')}ing by {by}")

    @property
    def still(self) -> str:
        """What goes before what dividing has not changed; nothing where it is multiplied."""
        return " still" if self.multiplier < 1.0 else ""

    def left(self, power: float) -> float:
        """Return with which power of d_k a number grows that grows with a power of it before."""
        return power - self.power


def _amount(value: float) -> str:
    """Return a number with its sign, to two digits, or all of three and of a whole one."""
    size, sign = abs(value), MINUS if value < 0 else ""
    if size >= 1e12:
        return f"{sign}over a trillion"
    if size >= 1000 or (size == round(size) and size >= 1):
        return f"{sign}{size if size < 1e6 else float(f'{size:.3g}'):,.0f}"
    short = next((n for n in (2, 3) if float(f"{size:.{n}g}") == size), 2)
    return (
        f"{sign}{float(f'{size:.{short}g}'):.6f}".rstrip("0").rstrip(".") if size >= 1e-6 else "0"
    )


def _disagreement(answer: Answer) -> str:
    """Return how far what was drawn is from what is exact, if that is too far; else nothing."""
    off = {
        title: max(found)
        for name, title, *numbers in readouts(answer)
        # A kurtosis has tails so heavy that its own error says little.
        if name in ("mean", "variance")
        and (found := [each for each in map(deviations, numbers) if each is not None])
    }
    worst = max(off, key=lambda title: off[title], default="")
    if not worst or off[worst] <= FAR:
        return ""
    name = worst.partition(" E")[0]
    return f"The draws disagree: their {name} is {off[worst]:.1f} standard errors off."
