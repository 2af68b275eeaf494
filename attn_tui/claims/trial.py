"""The trial of a claim: seed, d_k, n and draws."""

from dataclasses import dataclass

from attn_tui.compute.field import Checked, setting, whole
from attn_tui.compute.log_scale import D_K, N_KEYS

MOST_DRAWS = 1_000_000


@dataclass(frozen=True)
class Trial(Checked):
    """The values with which a claim is tried; the claim says which of them it uses.

    Attributes:
        seed: The seed of the draws, a whole number from 0.
        d_k: Dimension of one head's queries and keys.
        n: Number of keys.
        draws: How many samples are drawn: of q·k, or of vectors of n scores.
    """

    seed: int = setting(
        1, whole(0, 2**63 - 1), "seed", "the seed of what is drawn", option="--seed", metavar="S",
    )  # fmt: skip
    d_k: int = setting(
        64, D_K.kind, "d_k", "dimension of one head's queries and keys", option="--d-k",
    )  # fmt: skip
    n: int = setting(64, N_KEYS.kind, "n", "the number of keys", option="--n")
    draws: int = setting(
        1000, whole(2, MOST_DRAWS, marked=True), "draws", "how many samples are drawn",
        option="--draws",
    )  # fmt: skip
