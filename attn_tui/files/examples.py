"""Questions worth asking, each with what to look at."""

from collections.abc import Mapping
from dataclasses import dataclass

from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft


@dataclass(frozen=True)
class Example:
    """A question with an answer worth seeing.

    Attributes:
        name: Its name on the command line.
        title: Its name on screen.
        draft: The question.
        look: What to look at, one sentence whose numbers are those of the answer.
    """

    name: str
    title: str
    draft: Draft
    look: str


_AT_64 = Setup(d_k=64)
_AS_THEY_ARE = Scale("none")

_ALL = (
    Example(
        "worked",
        "The worked example: 100, 120, 150",
        EXAMPLE,
        "Unscaled, key 2 takes all but 9.4e-14 of the weight and no gradient reaches 1e-13; "
        "divided by 32, the weight is shared as among 2.47 keys.",
    ),
    Example(
        "tens",
        "Gaps of ten: 10, 20, 30",
        Draft("a: 10, 20, 30", _AT_64),
        "A gap of 10 is enough to leave all but 4.5e-05 of the weight to key 2; divided by 8, "
        "it takes 0.7307.",
    ),
    Example(
        "centred",
        "Small scores: −1, 0, 1",
        Draft("a: -1, 0, 1", _AT_64),
        "Nothing saturates here, so dividing by 8 only flattens the weights, from 0.6652 to "
        "0.3758 for key 2, and shrinks ‖∂p/∂s‖_F from 0.3894 to 0.0588.",
    ),
    Example(
        "ratio",
        "Only differences matter: −2, 0, 0.5",
        Draft("a: -2, 0, 0.5", _AT_64),
        "Whatever stands beside them, the weights of keys 2 and 1 have the ratio e to the "
        "difference of their logits: 1.65 unscaled, 1.06 divided by 8.",
    ),
    Example(
        "close",
        "Hardly any gap: 0, 0.1, 0.2",
        Draft("a: 0, 0.1, 0.2", _AT_64),
        "Scores this close lose by scaling: ‖∂p/∂z‖_F hardly grows, from 0.4706 to 0.4714, and "
        "the factor 1/8 takes ‖∂p/∂s‖_F down to 0.0589.",
    ),
    Example(
        "identity",
        "Queries that equal keys",
        Draft(
            "q: [[1, 0], [0, 1]]\nK: [[1, 0], [0, 1]]\nV: [[1, 0], [0, 1]]",
            Setup(d_k=2, scale=_AS_THEY_ARE),
            "vectors",
        ),
        "Each query gives 0.7311 to the key it equals and 0.2689 to the other, and as V is the "
        "identity too, these weights are the output.",
    ),
    Example(
        "ties",
        "Ties: 100, 100, 0",
        Draft("a: 100, 100, 0", _AT_64),
        "Keys 0 and 1 tie, so their gradient never vanishes: ‖∂p/∂z‖_F is 0.5000 unscaled and "
        "scaled, however large the scores.",
    ),
    Example(
        "near-ties",
        "Near-ties in bfloat16: 100, 100.2",
        Draft("a: 100, 100.2", Setup(64, _AS_THEY_ARE, Precision("bfloat16"))),
        "bfloat16 has no number between 100 and 100.5, so the keys tie at 0.5000 each; float64 "
        "gives key 1 0.5498.",
    ),
    Example(
        "masked",
        "One key masked",
        Draft("a: 2, -inf, 1, 0", _AT_64),
        "Key 1 is masked: its weight and gradient are exactly 0, and the other three share the "
        "whole as if it were not there.",
    ),
    Example(
        "all-masked",
        "Every key masked",
        Draft("a: -inf, -inf, -inf", _AT_64),
        "With every key masked each weight is 0, entropy is 0, and the row is marked as masked "
        "rather than NaN.",
    ),
    Example(
        "one-key",
        "A single key",
        Draft("a: 7", _AT_64),
        "A single key has weight 1 whatever its score, so its gradient is 0 without any "
        "saturation.",
    ),
    Example(
        "uniform",
        "All scores equal",
        Draft("a: 3, 3, 3, 3, 3, 3, 3, 3", _AT_64),
        "Equal scores share the weight equally under every scale, 0.1250 each, and the entropy "
        "is as large as 8 keys allow: ln 8 = 2.0794.",
    ),
    Example(
        "dominant",
        "One key dominates sixteen",
        Draft("a: 20, " + ", ".join(["0"] * 15), _AT_64),
        "Unscaled, key 0 takes all but 3.1e-08 of the weight; divided by 8, it takes 0.4482 and "
        "the other fifteen share the rest.",
    ),
    Example(
        "low",
        "One very low score: −50, 0, 0",
        Draft("a: -50, 0, 0", _AT_64),
        "Unscaled, key 0 has weight 9.6e-23 and no gradient to speak of, yet ‖∂p/∂s‖_F is "
        "0.5000: a very low score silences only itself.",
    ),
    Example(
        "naive",
        "Overflow: float16 without the maximum subtracted",
        Draft("a: 100, 120, 150", Setup(precision=Precision("float16", stable=False))),
        "Unscaled, e^z overflows above 88.72 even in float32, and infinity over infinity is NaN; "
        "scaled, the largest logit is 4.69 and nothing overflows.",
    ),
    Example(
        "sink",
        "A sink: no key matters",
        Draft("a: -60, -50, -40", Setup(64, Scale(sink=0.0))),
        "Scaled, the sink takes 0.9909 and the weights add up to 0.0091; unscaled, without a "
        "sink, key 2 takes all but 4.5e-05.",
    ),
    Example(
        "softcap",
        "A soft cap at 50",
        Draft("a: 400, 800, 1200", Setup(64, Scale(softcap=50.0))),
        "The cap turns m·s = 50, 100, 150 into z = 38.1, 48.2, 49.8, so key 1 keeps 0.1749; "
        "but of the slope m only 0.42, 0.071, 0.0099 is left.",
    ),
    Example(
        "qk-norm",
        "QK-norm: long vectors",
        Draft(
            "q: 30, 40\nK: [[30, 40], [40, 30], [-30, -40]]",
            Setup(2, Scale(qk_norm=True)),
            "vectors",
        ),
        "Normalised, no logit exceeds √2 = 1.41 in size and key 1 has 0.4715; without QK-norm "
        "it would have 2.0e-31.",
    ),
    Example(
        "causal",
        "A causal mask",
        Draft("\n".join(["0, 1, 2, 3"] * 4), Setup(64, mask=Mask(causal=True))),
        "Vector a sees key 0 alone and gives it weight 1; each vector after it sees one more, "
        "so the same score 0 has 0.4688, 0.2926 and 0.2052 of the scaled weight.",
    ),
    Example(
        "thousand",
        "A thousand random keys",
        Draft("n = 1000, seed = 1, vectors = 1", _AT_64, "drawn"),
        "Unscaled, one key of 1000 takes 0.9359; scaled, they share as among 476 keys, and yet "
        "‖∂p/∂s‖_F is ten times smaller, 0.0079 instead of 0.0792.",
    ),
)

EXAMPLES: Mapping[str, Example] = {example.name: example for example in _ALL}
"""Every example by its name, the worked example first."""
