"""Where scores come from, and what d_k does to them, in a line of plain text."""

from attn_tui.compute.experiment import Experiment
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Drawn, Products
from attn_tui.report.numbers import quantity

MOST_NORMS = 3
"""Queries whose length is named."""


def origin(experiment: Experiment) -> str:
    """Return one line that says where the scores come from and what d_k does to them."""
    found, setup = experiment.source, experiment.setup
    if isinstance(found, Drawn):
        return _drawn(found, setup)
    if isinstance(found, Products):
        normalised = ", normalised" if setup.scale.qk_norm else ""
        return f"from q and K{normalised}: d_k = {found.d_k} is their length"
    n_keys = max(vector.n_attended for vector in experiment.vectors)
    return f"typed: d_k moves {what_d_k_moves(setup.scale, n_keys)}"


def _drawn(draw: Drawn, setup: Setup) -> str:
    d_k = setup.d_k
    what = f"at d_k = {d_k}, n = {draw.n_keys:,}, seed {draw.seed}"
    if setup.scale.qk_norm:
        return f"drawn: q, k ~ N(0,1), normalised, {what}: |s| ≤ {d_k}"
    norms = [quantity(draw.query_norm(d_k, i)) for i in range(min(draw.count, MOST_NORMS))]
    more = ", …" if draw.count > MOST_NORMS else ""
    return f"drawn: q, k ~ N(0,1) {what}, ‖q‖ = {', '.join(norms)}{more}"


def what_d_k_moves(scale: Scale, n_keys: int) -> str:
    """Say what d_k changes while the scores stay as typed."""
    return "only the divisor" if scale.uses_d_k(n_keys) else "nothing in this rule"
