"""Tables of the text report: weights and gradient of both sides, their statistics, differences."""

from collections.abc import Callable, Iterator
from math import inf, log
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.explore.answer import SYMBOL, Answer, Evaluation, VectorAnswer, Wrt
from attn_tui.compute.number import Number
from attn_tui.report.explore.largest import chunks, listed_keys
from attn_tui.report.measured import with_error
from attn_tui.report.numbers import (
    difference,
    fitted,
    general,
    quantity,
    ratio,
    scientific,
    weight,
    weight_name,
    with_sign,
)


def table(answer: VectorAnswer, top: int | None) -> Iterator[str]:
    """Yield a line a key: its score, and its weight and gradient on both sides."""
    gradient = _gradient(answer)
    yield f"weights p; {_of(answer)}\n"
    key_width = _key_width(answer)
    first, second = (short(name, 21) for name in answer.names)
    yield f"{'':>{key_width + 12}} {first:>21}   {second:>21}\n"
    yield (
        f"{'key':>{key_width}} {'score s':>11} {'p':>10} {gradient:>10}"
        f"   {'p':>10} {gradient:>10} {'change':>9}\n"
    )
    keys = listed_keys(answer, top)
    for some in chunks(keys):
        yield "".join(_rows(answer, some, key_width))
    if left := answer.vector.n_keys - keys.size:
        more = f"and {left:,} more {count_noun(left)} with smaller or equal scores"
        yield f"{'':>{key_width}} {more}\n"


def differences(answer: VectorAnswer, top: int | None) -> Iterator[str]:
    """Yield a line a key: its weight and gradient in two vectors, and how they differ."""
    gradient = _gradient(answer)
    yield f"weights p; {_of(answer)}\ndifference: the second less the first\n"
    key_width = _key_width(answer)
    names = [short(name, 10) for name in answer.names]
    yield f"{'':>{key_width}} {'p':>32}   {gradient:>32}\n"
    halves = "   ".join([f"{names[0]:>10} {names[1]:>10} {'difference':>10}"] * 2)
    yield f"{'key':>{key_width}} {halves}\n"
    keys = listed_keys(answer, top, by_weight=True)
    for some in chunks(keys):
        yield "".join(_differing_rows(answer, some, key_width))
    if left := answer.vector.n_keys - keys.size:
        more = f"and {left:,} more {count_noun(left)} with smaller or equal weights"
        yield f"{'':>{key_width}} {more}\n"


def statistics(answer: VectorAnswer, compared: bool = False) -> Iterator[str]:
    """Yield a line a statistic, with its value on both sides, and how they differ if compared."""
    sides = (answer.unscaled, answer.scaled)
    names = [short(name, 12) for name in answer.names]
    yield _line("", [*names, *(["difference"] if compared else [])])
    yield _line("multiplier m", [general(side.multiplier) for side in sides])
    sinks = any(side.map.sink is not None for side in sides)
    if sinks:
        yield _line("weight of the sink", [_sink(side) for side in sides])
    for label, of, shown in _STATISTICS:
        values = [of(side) for side in sides]
        texts = [shown(*value, width=12) for value in values]
        if compared:
            texts.append(signed(*difference(values[0], values[1])))
        yield _line(label, texts)
    if sinks:
        yield "sink counted: H, e^H and 1/Σp² take the sink as one more key\n"


def count_noun(count: int) -> str:
    """Return what so many keys are called."""
    return "key" if count == 1 else "keys"


def short(text: str, width: int) -> str:
    """Return text cut to a width, with an ellipsis where it was longer."""
    return text if len(text) <= width else text[: width - 1] + "…"


def signed(grown: float, log_size: float = -inf) -> str:
    """Return a difference with its sign, or 0."""
    return with_sign(quantity(abs(grown), log_size, width=11), grown)


def _gradient(answer: VectorAnswer) -> str:
    return short(f"∂{weight_name(answer.of)}/∂{SYMBOL[answer.wrt]}", 10)


def _of(answer: VectorAnswer) -> str:
    hidden = ", which is masked," if answer.of in answer.masked else ""
    symbol = SYMBOL[answer.wrt]
    name = weight_name(answer.of)
    return f"gradient of {name}{hidden} with respect to the {answer.wrt} {symbol}"


def _key_width(answer: VectorAnswer) -> int:
    return max(4, len(str(answer.vector.n_keys - 1)))


