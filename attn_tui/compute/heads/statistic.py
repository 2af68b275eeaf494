"""The statistics of a head: their names, and the tally each is taken from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from attn_tui.compute.numbers import general

DEAD = 1e-3
"""A gradient is dead if its Frobenius norm by logits, which is at most 1/2, is below this."""


ALL = 0.9995
"""From this largest weight on, one key has practically all the weight of its row."""

SATURATED = 0.9
"""A head saturates if the largest weight of a row is at least this, on average."""

TAU = 100.0
"""The largest logit that QK-clip leaves alone."""

FLOAT16_LARGEST = 65504.0
"""The largest number of float16."""


@dataclass(frozen=True)
class Statistic:
    """A number about a head.

    Attributes:
        name: Its name in JSON and on the command line.
        title: The title of its column.
        words: A phrase that describes it.
        over: A few words to complete the title: what it is a mean or a share of.
        column: The same in a word or two, for a narrow column.
        of: The name of the tally it is taken from.
        how: Whether it is the mean of the tally, its maximum, or derived from the maximum.
        worst: Whether large or small values deserve attention.
    """

    name: str
    title: str
    words: str
    over: str
    column: str
    of: str
    how: Literal["mean", "largest", "derived"]
    worst: Literal["large", "small"] = "large"


_ALL = (
    Statistic(
        "max_weight", "largest p", "largest weight of a row, mean over rows",
        "mean over rows", "mean", "max_weight", "mean",
    ),
    Statistic(
        "saturated_share", f"p ≥ {general(ALL)}",
        f"share of rows with a weight ≥ {general(ALL)}",
        "of rows", "of rows", "saturated", "mean",
    ),
    Statistic(
        "largest_score", "largest |s|", "the largest |q·k|",
        "of all rows", "of all", "largest_score", "largest",
    ),
    Statistic(
        "float16_margin", "float16 margin", "float16's end, 65,504, over largest |q·k|",
        "to 65,504", "times", "largest_score", "derived", "small",
    ),
    Statistic(
        "max_logit", "largest z", "the largest logit",
        "of all rows", "of all", "max_logit", "largest",
    ),
    Statistic(
        "bfloat16_spacing", "bfloat16 step", "spacing of bfloat16 at the largest logit",
        "at largest z", "at largest z", "max_logit", "derived",
    ),
    Statistic(
        "qk_clip", "QK-clip", "QK-clip's factor of s: 100/largest z, or 1",
        "factor of s", "factor", "max_logit", "derived", "small",
    ),
    Statistic(
        "entropy", "H", "entropy of weights in nats, mean over rows",
        "mean over rows", "mean nats", "entropy", "mean", "small",
    ),
    Statistic(
        "effective_keys", "e^H", "effective number of keys, mean over rows",
        "mean over rows", "mean", "effective_keys", "mean", "small",
    ),
    Statistic(
        "first_key_mass", "first key", "weight of key 0, mean over rows",
        "mean p of rows", "mean p", "first_key_mass", "mean",
    ),
    Statistic(
        "sink_mass", "sink", "weight of the sink, mean over rows",
        "mean p of rows", "mean p", "sink_mass", "mean",
    ),
    Statistic(
        "gradient_norm", "‖∂p/∂s‖", "‖∂p/∂s‖_F, mean over rows",
        "mean over rows", "mean", "gradient_norm", "mean", "small",
    ),
    Statistic(
        "dead_gradient_share", "dead gradient",
        f"share of rows with ‖∂p/∂(m·s)‖_F < {general(DEAD)}",
        f"of rows: < {general(DEAD)}", "of rows", "dead_gradient", "mean",
    ),
    Statistic(
        "query_norm", "‖q‖", "mean over queries", "mean of queries", "mean", "query_norm", "mean"
    ),
    Statistic("key_norm", "‖k‖", "mean over keys", "mean of keys", "mean", "key_norm", "mean"),
    Statistic(
        "cosine", "cos(q, k)", "mean cosine of a query and a key it sees",
        "mean of pairs", "mean", "cosine", "mean",
    ),
)  # fmt: skip

STATISTICS: Mapping[str, Statistic] = {statistic.name: statistic for statistic in _ALL}
"""Every statistic by its name."""

OF_SEVERAL_KEYS = ("max_weight", "saturated_share", "gradient_norm", "dead_gradient_share")
"""Statistics over rows that see several keys, counting a sink: a single key has weight 1."""

OF_SCORES = ("largest_score", "float16_margin", "query_norm", "key_norm", "cosine")
"""Statistics that do not depend on weights."""

OF_LOGITS = ("max_logit", "bfloat16_spacing", "qk_clip")
"""Statistics that are proportional to m, even where weights hardly depend on it."""

SHARES = ("max_weight", "saturated_share", "dead_gradient_share", "first_key_mass", "sink_mass")
"""Statistics that are shares of 1, shown in percent."""
