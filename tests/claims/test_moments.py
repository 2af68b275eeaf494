"""Claims about the mean and the variance of q·k."""

from dataclasses import replace

from attn_tui.compute.number import Number
from tests.claims.breaking import Broken

BROKEN = {
    "S0-14": Broken(
        "moments:sampled",
        lambda sampled: (
            lambda law, trial: replace(sampled(law, trial), mean=Number(float(trial.d_k), 0.1))
        ),
    ),
}
