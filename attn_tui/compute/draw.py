"""What is drawn when scores are: how many keys and vectors, and the seed."""

from dataclasses import dataclass
from typing import ClassVar

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import asked, fields_of, whole


@dataclass(frozen=True)
class Draw:
    """How many scores are drawn, and which.

    Attributes:
        n_keys: n, 1 to 1,000,000; the first keys of a longer draw are those of a shorter one.
        seed: What is drawn, a whole number from 0.
        count: How many vectors, each with a query of its own.
    """

    MOST_SCORES: ClassVar = 4_000_000

    n_keys: int = asked(
        64, whole(1, 1_000_000, marked=True), "n",
        "draw scores of so many keys at random, q·k of standard normal entries", option="--draw",
    )  # fmt: skip
    seed: int = asked(1, whole(0, 2**63 - 1), "seed", "what is drawn", option="--seed", metavar="S")
    count: int = asked(
        1, whole(1, MOST_SCORES), "vectors", "how many vectors are drawn, each with its query",
        option="--vectors", metavar="M", key="vectors",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name, field in fields_of(Draw).items():
            value, kind = getattr(self, name), field.kind
            if name == "count" and self.n_keys > 1:
                kind = whole(1, self.MOST_SCORES // self.n_keys)
            if not kind.admits(value):
                problem = f"{field.label} = {inert(str(value))} will not do"
                raise InputError("draw", problem, kind.expected)
