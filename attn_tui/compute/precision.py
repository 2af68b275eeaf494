"""The number formats in which softmax can be computed, and the rounding before it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from attn_tui.compute.field import Checked, one_of, setting, switch

FORMATS = ("float64", "float32", "float16", "bfloat16")
"""Names of the formats, widest first."""

ArithmeticName = Literal["softmax", "sdpa", "stepwise"]
"""Which numbers of a softmax are rounded to a 16-bit format."""

ROUNDS: Mapping[ArithmeticName, str] = {
    "softmax": "logits and weights",
    "sdpa": "the weights alone",
    "stepwise": "every operation",
}
"""Which numbers each arithmetic rounds to 16 bits."""

_EQUALS: Mapping[str, str] = {
    "softmax": "logits and weights, as torch.softmax of 16-bit logits",
    "sdpa": "the weights alone, as torch.softmax of float32 logits m·(q·k), or of typed m·s",
    "stepwise": "every operation, as e = exp(z − max z), e/e.sum() of 16-bit tensors",
}

_FORMAT = one_of(dict.fromkeys(FORMATS, ""))


@dataclass(frozen=True)
class Precision(Checked):
    """How softmax is computed, and how its input is rounded.

    Attributes:
        format: The format in which softmax is computed, one of `FORMATS`.
        naive: Whether e^z is taken of logits as they are, which overflows or underflows early, and
            the program shows the infinities and NaN; else the largest is subtracted before.
        scores: The format that scores are rounded to before anything else.
        vectors: The format that queries and keys, if there are any, are rounded to before their
            product.
        arithmetic: Which numbers are rounded to a 16-bit format, one of `ROUNDS`.

    For a 16-bit type t, the three arithmetics correspond to PyTorch 2.14 on a CPU:

    - softmax: ``torch.softmax((s.float() * m).to(t), -1)``, and ``torch.softmax(s.to(t) * m, -1)``
      if ``scores`` are rounded too. Everything inside is float32.
    - sdpa: ``torch.softmax(s.float() * m, -1).to(t)``. This is also what the math path of
      ``scaled_dot_product_attention`` returns for V = I and q and k of type t (``vectors``); typed
      scores take the place of q·k. That path rounds nothing before V; flash kernels round
      e^(z − max z), and divide after V.
    - stepwise: ``z = s.to(t) * m; e = (z - z.max()).exp(); e / e.sum()``, with m of type t too.

    They agree bit for bit, except where the last bits of float32 move a weight across the midpoint
    between two 16-bit numbers: about 1 in 100,000 weights in bfloat16, 4 in float16, and 30 in
    float16 for q·k, whose terms are added in a different order.
    """

    format: str = setting(
        "float64", _FORMAT, "precision", "the number format softmax is computed in",
        key="precision", option="--precision", metavar="FORMAT",
        synonyms=("dtype", "number format", "floating point"),
        presets={
            "float64": ("float64", "fp64", "double precision"),
            "float32": ("float32", "fp32", "single precision"),
            "float16": ("float16", "fp16", "half precision"),
            "bfloat16": ("bfloat16", "bf16", "brain float"),
        },
    )  # fmt: skip
    naive: bool = setting(
        False, switch("stable", "naive"), "method",
        "how softmax is computed: naive, or stable, with the largest score subtracted",
        option="--naive/--stable", synonyms=("overflow",),
        presets={
            "yes": ("naive", "without the maximum subtracted"),
            "no": ("stable", "subtract the maximum"),
        },
    )  # fmt: skip
    scores: str = setting(
        "float64", _FORMAT, "scores in",
        "the number format scores are rounded to, before anything else", key="round_scores",
        option="--round-scores", metavar="FORMAT",
    )  # fmt: skip
    vectors: str = setting(
        "float64", _FORMAT, "q and k in",
        "the number format q and k are rounded to, before their product", key="round_vectors",
        option="--round-vectors", metavar="FORMAT",
        no_effect=lambda setup, source: (
            "" if source.rounds else "There are no q and k to round: choose where scores come from"
        ),
    )  # fmt: skip
    arithmetic: ArithmeticName = setting(
        "softmax", one_of(_EQUALS, former={"fused": "softmax"}), "16 bits",
        "what 16 bits round, bit for bit ("
        + "; ".join(f"{name} rounds {what}" for name, what in _EQUALS.items()) + ")",
        option="--arithmetic",
    )  # fmt: skip

    @property
    def is_narrow(self) -> bool:
        """Whether the weights are 16-bit numbers."""
        return self.format in FORMATS[2:]

    @property
    def inner(self) -> str:
        """The format of the operations inside softmax."""
        return "float32" if self.is_narrow and self.arithmetic != "stepwise" else self.format

    @property
    def logits(self) -> str:
        """The format of the logits."""
        return "float32" if self.is_narrow and self.arithmetic == "sdpa" else self.format
