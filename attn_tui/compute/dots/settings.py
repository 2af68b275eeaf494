"""The settings of Dot products: the law and size of the sample, and the rows of the table."""

from dataclasses import dataclass

from attn_tui.compute.field import Checked, number, one_of, setting, switch, whole, wholes
from attn_tui.compute.law import TITLES, Entries
from attn_tui.compute.log_scale import D_K

MOST_SAMPLES = 10**8
MOST_SHIFT = 1e6
MOST_ROWS = 64


@dataclass(frozen=True)
class Settings(Checked):
    """The law and the size of the sample, and the rows of the table.

    Attributes:
        entries: The law of the entries of q and k.
        samples: How many q·k are drawn, 1 to `MOST_SAMPLES`.
        seed: The seed of the draws, a whole number from 0.
        tied: Whether all components of q are the same number, and all of k.
        correlation: ρ between q_i and k_i, from −1 to 1.
        mean_q: Added to every entry of q, on top of a die's own mean of 3.5.
        mean_k: Added to every entry of k, likewise.
        d_ks: The d_k of each row of the table.
    """

    entries: Entries = setting(
        "normal", one_of(TITLES, {"coins": "±1 coins", "die": "die 1–6"}), "entries",
        "the law of the entries of q and k", option="--entries", synonyms=("distribution", "law"),
        presets={
            "normal": ("normal entries", "Gaussian"), "uniform": ("uniform entries",),
            "coins": ("coins", "coin flips", "Rademacher"), "die": ("dice", "die"),
        },
    )  # fmt: skip
    samples: int = setting(
        100_000, whole(1, MOST_SAMPLES, marked=True), "samples", "how many q·k are drawn",
        option="--samples", synonyms=("how many",),
    )  # fmt: skip
    seed: int = setting(
        1, whole(0, 2**63 - 1), "seed", "the seed of what is drawn", option="--seed", metavar="S",
    )  # fmt: skip
    tied: bool = setting(
        False, switch("independent", "tied"), "components",
        "whether all components of q are one number, and all of k", option="--tied/--free",
    )  # fmt: skip
    correlation: float = setting(
        0.0, number(-1.0, 1.0), "ρ(q_i, k_i)", "ρ between q_i and k_i", option="--correlation",
    )  # fmt: skip
    mean_q: float = setting(
        0.0, number(-MOST_SHIFT, MOST_SHIFT), "μ_q", "what is added to every entry of q",
        option="--mean-q",
    )  # fmt: skip
    mean_k: float = setting(
        0.0, number(-MOST_SHIFT, MOST_SHIFT), "μ_k", "what is added to every entry of k",
        option="--mean-k",
    )  # fmt: skip
    d_ks: tuple[int, ...] = setting(
        (2, 4, 512, 1024), wholes(D_K.minimum, D_K.maximum, MOST_ROWS), "rows at d_k",
        "the d_k of each row of the table, without thousands separators", option="--table",
    )  # fmt: skip
