"""Claims about what is learned, and from where: a temperature, and packed weights."""

from collections.abc import Iterator

import numpy as np

from attn_tui.claims.checks.assumptions import initial_queries
from attn_tui.claims.checks.layers import normals
from attn_tui.claims.checks.samples import check_cost, median, rows_of_scores, sampled, variance_of
from attn_tui.claims.checks.softmax import ABOUT_0
from attn_tui.claims.claim import Case, Evidence, StatedNumbers
from attn_tui.claims.trial import Trial
from attn_tui.compute.arrays import Floats
from attn_tui.compute.heads.head import row_weights
from attn_tui.library import dot_law


def by_multiplier(scores: Floats, upstream: Floats, m: float) -> Floats:
    """Return |∂L/∂m| of rows of scores and of ∂L/∂p, both of shape (draws, n).

    It is Σ g_i p_i (s_i − p·s).
    """
    p = row_weights(m * scores)
    apart = scores - np.vecdot(p, scores)[:, None]
    sizes: Floats = np.abs(np.vecdot(p * apart, upstream))
    return sizes


def temperature(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Compute the gradient of a learned multiplier, started at 1 and at 1/√d_k."""
    check_cost(trial.n, trial.draws, 4)
    scores, upstream = (
        rows_of_scores(trial.d_k, trial.n, trial),
        normals(trial, 9, trial.draws, trial.n),
    )
    for where, m in (("1", 1.0), ("1/√d_k", trial.d_k**-0.5)):
        with np.errstate(divide="ignore"):
            logs = np.log(by_multiplier(scores, upstream, m))
        size = median("median |∂L/∂m|", logs)
        top = median("median max p", np.log(row_weights(m * scores).max(axis=1)))
        case = f"started at {where}, d_k = {trial.d_k:,}, n = {trial.n:,}"
        yield Case(case, size.value > ABOUT_0, (size, top))


D_MODEL = 768


def xavier(fan_in: int, fan_out: int) -> float:
    """Return the variance of the entries of a matrix that is initialised by Xavier's rule."""
    return 2.0 / (fan_in + fan_out)


def packed(trial: Trial, stated: StatedNumbers) -> Iterator[Case]:
    """Draw W_q as a part of a packed matrix of 3·d_model rows, and by itself."""
    evidence = []
    raw = sampled(dot_law(trial.d_k), trial).variance
    for where, rows in (("packed", 3 * D_MODEL), ("each by itself", D_MODEL)):
        of_entry = D_MODEL * xavier(D_MODEL, rows)
        entries = initial_queries(trial.seed, D_MODEL, xavier(D_MODEL, rows) ** 0.5, 500)
        variance = variance_of(entries, 3.0, of_entry)
        evidence += [
            Evidence.of(f"variance of q·k over d_k, {where}", raw.times(of_entry**2 / trial.d_k)),
            Evidence.of(f"variance of q_i, {where}", variance),
        ]
    first, *others = evidence
    first = Evidence(first.name, first.value, first.standard_error, stated["share"], first.exact)
    where = f"d_model = {D_MODEL}, d_k = {trial.d_k:,}, inputs of variance 1"
    yield Case.as_stated(where, first, *others)
