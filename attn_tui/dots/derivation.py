"""Why the variance of q·k is d_k, as text: a sentence for each step, with numbers beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from textwrap import wrap

from attn_tui.compute.dots.answer import Answer
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.numbers import MINUS, exact, general, term, with_error
from attn_tui.compute.sample import Number
from attn_tui.dots.headline import Divided, cause
from attn_tui.report.rows import Row, fitted
from attn_tui.report.words import DIVISORS

_SPREAD = ("mean", "variance", "sum", "cross", "total", "size", "scaled")
_MEAN = ("mean", "variance", "average", "sum", "cross", "total", "scaled", "scaled_average")
_CONSTANT = ("mean", "variance", "average", "scaled_average")
"""The steps if q·k averages 0, if it does not, and if it is always the same number."""

_GROWTHS = {
    2.0: "grows as d_k²", 1.0: "grows as d_k", 0.5: "grows as √d_k",
    0.0: "is the same at every d_k", -0.5: "shrinks as 1/√d_k", -1.0: "shrinks as 1/d_k",
}  # fmt: skip
"""How a number that goes as a power of d_k changes, by that power."""
GROWS = "grows as d_k^{power}"
SHRINKS = "shrinks as d_k^{power}"
"""The same for powers that have no name."""

MEAN_OFF_0 = "{cause}, so one product does not average 0."
MEAN_COMPENSATED = "One product averages 0: the averages of q_i and k_i make up for ρ."
MEAN_0 = "One product averages 0: it is above 0 as often as below."
VARIANCE_AROUND_MEAN = "Around its average it varies by {around}."
VARIANCE_CORRELATED = "It is typically {around}."
VARIANCE = "It is typically {around}: the averages of q_i² and k_i² multiply."
CONSTANT = "It is one number every time: nothing varies."
AVERAGE = "The averages of d_k products add up: that of q·k grows as d_k."
SUM = "q·k adds d_k of them. Their variances add up."
SUM_TIED = "q·k adds d_k of them. Alone, their variances would add up."
CROSS_TIED = "But all products are one number: they move together, so nothing cancels."
CROSS = "Different products know nothing of each other, so all cross terms are 0."
TOTAL_OF_UNITS = "So the variance of q·k is d_k."
TOTAL = "So the variance of q·k is d_k times that of one product."
TOTAL_TIED = "So the variance of q·k is d_k² times that of one product, not d_k times."
SIZE = "A typical size is the root of a variance: it grows as {growth}."
UNDIVIDED = "Nothing is divided here. Dividing by {best} would leave {alone} at every d_k."
SPREAD_LEFT = "{doing} leaves a spread that {growth}."
AVERAGE_MOVES = "The average {growth}: dividing by d_k would hold it still."
AVERAGE_KEPT = "The average {growth}: that speaks for dividing by d_k."
VARIANCE_MOVES = (
    "{doing} leaves a variance that {growth}. Dividing by {best} would leave {alone} at every d_k."
)
VARIANCE_KEPT = (
    "{doing} leaves a variance of {left} at every d_k. Dividing by d_k would leave {alone}/d_k: "
    "too little."
)
VARIANCE_KEPT_TIED = (
    "{doing} leaves a variance of {left} at every d_k. Dividing by √d_k would leave {alone}·d_k: "
    "too much."
)


MOST = 90
"""The last column for numbers: farther right the eye would lose the line they belong to."""


@dataclass(frozen=True)
class DerivationStep:
    """One step of the derivation.

    Attributes:
        name: Its name in JSON.
        words: The claim and its reason.
        formula: The same in symbols and with numbers put in, but without the result.
        number: The sampled result, and the exact one.
    """

    name: str
    words: str
    formula: str
    number: Number


def steps(answer: Answer) -> tuple[DerivationStep, ...]:
    """Return the steps that lead from one product to the scaled q·k, for the law of an answer."""
    law, numbers = answer.law, answer.derivation
    setup, n = answer.experiment.setup, answer.experiment.vectors[0].n_attended
    divided = Divided.of(setup.scale, setup.d_k, max(n, 1))
    names: Sequence[str] = _MEAN if law.mean else _SPREAD
    if law.variance == 0.0:
        names = _CONSTANT
    if names is not _SPREAD and not divided.changes:
        names = names[:-1]
    words = {**_words(law), **_last_words(answer, divided)}
    formulas = _formulas(answer)
    return tuple(DerivationStep(name, words[name], formulas[name], numbers[name]) for name in names)


def derivation(answer: Answer, width: int) -> list[Row]:
    """Return the words of each step, and below them its formula with the numbers beside it.

    If any number does not fit beside its formula, all numbers stand below.

    Args:
        answer: The draws.
        width: The width of every row in cells.
    """
    all_steps = steps(answer)
    sampled = [with_error(step.number, 22) for step in all_steps]
    exact_values = [exact(step.number, 11) for step in all_steps]
    heads = "measured ± error", "exact"
    ends = [
        max(len(head), *map(len, texts)) + 2
        for head, texts in zip(heads, (sampled, exact_values), strict=True)
    ]
    edge = min(width - 1, MOST)
    room = edge - sum(ends)
    formulas = {step.name: step.formula for step in all_steps}
    if "cross" in formulas and len(formulas["cross"]) > room - 3:
        # Of this long formula, the right-hand side is enough beside its number.
        formulas["cross"] = formulas["cross"].rpartition(" = ")[2]
    is_wide = all(len(formula) <= room - 3 for formula in formulas.values())
    title: Row = ((heads[0].rjust(edge - ends[1]) + heads[1].rjust(ends[1]), "label"),)
    rows: list[Row] = [title] if is_wide else []
    lines = zip(all_steps, sampled, exact_values, strict=True)
    text = max(width - 3, 1)
    for place, (step, value, law) in enumerate(lines, 1):
        lead = f" {place} "
        for line in wrap(step.words, text, break_on_hyphens=False):
            rows.append(((lead, "label"), (line, "strong")))
            lead = "   "
        role = "scaled" if step.name.startswith("scaled") else "unscaled"
        if is_wide:
            numbers = ((value.rjust(ends[0]), role), (law.rjust(ends[1]), "label"))
            rows.append((*fitted(((lead + formulas[step.name], "label"),), room), *numbers))
        else:
            rows += [((lead + line, "label"),) for line in wrap(step.formula, text)]
            room = min(width - len(f"{lead}{value}, exact "), 11)
            rows.append(((lead + value, role), (f", exact {exact(step.number, room)}", "label")))
    return [fitted(row, width) for row in rows]


def _words(law: DotLaw) -> Mapping[str, str]:
    """Return the words of each step up to the size of q·k, by name."""
    one = law.product
    has_mean = one.mean != 0.0
    around = f"±{term(sqrt(one.variance))}"
    if has_mean:
        mean = MEAN_OFF_0.format(cause=cause(law.pair))
        variance = VARIANCE_AROUND_MEAN.format(around=around)
    elif law.pair.correlation:
        mean = MEAN_COMPENSATED
        variance = VARIANCE_CORRELATED.format(around=around)
    else:
        mean = MEAN_0
        variance = VARIANCE.format(around=around)
    if not one.variance:
        variance = CONSTANT
    if not law.tied:
        total = TOTAL_OF_UNITS if one.variance == 1.0 else TOTAL
        sums = {"sum": SUM, "cross": CROSS, "total": total, "size": SIZE.format(growth="√d_k")}
    else:
        sums = {
            "sum": SUM_TIED, "cross": CROSS_TIED, "total": TOTAL_TIED,
            "size": SIZE.format(growth="d_k"),
        }  # fmt: skip
    return {"mean": mean, "variance": variance, "average": AVERAGE, **sums}


def _growth(power: float) -> str:
    """Return how a number that goes as a power of d_k changes with d_k."""
    other = GROWS if power > 0.0 else SHRINKS
    return _GROWTHS.get(power) or other.format(power=general(power))


def _last_words(answer: Answer, divided: Divided) -> Mapping[str, str]:
    """Return the words of the last steps: what the scale makes of q·k, and what another would."""
    law, one = answer.law, answer.law.product.variance
    slots = {
        "doing": divided.doing, "alone": term(one),
        "best": "d_k" if law.tied else "√d_k",
    }  # fmt: skip
    spread = (1.0 if law.tied else 0.5) - divided.power
    if not divided.changes:
        return {"scaled": UNDIVIDED.format(**slots)}
    if law.mean:
        average = 1.0 - divided.power
        other = AVERAGE_MOVES if average else AVERAGE_KEPT
        return {
            "scaled": SPREAD_LEFT.format(growth=_growth(spread), **slots),
            "scaled_average": other.format(growth=_growth(average)),
        }
    if spread:
        return {"scaled": VARIANCE_MOVES.format(growth=_growth(2.0 * spread), **slots)}
    kept = VARIANCE_KEPT_TIED if law.tied else VARIANCE_KEPT
    left = term(answer.derivation["scaled"].exact or 0.0)
    return {"scaled": kept.format(left=left, **slots)}


def _formulas(answer: Answer) -> Mapping[str, str]:
    """Return the formula of each step by name, with the exact values of its terms."""
    law, scale = answer.law, answer.experiment.setup.scale
    pair, one, d = law.pair, law.product, f"{law.d_k:,}"
    sums = law.d_k * one.variance
    alone, total, average = term(one.variance), term(law.variance), term(law.mean)
    means, rho = "·".join(map(term, pair.means)), pair.correlation
    mean = f"E[q_i k_i] = E[q_i]·E[k_i] = {means}"
    if rho:
        mean = f"E[q_i]·E[k_i] + Cov(q_i, k_i) = {means} "
        mean += f"{'+' if rho > 0 else MINUS} {term(abs(pair.covariance))}"
    if one.mean or rho:
        variance = "E[(q_i k_i)²] − E[q_i k_i]²"
        variance += f" = {term(one.mean_square)} − {term(abs(one.mean))}²"
    else:
        of_both = zip(pair.variances, pair.means, strict=True)
        squares = (term(variance + mean**2) for variance, mean in of_both)
        variance = f"Var(q_i k_i) = E[q_i²]·E[k_i²] = {'·'.join(squares)}"
    cross = "Σ_{i≠j} Cov(q_i k_i, q_j k_j)"
    if law.tied:
        cross = f"{cross} = {d}·{law.d_k - 1:,}·{alone}"
    m, of, by = general(answer.multiplier, 4), DIVISORS.get(scale.rule), f"/{d}"
    square = f"({m})²" if "e" in m else f"{m}²"
    divided = f"q·k/{of}" if of else "m·q·k"
    scaled = {"√d_k": f"{total}{by}", "d_k": f"{total}{by}²"}.get(of or "", f"{square}·{total}")
    part = {"√d_k": f"{average}/√{d}", "d_k": f"{average}{by}"}.get(of or "", f"{m}·{average}")
    return {
        "mean": mean,
        "variance": variance,
        "average": f"E[q·k] = {d}·{term(one.mean)}",
        "sum": f"Σ_i Var(q_i k_i) = {d}·{alone}",
        "cross": cross,
        "total": f"Var(q·k) = {term(sums)} + {term(law.variance - sums)}",
        "size": f"√Var(q·k) = √{total}",
        "scaled": f"Var({divided}) = {scaled}",
        "scaled_average": f"E[{divided}] = {part}",
    }
