"""Statistics of the rows of a head: one number of each row."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.heads.rows import Reals

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Format = Literal["float32", "float64"]
"""In which scores and weights are worked out."""


@dataclass(frozen=True, eq=False)
class RowStatistics:
    """Numbers of each row, shape (r,), in float64; over the keys that the row sees.

    A row that sees no key has no largest logit (−∞), and its other numbers are 0.

    Attributes:
        rows: Which queries these are.
        seen: How many keys the row sees.
        largest_score: The largest |s|.
        largest_score_key: The key it belongs to.
        max_logit: The largest logit z of a key, after soft cap and bias.
        max_logit_key: The key it belongs to.
        log_sum_exp: ln of the sum of e^z, the sink's included.
        entropy: H in nats; a sink counts as one more key.
        effective_keys: e^H.
        max_weight: The largest weight of a key.
        first_key_mass: The weight of key 0.
        sink_mass: The weight that the sink takes.
        gradient_norm: ‖∂p/∂s‖_F.
        log_gradient_norm: ln ‖∂p/∂s‖_F, also where that underflows; −∞ from e^−1e5 on.
        logit_gradient_norm: ‖∂p/∂(m·s)‖_F; at most 1/2, and ‖∂p/∂z‖_F if there is no soft cap.
        query_norm: ‖q‖.
        cosine: The mean cosine between the query and the keys.
        output: P·V, shape (r, d_v), if it was asked for.
        maxima: The largest weight of each run of so many keys, shape (r, runs), if it was asked
            for; −∞ where all are masked.
        computed_in: The dtype of the scores and weights.
    """

    rows: Places
    seen: Places
    largest_score: Numbers
    largest_score_key: Places
    max_logit: Numbers
    max_logit_key: Places
    log_sum_exp: Numbers
    entropy: Numbers
    effective_keys: Numbers
    max_weight: Numbers
    first_key_mass: Numbers
    sink_mass: Numbers
    gradient_norm: Numbers
    log_gradient_norm: Numbers
    logit_gradient_norm: Numbers
    query_norm: Numbers
    cosine: Numbers
    output: Reals | None = None
    maxima: Reals | None = None
    computed_in: Format = "float32"

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Whether a row came to finite numbers, shape (r,); a row that sees no key did."""
        sums = self.log_sum_exp + self.entropy + self.largest_score
        return np.asarray(np.isfinite(sums) | (self.seen == 0))
