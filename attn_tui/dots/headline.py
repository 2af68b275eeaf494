"""The headline of Dot products: one or two whole sentences, whose numbers are exact.

The first says how large q·k is, or what it piles up to; the second what the scale makes of it.
"""

from dataclasses import dataclass
from math import log, sqrt

from attn_tui.compute.dots.answer import law_of
from attn_tui.compute.dots.settings import Settings
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.law.entries import Pair
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.numbers import about, amount
from attn_tui.compute.scale import LogitMap, Scale
from attn_tui.report import words

PILED_UP = 2.0
"""q·k piles up if its average is at least this many standard deviations above 0."""

NO_AVERAGE = 0.05
"""An average that exceeds this many standard deviations at no d_k is not mentioned."""

UNTOLD = 1e12
"""A larger average is not spelled out, so no sentence can be built around it."""

LEAST_MULTIPLIER = 5e-7
"""A multiplier below this makes everything practically 0, which is not said to grow."""

CONSTANT = "q·k is always {mean} here: nothing varies."
UNDIVIDED = "Nothing is divided here ({why}): q·k averages {mean}, give or take {spread}."
TOO_MUCH = "{doing} is too much: ±{spread} becomes ±{spread_after}, and shrinks as d_k grows."
TOO_LITTLE = "{doing} is too little: ±{spread} becomes ±{spread_after}, and still grows with d_k."
KEPT = (
    "At d_k = {d_k}, q·k is typically ±{spread}: it grows as √d_k. {done} it is typically "
    "±{spread_after}, at this d_k and at every other."
)
TIED = (
    "All components are one number, so nothing cancels: q·k is typically ±{spread}. {done} it is "
    "still ±{spread_after}, and grows."
)
PILES_UP = (
    "{cause}, so q·k piles up to about {about_mean}. {done} it is still about {about_mean_after} "
    "and grows: the average does it, not the spread."
)
AVERAGES = (
    "{cause}, so q·k averages {mean}, give or take {about_spread}. {done} it still averages "
    "{mean_after}, and {grows}."
)
NUMBERS = (
    "q·k averages {mean}, give or take {spread}. {done} it averages {mean_after}, give or take "
    "{spread_after}."
)
"""The sentence for all other cases."""


def headline(experiment: Experiment) -> str:
    """Return the headline of an experiment; its numbers are exact."""
    setup = experiment.setup
    law = law_of(setup.get(Settings), setup.d_k, setup.sigmas)
    divided = Divided.of(setup.scale, setup.d_k, max(experiment.vectors[0].n_attended, 1))
    m = divided.multiplier
    if law.standard_deviation == 0.0:
        sentence = CONSTANT
    elif m == 1.0:
        sentence = UNDIVIDED
    else:
        sentence = _sentence(law, divided)
    return sentence.format(
        d_k=f"{law.d_k:,}",
        spread=amount(law.standard_deviation),
        spread_after=amount(law.standard_deviation * m),
        about_spread=about(law.standard_deviation),
        mean=amount(law.mean),
        mean_after=amount(law.mean * m),
        about_mean=about(law.mean),
        about_mean_after=about(law.mean * m),
        cause=cause(law.pair),
        grows="grows" if law.mean > 0.0 else "falls",
        done=divided.done,
        doing=divided.doing,
        why=words.why_undivided(setup.scale),
    )


def _sentence(law: DotLaw, divided: "Divided") -> str:
    """Return the sentence that describes what a scale makes of q·k."""
    m, one = divided.multiplier, law.product
    # The average of independent products outgrows their spread as √d_k.
    most = abs(one.mean) * (1.0 if law.tied else sqrt(D_K.maximum))
    is_of_mean = most > NO_AVERAGE * sqrt(one.variance)
    grows_still = divided.power < 1.0 and LEAST_MULTIPLIER < m < 1.0
    if is_of_mean:
        if not grows_still or abs(law.mean) > UNTOLD:
            return NUMBERS
        has_means = law.pair.means[0] != 0.0 != law.pair.means[1]
        piles_up = has_means and law.mean >= PILED_UP * law.standard_deviation
        return PILES_UP if piles_up else AVERAGES
    if law.tied:
        return TIED if grows_still else NUMBERS
    if divided.power == 0.5:
        return KEPT
    if divided.power > 0.5 and m < law.d_k**-0.5:
        return TOO_MUCH
    if 0.0 < divided.power < 0.5 and LEAST_MULTIPLIER < m < 1.0:
        return TOO_LITTLE
    return NUMBERS


def cause(pair: Pair) -> str:
    """Return why one product is not 0 on average, as a clause."""
    q, k = pair.means
    if q and k:
        is_shifted = pair.mean_q or pair.mean_k
        # A die that is spread far enough about its mean has faces below 0.
        is_above_0 = max(pair.sigma_q, pair.sigma_k) * pair.law.end <= pair.law.mean
        return "Dice are never negative" if is_above_0 and not is_shifted else "The means are not 0"
    return f"q and k lean {'the same way' if pair.correlation > 0.0 else 'opposite ways'}"


@dataclass(frozen=True)
class Divided:
    """What a scale does to q·k; a soft cap and a sink play no part here.

    Attributes:
        multiplier: m.
        power: The power of d_k with which m falls.
        done: What was done, as words: ``Divided by √d_k``.
        doing: What the scale does, as words: ``Dividing by √d_k``.
    """

    multiplier: float
    power: float
    done: str
    doing: str

    @property
    def changes(self) -> bool:
        """Whether the scale changes q·k at some d_k."""
        return self.multiplier != 1.0 or self.power != 0.0

    @classmethod
    def of(cls, scale: Scale, d_k: int, n_keys: int) -> "Divided":
        """Return what a scale does at a d_k, and at a number of keys, which some rules use."""
        m = scale.multiplier(d_k, n_keys)
        ends = [scale.multiplier(d_k, n_keys) for d_k in (4, 16)]
        # Every rule is a power of d_k times a factor that does not depend on d_k.
        power = round(log(ends[0] / ends[1]) / log(4.0), 9) if all(ends) else 0.0
        symbol = words.DIVISORS.get(scale.rule)
        if symbol:
            return cls(m, power, f"Divided by {symbol}", f"Dividing by {symbol}")
        if power:
            by = f"by the rule {scale.rule}"
            return cls(m, power, f"Scaled {by}", f"Scaling {by}")
        return cls(m, power, words.done(LogitMap(m)), words.doing(LogitMap(m)))
