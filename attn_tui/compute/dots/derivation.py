"""Why Var(q·k) is d_k: the numbers of the argument, from one product to m·q·k."""

from collections.abc import Mapping
from math import hypot

from attn_tui.compute.dots.moments import Readouts, Sums, read
from attn_tui.compute.law.dot_law import DotLaw
from attn_tui.compute.number import Number


def derivation(law: DotLaw, pairs: Sums, whole: Readouts, m: float) -> Mapping[str, Number]:
    """Return what was sampled and what is exact, by the names in JSON in the order of the argument.

    Args:
        law: The law of q·k.
        pairs: Sums of single products q_i·k_i, by the law of d_k = 1; at least one.
        whole: What a sample of q·k says that was drawn apart from the pairs.
        m: The multiplier of the scale.
    """
    alone, total = DotLaw(law.pair, 1), whole.variance
    one = read(pairs, alone)
    added = one.variance.times(law.d_k)
    cross = Number(
        total.value - added.value,
        hypot(total.standard_error, added.standard_error),
        law.variance - law.d_k * alone.variance,
    )
    return {
        "mean": one.mean,
        "variance": one.variance,
        "average": whole.mean,
        "sum": added,
        "cross": cross if law.d_k > 1 else Number(0.0, 0.0, 0.0),
        "total": total,
        "size": whole.standard_deviation,
        "scaled": total.times(m * m),
        "scaled_average": whole.mean.times(m),
    }
