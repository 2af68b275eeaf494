"""The entries of q and k: their laws, the joint law of q_i and k_i, and the law of q_i·k_i."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, sqrt

import numpy as np

from attn_tui.compute.arrays import Floats
from attn_tui.compute.law import TITLES, Entries

_NODES = 9
"""The number of Gauss nodes at which the 8th moment of a product, of degree 16, is exact."""


@dataclass(frozen=True, eq=False)
class EntryLaw:
    """The law of one entry; all are symmetric about their mean.

    Attributes:
        name: Its name.
        mean: Its mean.
        variance: Its variance.
        fourth: Its fourth moment about the mean.
        end: The largest distance of a value from the mean.
        deviations: Nodes less the mean, shape (M,); with the weights they have the law's central
            moments up to the 16th. If the law has finitely many values, they are the nodes.
        weights: The weights of the nodes, shape (M,), summing to 1.
        discrete: Whether the nodes are all values of the law.
    """

    name: Entries
    mean: float
    variance: float
    fourth: float
    end: float
    deviations: Floats
    weights: Floats
    discrete: bool

    @property
    def title(self) -> str:
        """Its name in a sentence."""
        return TITLES[self.name]


_X, _OF_X = np.polynomial.hermite_e.hermegauss(_NODES)
_U, _OF_U = np.polynomial.legendre.leggauss(_NODES)
_COINS, _DIE, _ROOT = np.array([-1.0, 1.0]), np.arange(6.0) - 2.5, sqrt(3.0)

LAWS: dict[Entries, EntryLaw] = {
    "normal": EntryLaw("normal", 0.0, 1.0, 3.0, inf, _X, _OF_X / _OF_X.sum(), False),
    "uniform": EntryLaw("uniform", 0.0, 1.0, 1.8, _ROOT, _ROOT * _U, _OF_U / _OF_U.sum(), False),
    "coins": EntryLaw("coins", 0.0, 1.0, 1.0, 1.0, _COINS, np.full(2, 1 / 2), True),
    "die": EntryLaw("die", 3.5, 35.0 / 12.0, 707.0 / 48.0, 2.5, _DIE, np.full(6, 1 / 6), True),
}
"""Every law by its name, the default first."""


@dataclass(frozen=True, eq=False)
class Product:
    """The law of one q_i·k_i.

    Attributes:
        mean: E[q_i k_i].
        variance: Var(q_i k_i).
        values: Nodes of q_i·k_i less its mean, shape (M,), rising and distinct if discrete.
        weights: The weights of the nodes, shape (M,), summing to 1; the nodes have the law's
            moments up to the 8th.
        discrete: Whether the nodes are all values of the law.
    """

    mean: float
    variance: float
    values: Floats
    weights: Floats
    discrete: bool

    @property
    def mean_square(self) -> float:
        """E[(q_i k_i)²]."""
        return self.variance + self.mean**2


@dataclass(frozen=True)
class Pair:
    """How one q_i and its k_i are drawn.

    Normal entries are jointly normal. With any other law, k_i is independent of q_i with
    probability 1 − |ρ|; else it lies as far from its mean as q_i from its own, on the same side
    if ρ > 0 and on the opposite side if ρ < 0. Each entry keeps its law, and their correlation is
    ρ.

    Attributes:
        entries: The law of both entries.
        mean_q: Added to every q_i.
        mean_k: Added to every k_i.
        correlation: ρ.
        sigma_q: What the distance of each q_i from its mean is multiplied by, above 0.
        sigma_k: Likewise for k_i.
    """

    entries: Entries = "normal"
    mean_q: float = 0.0
    mean_k: float = 0.0
    correlation: float = 0.0
    sigma_q: float = 1.0
    sigma_k: float = 1.0

    @property
    def law(self) -> EntryLaw:
        """The law of an entry, before it is spread and ``mean_q`` or ``mean_k`` is added."""
        return LAWS[self.entries]

    @property
    def spread(self) -> float:
        """σ_q·σ_k, by which all products of distances from the means are multiplied."""
        return self.sigma_q * self.sigma_k

    @property
    def variances(self) -> tuple[float, float]:
        """Var(q_i) and Var(k_i)."""
        return self.sigma_q**2 * self.law.variance, self.sigma_k**2 * self.law.variance

    @property
    def means(self) -> tuple[float, float]:
        """E[q_i] and E[k_i]."""
        return self.law.mean + self.mean_q, self.law.mean + self.mean_k

    @property
    def ends(self) -> tuple[float, float]:
        """Lower and upper bounds of q_i·k_i, whatever ρ is."""
        (a, b), end = self.means, self.law.end
        of_q, of_k = self.sigma_q * end, self.sigma_k * end
        corners = [(a + x) * (b + y) for x in (-of_q, of_q) for y in (-of_k, of_k)]
        return min(corners), max(corners)

    @property
    def centred(self) -> bool:
        """Whether both means are 0."""
        return self.means == (0.0, 0.0)

    @property
    def covariance(self) -> float:
        """Cov(q_i, k_i)."""
        return self.spread * self.correlation * self.law.variance

    def deviation(self, x: Floats, y: Floats) -> Floats:
        """Return q_i·k_i less its mean, without cancellation.

        Args:
            x: q_i less its mean, before it is spread by ``sigma_q``.
            y: k_i less its mean, likewise.
        """
        a, b = self.means
        about_means = x * y - self.correlation * self.law.variance
        return self.sigma_k * a * y + self.sigma_q * b * x + self.spread * about_means

    def product(self) -> Product:
        """Return the law of q_i·k_i.

        >>> Pair("die").product().mean, round(Pair("die").product().variance, 2)
        (12.25, 79.97)
        """
        return _product(self)


@lru_cache(maxsize=32)
def _product(pair: Pair) -> Product:
    law, rho = pair.law, pair.correlation
    if law.discrete:
        chances = dict[float, float]()
        for exactly, weight in sorted(exact_values(pair).items()):
            chances[float(exactly)] = chances.get(float(exactly), 0.0) + weight
        values, weights = np.array(list(chances)), np.array(list(chances.values()))
    else:
        x, y, weights = _nodes(pair)
        values = pair.deviation(x, y)
    for array in (values, weights):
        array.setflags(write=False)
    # Var(xy), where x and y are q_i and k_i less their means.
    about_means = 1.0 + rho**2
    if law.name != "normal":
        apart = law.variance**2 * (1.0 - abs(rho)) + law.fourth * abs(rho)
        about_means = apart - (rho * law.variance) ** 2
    # v(a² + b² + 2ρab) for v = Var(q_i) before it is spread, without cancellation.
    mean_q, mean_k = pair.means
    a, b = pair.sigma_k * mean_q, pair.sigma_q * mean_k
    shifts = law.variance * ((1.0 + rho) * (a + b) ** 2 + (1.0 - rho) * (a - b) ** 2) / 2.0
    mean = mean_q * mean_k + pair.covariance
    variance = shifts + pair.spread**2 * about_means
    return Product(mean, variance, values, weights, law.discrete)


def _nodes(pair: Pair) -> tuple[Floats, Floats, Floats]:
    """Return nodes of q_i and of k_i less their means, before they are spread, and weights.

    All have shape (M,).
    """
    law, rho = pair.law, pair.correlation
    x, other = (axis.ravel() for axis in np.meshgrid(law.deviations, law.deviations))
    weights = np.outer(law.weights, law.weights).ravel()
    if law.name == "normal":
        return x, rho * x + sqrt(1.0 - rho**2) * other, weights
    together = np.copysign(law.deviations, rho * law.deviations)
    return (
        np.concatenate([x, law.deviations]),
        np.concatenate([other, together]),
        np.concatenate([weights * (1.0 - abs(rho)), law.weights * abs(rho)]),
    )


def exact_values(pair: Pair) -> dict[Fraction, float]:
    """Return the exact values of q_i·k_i less its mean, with their probabilities above 0.

    Values stay distinct even if they differ by less than a float can represent.
    """
    law, chances = pair.law, dict[Fraction, float]()
    a, b = (_meant(law.mean) + _meant(shift) for shift in (pair.mean_q, pair.mean_k))
    of_q, of_k = _meant(pair.sigma_q), _meant(pair.sigma_k)
    covariance = _meant(pair.correlation) * _meant(law.variance)
    for x, y, weight in zip(*(nodes.tolist() for nodes in _nodes(pair)), strict=True):
        about_means = Fraction(x) * Fraction(y) - covariance
        value = of_k * a * Fraction(y) + of_q * b * Fraction(x) + of_q * of_k * about_means
        chances[value] = chances.get(value, 0.0) + weight
    return {value: weight for value, weight in chances.items() if weight > 0.0}


def _meant(number: float) -> Fraction:
    """Return the fraction that a number most likely stands for, such as 3/10 for 0.3.

    >>> _meant(0.1 + 1e6), _meant(1 / 3)
    (Fraction(10000001, 10), Fraction(1, 3))
    """
    exact = Fraction(number)
    simpler = (exact.limit_denominator(10**power) for power in range(17))
    return next((fraction for fraction in simpler if float(fraction) == number), exact)
