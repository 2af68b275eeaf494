"""Scores, weights and log-sum-exps captured beside an output: whether they are its own."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.diagnosis import Diagnosis, Estimate
from attn_tui.compute.fit.simulate import Arithmetic, compute
from attn_tui.compute.fit.usable import taken
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.doctor.verdict import SHOWN

OFF = {"scores": 0.05, "weights": 0.2}
"""‖captured − computed‖/‖computed‖ that rounding does not reach, in eager 16-bit models neither."""

_LEAST, _RELATIVE = 0.05, 0.01
"""What a log-sum-exp may be off: so much, and so much of itself."""


def contradictions(head: HeadRows, found: Diagnosis) -> Iterator[str]:
    """Yield what was captured that q, k and the output deny.

    Args:
        head: As it was captured.
        found: What explains its output.
    """
    scaled = found.multiplier is not None and found.fits
    m = found.multiplier.at(SHOWN).value if scaled and found.multiplier else None
    if m is None or found.sight is None or head.output is None or head.values is None:
        return
    rows = taken(head, np.flatnonzero(np.isin(head.rows, found.used)))
    cap, sink = _value(found.softcap), _value(found.sink)
    logits, weights, _ = compute(
        rows, Arithmetic(m, 1.0, cap, sink, found.sight, "float64", "float32")
    )
    seen = np.isfinite(logits)
    if rows.scores is not None:
        products = rows.queries.astype(np.float64) @ rows.keys.astype(np.float64).T
        capped = cap * np.tanh(m * products / cap) if cap else m * products
        there = seen & (rows.scores > -9_000.0) & np.isfinite(rows.scores)
        ways = [_off(rows.scores[there], way[there]) for way in (products, capped, logits)]
        if not min(ways) < OFF["scores"]:
            yield "scores in the file are neither q·k nor the logits of the output"
    if rows.weights is not None and not _off(rows.weights, weights) < OFF["weights"]:
        yield "weights in the file are not those that q, k and the output say"
    if rows.log_sum_exp is not None:
        captured = rows.log_sum_exp.reshape(-1).astype(np.float64)
        sums = np.exp(logits).sum(1)
        ways = [sums] if sink is None else [sums, sums + np.exp(sink)]
        # FlashInfer has powers of 2.
        every = [np.log(each) / base for each in ways for base in (1.0, np.log(2.0))]
        if not any(_near(captured, each) for each in every):
            yield "lse in the file is not that of q, k and the output"


def _value(found: Estimate | None) -> float | None:
    return None if found is None else found.at(SHOWN).value


def _off(captured: NDArray[np.floating], computed: NDArray[np.floating]) -> float:
    size = float(np.linalg.norm(computed))
    apart = float(np.linalg.norm(captured - computed))
    return apart / size if size else (0.0 if apart == 0.0 else np.inf)


def _near(captured: NDArray[np.float64], computed: NDArray[np.floating]) -> bool:
    with np.errstate(all="ignore"):
        apart = np.sqrt(np.square(captured - computed).mean())
    return bool(apart < _LEAST + _RELATIVE * np.sqrt(np.square(computed).mean()))
