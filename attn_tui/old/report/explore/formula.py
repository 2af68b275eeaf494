"""The formula of one vector with its numbers in it: softmax( [100 120 150] ÷ √1024 = [3.1 …] )."""

from collections.abc import Iterator

import numpy as np

from attn_tui.compute.evaluation import Evaluation
from attn_tui.compute.experiment import Experiment
from attn_tui.compute.explore.answer import VectorAnswer
from attn_tui.report.numbers import general
from attn_tui.report.rows import Row, length

MOST = 12
"""At most so many numbers of a vector are written."""


def formula_row(answer: VectorAnswer, experiment: Experiment, width: int) -> Row:
    """Return what softmax is taken of.

    Args:
        answer: The numbers of one vector, which are those of the scale that is asked for.
        experiment: What is asked.
        width: Cells of the row at most; numbers are left out until it fits.
    """
    side = answer.scaled
    most = min(MOST, side.n_keys)
    bodies = [_body(side, experiment, shown) for shown in range(most, 0, -1)]
    for body in bodies:
        for row in ((("softmax( ", "label"), *body, (" )", "label")), body):
            if length(row) <= width:
                return row
    # What is done is said whole, without what comes of it.
    for body in bodies:
        row = tuple((text.removesuffix(" = "), role) for text, role in body if role != "scaled")
        if length(row) <= width:
            break
    return row


def _body(side: Evaluation, experiment: Experiment, shown: int) -> Row:
    """Return the scores, what is done to them, and the logits."""
    keys = _keys(side.n_keys, shown)
    scores = _listed(side.scores(keys), 3, side.n_keys)
    done = "".join(_done(side, experiment)) + " + b" * (side.bias is not None)
    sink = "" if side.map.sink is None else f", sink {general(side.map.sink, 3)}"
    if not done:
        return ((scores, "unscaled"), (sink, "label"))
    logits = _listed(side.logits(keys), 2, side.n_keys)
    return ((scores, "unscaled"), (f"{done} = ", "label"), (logits, "scaled"), (sink, "label"))


def _keys(n_keys: int, shown: int) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Return the first keys, and the last one if not all are shown."""
    if shown >= n_keys:
        return np.arange(n_keys)
    return np.append(np.arange(max(shown - 1, 1)), n_keys - 1)


def _listed(values: "np.ndarray[tuple[int], np.dtype[np.float64]]", digits: int, n: int) -> str:
    texts = [general(value, _digits(value, digits)) for value in values.tolist()]
    if len(texts) < n:
        texts.insert(len(texts) - 1, "…")
    return f"[{' '.join(texts)}]"


def _digits(value: float, least: int) -> int:
    """Return how many digits a number is written with: whole ones all, if they are not many."""
    return max(least, len(f"{abs(value):.0f}")) if abs(value) < 1e6 else least


def _done(side: Evaluation, experiment: Experiment) -> Iterator[str]:
    """Yield what is done to the scores."""
    setup, m = experiment.setup, side.multiplier
    if setup.scale.rule == "inverse-sqrt":
        yield f" ÷ √{setup.d_k}"
    elif setup.scale.rule == "inverse":
        yield f" ÷ {setup.d_k}"
    elif m != 1.0:
        divides = 0.0 < m < 1.0
        yield f" ÷ {general(1.0 / m, 3)}" if divides else f" × {general(m, 3)}"
    if side.map.softcap is not None:
        yield f", cap {general(side.map.softcap, 3)}"
