"""The settings of a sweep: its places, its rules and the number of vectors."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import (
    Checked,
    Kind,
    array,
    fields_of,
    one_of,
    or_none,
    setting,
    span,
    switch,
    whole,
    wholes,
)
from attn_tui.compute.log_scale import D_K, N_KEYS, LogScale
from attn_tui.compute.scale import NONE, Scale, parse_scale

_ASSIGNMENT = re.compile(r"[^:=]+=")
"""How a parameter with its value begins, and no rule does."""


def read_rules(text: str) -> tuple[str, ...]:
    """Read rules separated by commas; a trailing comma is allowed.

    ``name=value`` belongs to the rule before it. An empty text gives no rules: then ``none`` is
    compared with the rule of the setup.

    Raises:
        InputError: If a rule is not understood.

    >>> read_rules("none, temperature:T=4, mup:1,024")
    ('none', 'temperature:T=4', 'mup:1,024')
    >>> read_rules("yarn:40, mscale=.707, longrope, length=8192, none")
    ('yarn:40,mscale=.707', 'longrope:length=8192', 'none')
    """
    listed = text.strip()
    if not listed:
        return ()
    # A comma before a digit marks thousands.
    parts = re.split(r",(?!\s*[0-9])", listed.removesuffix(",") or listed)
    rules: list[str] = []
    for part in map(str.strip, parts):
        if rules and _ASSIGNMENT.match(part):
            rules[-1] += f",{part}" if ":" in rules[-1] else f":{part}"
        else:
            rules.append(part)
    for rule in rules:
        try:
            parse_scale(rule)
        except InputError as error:
            raise InputError("rules", error.problem, error.expected) from None
    return tuple(rules)


def _as_argument(rules: tuple[str, ...]) -> str:
    """Return rules as a list; a trailing comma makes one rule a list."""
    names = ",".join(rules)
    return f"{names}," if len(rules) == 1 else names


LISTED = Kind(
    "rules with commas between them",
    read_rules,
    lambda value: type(value) is tuple and all(isinstance(rule, str) for rule in value),
    ", ".join,
    schema=array({"type": "string"}),
    argument=_as_argument,
)
"""The kind of lists of rules, each as `parse_scale` reads it."""


Swept = Literal["d_k", "n", "map"]
SweptAxis = Literal["d_k", "n"]
View = Literal["curves", "map"]
SweepStatistic = Literal[
    "max_weight",
    "entropy",
    "effective_keys",
    "jacobian",
    "gradient",
    "trace",
    "query_gradient",
    "entropy_bits",
    "logit_std",
    "lead_weight",
]
"""The largest weight; H in nats; e^H; ‖J‖_F; ‖∂p/∂s‖_F; tr J; ‖∂L/∂q‖; H in bits; the standard
deviation of a vector's n logits; the weight of key 0, which may lead."""

STATISTICS: tuple[SweepStatistic, ...] = get_args(SweepStatistic)

MOST_DRAWS, MOST_POINTS = 100_000, 200

FEW_DRAWS, MANY_DRAWS = 1000, 10_000
"""The default numbers of vectors at each place: the larger one where keys are few."""

MANY_SCORES = 1_000_000
"""With more scores than this, the smaller number of vectors is drawn. It depends on the question
alone, so that a seed gives the same draws on every machine."""

_PLACES = whole(2, MOST_POINTS)


@dataclass(frozen=True)
class SweptRange:
    """The range of a sweep, and the number in it that is looked at: ``2:4096@64``, as one option.

    Attributes:
        ends: The least and the largest number; equal for a single one.
        at: The number that is looked at; None if the text names none.
    """

    ends: tuple[int, ...]
    at: int | None = None

    @staticmethod
    def parse(name: str, scale: LogScale, text: str) -> "SweptRange":
        """Read a text: a single number is a range of one place, at which it is looked.

        Raises:
            InputError: If it is none, or a number is not one of the scale.
        """
        ends, separator, place = text.partition("@")
        at = scale.parse(place) if separator else None
        if ":" in ends:
            return SweptRange(fields_of(Settings)[name].kind.parse(scale.field, ends), at)
        only = scale.parse(ends)
        return SweptRange((only, only), at or only)

    def text(self, default: int) -> str:
        """Return the text that is read as this range, where ``default`` is looked at by default."""
        low, high = self.ends
        text, default = (str(low), low) if low == high else (f"{low}:{high}", default)
        return text if self.at in (None, default) else f"{text}@{self.at}"