def _rows(answer: VectorAnswer, keys: NDArray[np.intp], key_width: int) -> Iterator[str]:
    sides = (answer.unscaled, answer.scaled)
    before, after = (side.log_gradient(answer.of, answer.wrt, keys) for side in sides)
    with np.errstate(invalid="ignore"):
        changes = after - before
    unscaled, scaled = (_cells(answer, side, keys) for side in sides)
    scores = answer.vector.scores[keys]
    for key, score, left, right, change in zip(
        keys, scores.tolist(), unscaled, scaled, changes.tolist(), strict=True
    ):
        yield (
            f"{key:>{key_width}} {fitted(score, 11):>11} {' '.join(left)}   {' '.join(right)}"
            f" {ratio(change, 9):>9}\n"
        )


def _differing_rows(answer: VectorAnswer, keys: NDArray[np.intp], key_width: int) -> Iterator[str]:
    sides = (answer.unscaled, answer.scaled)
    of, wrt = answer.of, answer.wrt
    with np.errstate(invalid="ignore"):
        weights = sides[1].weights(keys) - sides[0].weights(keys)
        slopes = sides[1].gradient(of, wrt, keys) - sides[0].gradient(of, wrt, keys)
    first, second = (_cells(answer, side, keys) for side in sides)
    for key, a, b, by_weight, by_slope in zip(
        keys, first, second, weights.tolist(), slopes.tolist(), strict=True
    ):
        change = signed_weight(by_weight)
        steeper = scientific(by_slope, signed=True, width=10)
        yield (f"{key:>{key_width}} {a[0]} {b[0]} {change:>10}   {a[1]} {b[1]} {steeper:>10}\n")


def signed_weight(difference: float) -> str:
    """Return the difference of two weights with its sign, or 0."""
    return with_sign(weight(abs(difference), width=9), difference)


def _cells(
    answer: VectorAnswer, side: Evaluation, keys: NDArray[np.intp]
) -> Iterator[tuple[str, str]]:
    """Yield the weight and the gradient of each key on one side, in ten columns each."""
    columns = (
        side.weights(keys),
        side.log_weights(keys),
        side.gradient(answer.of, answer.wrt, keys),
        side.log_gradient(answer.of, answer.wrt, keys),
    )
    for p, log_p, slope, log_slope in zip(*(column.tolist() for column in columns), strict=True):
        gradient = scientific(slope, log_slope, signed=True, width=10)
        yield f"{weight(p, log_p, width=10):>10}", f"{gradient:>10}"


def _sink(side: Evaluation) -> str:
    return "–" if side.map.sink is None else weight(side.sink_weight, side.log_sink_weight)


_Statistic = tuple[str, Callable[[Evaluation], tuple[float, float]], Callable[..., str]]
"""What it is called, its value with the logarithm of it, and how that is written."""


def _norms(wrt: Wrt) -> tuple[_Statistic, ...]:
    map_ = f"∂p/∂{SYMBOL[wrt]}"

    def of(name: str) -> Callable[[Evaluation], tuple[float, float]]:
        return lambda side: _with_log(side.norms[wrt], name)

    return (
        (f"‖{map_}‖_F, Frobenius norm", of("frobenius"), quantity),
        (f"‖{map_}‖₂, spectral norm", of("spectral"), quantity),
        (f"tr {map_}, trace", of("trace"), quantity),
    )


def _with_log(of: object, name: str) -> tuple[float, float]:
    return getattr(of, name), getattr(of, f"log_{name}")


def _bits(side: Evaluation) -> tuple[float, float]:
    return side.entropy / log(2.0), side.log_entropy - log(log(2.0))


_STATISTICS: tuple[_Statistic, ...] = (
    ("entropy H of p, nats", lambda side: _with_log(side, "entropy"), quantity),
    ("entropy H of p, bits", _bits, quantity),
    ("effective keys e^H", lambda side: (side.effective_keys, -inf), quantity),
    ("participation ratio 1/Σp²", lambda side: (side.participation_ratio, -inf), quantity),
    ("largest weight", lambda side: _with_log(side, "max_weight"), weight),
    *(line for wrt in get_args(Wrt) for line in _norms(wrt)),
)


def means(answer: Answer) -> Iterator[str]:
    """Yield what the statistics of the vectors are on average, with standard errors."""
    yield f"means over the {len(answer.vectors):,} vectors ± standard errors\n"
    yield f"{'':<30}{'unscaled':>24}{'scaled':>24}\n"
    for label, get, _ in _STATISTICS:
        sides = zip(*((each.unscaled, each.scaled) for each in answer.vectors), strict=True)
        numbers = [Number.mean([get(side)[0] for side in each]) for each in sides]
        yield f"{label:<30}{''.join(f'{with_error(each, 22):>24}' for each in numbers)}\n"


def _line(label: str, texts: list[str]) -> str:
    return f"{label:<30} {' '.join(f'{text:>12}' for text in texts)}\n"
