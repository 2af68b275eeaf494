"""Why Var(q·k) is d_k, step by step, each step with a sampled and an exact number."""

from dataclasses import dataclass
from math import hypot, inf, nan, sqrt

from attn_tui.compute.dots.moments import Sums, read, variance
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.number import Number


@dataclass(frozen=True)
class Step:
    """One line of the derivation.

    Attributes:
        name: Its name in JSON.
        formula: What the number is.
        reason: What it follows from, in one phrase.
        number: What was sampled, and the exact value.
    """

    name: str
    formula: str
    reason: str
    number: Number


def derivation(law: DotLaw, pairs: Sums, whole: Sums, m: float) -> tuple[Step, ...]:
    """Return the steps from one product to the logits.

    Args:
        law: The law of q·k.
        pairs: Sums of single products q_i·k_i, by the law of d_k = 1; at least one.
        whole: Sums of q·k, drawn apart from the pairs; at least one.
        m: The multiplier of the scale.
    """
    one, d = DotLaw(law.pair, 1), law.d_k
    spread, total = variance(pairs, one), variance(whole, law)
    added, square = spread.times(d), f"{m * m:.6g}" if 0.0 < m * m < inf else f"({m:.6g})²"
    cross = Number(
        total.value - added.value,
        hypot(total.standard_error, added.standard_error),
        law.variance - d * one.variance,
    )
    if d == 1:
        cross = Number(0.0, 0.0, 0.0)
    return (
        Step("mean", "E[q_i k_i]", _mean_reason(law), read(pairs, one).mean),
        Step("mean_square", "E[(q_i k_i)²]", "of one product", _mean_square(pairs, one)),
        Step("variance", "Var(q_i k_i)", "E[(q_i k_i)²] − E[q_i k_i]²", spread),
        Step("sum", "Σ_i Var(q_i k_i)", f"d_k = {d} times the variance of one", added),
        Step(
            "cross",
            "Σ_{i≠j} Cov(q_i k_i, q_j k_j)",
            _cross_reason(law),
            cross,
        ),
        Step("total", "Var(q·k)", "the sum and the cross terms", total),
        Step("scaled", "Var(m·q·k)", f"m² = {square} times that", total.times(m * m)),
    )


def _cross_reason(law: DotLaw) -> str:
    if law.d_k == 1:
        return "there are none: d_k = 1"
    if law.tied:
        return "line 6 less line 4; all components are one: nothing cancels"
    return "line 6 less line 4; different products are uncorrelated"


def _mean_reason(law: DotLaw) -> str:
    if law.pair.correlation:
        return "E[q_i]·E[k_i] + Cov(q_i, k_i)"
    return "E[q_i]·E[k_i], as they are uncorrelated"


def _mean_square(pairs: Sums, one: DotLaw) -> Number:
    """Return the sample's E[(q_i k_i)²], from (μ + σt)² = μ² + 2μσt + σ²t²."""
    mean, sd, n = one.mean, one.standard_deviation, pairs.count
    first, second = pairs.powers[0] / n, pairs.powers[1] / n
    value = mean**2 + 2.0 * mean * sd * first + sd**2 * second
    if n < 2:
        return Number(value, nan, one.product.mean_square)
    spread = 0.0
    if sd:
        third, fourth = one.moments[3], one.moments[4]
        spread = sd**2 * (4.0 * mean**2 + 4.0 * mean * sd * third + sd**2 * (fourth - 1.0))
    return Number(value, sqrt(max(spread, 0.0) / n), one.product.mean_square)