@dataclass(frozen=True)
class Settings(Checked):
    """What is swept, and how finely.

    Attributes:
        over: What curves run over; the other is fixed: n by these settings, d_k by the setup.
        n: Number of keys while d_k is swept, 2 to 100,000.
        n_range: Least and largest n of a sweep over n, and of a map; one place if they are equal.
        d_k_range: Least and largest d_k of a sweep over d_k, and of a map; likewise.
        rules: Scale rules as text, without duplicates; if empty, ``"none"`` and the setup's own.
        statistic: The statistic that a screen shows first, and that a report shows. All are
            computed.
        view: Curves over one of n and d_k, or a map over both.
        ratio: Whether to show the ratio of the statistic without scaling to that under a rule.
        points: The most places along a curve, evenly spaced in the logarithm.
        map_points: The most places along each side of a map.
        draws: How many vectors are drawn at each place, 2 to 100,000, see `check_vectors`; None
            for the number that `draws_at` returns.
        seed: The seed of the draws, a whole number from 0.
        crossovers: Whether curves over d_k and maps end with a search for crossovers at n.
        crossover_n: The values of n when only crossovers are requested; if empty, n.
    """

    over: SweptAxis = setting(
        "d_k", one_of({"d_k": "dimension of a head", "n": "number of keys"}), "over",
        "what curves run over", option="--over", composed=True,
    )  # fmt: skip
    n: int = setting(
        64, N_KEYS.kind, "n", "the number of keys while d_k is swept", option="--n", composed=True,
    )  # fmt: skip
    n_range: tuple[int, ...] = setting(
        (2, 4096), span(N_KEYS.minimum, N_KEYS.maximum), "n from:to",
        "the least and the largest n of a sweep over n, and of a map", option="--n", composed=True,
    )  # fmt: skip
    d_k_range: tuple[int, ...] = setting(
        (1, 8192), span(D_K.minimum, D_K.maximum), "d_k from:to",
        "the least and the largest d_k of a sweep over d_k, and of a map", option="--d-k",
        composed=True,
    )  # fmt: skip
    rules: tuple[str, ...] = setting(
        (), LISTED, "rules",
        "the rules that are compared, as text; none are `none` and `experiment.rule`",
        option="--rules", composed=True,
    )  # fmt: skip
    statistic: SweepStatistic = setting(
        "gradient", one_of(dict.fromkeys(STATISTICS, "")), "statistic",
        "the statistic that is looked at first", option="--statistic", composed=True,
    )  # fmt: skip
    view: View = setting(
        "curves", one_of({"curves": "over one", "map": "over both"}), "view",
        "curves over one, or a map over both", option="--map", composed=True,
    )  # fmt: skip
    ratio: bool = setting(
        False, switch(), "ratio",
        "whether the statistic unscaled over the same under a rule is looked at", option="--ratio",
        composed=True,
    )  # fmt: skip
    points: int = setting(
        27, _PLACES, "points", "how many places there are along a curve", option="--points",
        composed=True,
    )  # fmt: skip
    map_points: int = setting(
        14, _PLACES, "map points", "how many along each side of a map", option="--points",
        composed=True,
    )  # fmt: skip
    draws: int | None = setting(
        None, or_none(whole(2, MOST_DRAWS), "auto"), "draws",
        "how many vectors are drawn at each place; auto is 1,000, or 10,000 up to 100 keys",
        option="--draws",
    )  # fmt: skip
    seed: int = setting(
        1, whole(0, 2**63 - 1), "seed", "the seed of what is drawn", option="--seed", metavar="S",
    )  # fmt: skip
    crossovers: bool = setting(
        True, switch(), "crossovers",
        "whether crossovers are searched, too, after a sweep over d_k or a map",
        option="--crossovers/--no-crossovers",
    )  # fmt: skip
    crossover_n: tuple[int, ...] = setting(
        (), wholes(N_KEYS.minimum, N_KEYS.maximum), "crossovers at n",
        "the n that `sweep --crossover` asks for; none are n", option="--n", composed=True,
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        scales = [parse_scale(rule) for rule in self.rules]
        for index, rule in enumerate(self.rules):
            if scales[index] in scales[:index]:
                raise InputError("rules", f"{inert(rule)} stands twice", "each rule once")
        if self.ratio and scales == [NONE]:
            raise InputError("rules", "there is only none", "a rule to compare none with")

    @property
    def swept(self) -> Swept:
        """What is swept: d_k or n along curves, or both on a map."""
        return "map" if self.view == "map" else self.over


def draws_at(settings: Settings, n: int) -> int:
    """Return how many vectors of n keys are drawn at each place in the end.

    >>> draws_at(Settings(), 64), draws_at(Settings(), 4096), draws_at(Settings(draws=300), 64)
    (10000, 1000, 300)
    """
    if settings.draws is not None:
        return settings.draws
    return MANY_DRAWS if n * MANY_DRAWS <= MANY_SCORES else FEW_DRAWS


def first_draws(settings: Settings) -> int:
    """Return how many vectors are drawn at every place before any place gets more."""
    return FEW_DRAWS if settings.draws is None else settings.draws


@lru_cache(maxsize=64)
def compared(settings: Settings, scale: Scale) -> tuple[Scale, ...]:
    """Return the rules that are compared, each once, given the setup's own scale."""
    rules = [parse_scale(rule) for rule in settings.rules]
    rules = rules or [NONE, scale.bare]
    return tuple(dict.fromkeys([NONE, *rules] if settings.ratio else rules))
