"""The parts of a question besides the scores: d_k, the scale, precision, mask and settings."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.field import Checked, Field, fields_of, number, setting, whole
from attn_tui.compute.log_scale import D_K
from attn_tui.compute.mask import Mask
from attn_tui.compute.models import NAMED, NO_MODEL, brought
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale


@dataclass(frozen=True)
class Draw:
    """The size and the seed of a draw of scores.

    Attributes:
        n_keys: n, 1 to 1,000,000; the first keys of a longer draw are those of a shorter one.
        seed: The seed, a whole number from 0.
        count: The number of vectors, each with a query of its own.
    """

    MOST_SCORES: ClassVar = 4_000_000

    n_keys: int = setting(
        64, whole(1, 1_000_000, marked=True), "n",
        "draw scores of so many keys at random, q·k of standard normal entries", option="--draw",
    )  # fmt: skip
    seed: int = setting(
        1, whole(0, 2**63 - 1), "seed", "what is drawn", option="--seed", metavar="S",
    )  # fmt: skip
    count: int = setting(
        1, whole(1, MOST_SCORES), "vectors", "how many vectors are drawn, each with its query",
        option="--vectors", metavar="M", key="vectors",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name, declared in fields_of(Draw).items():
            value, kind = getattr(self, name), declared.kind
            if name == "count" and self.n_keys > 1:
                kind = whole(1, self.MOST_SCORES // self.n_keys)
            if not kind.admits(value):
                problem = f"{declared.label} = {inert(str(value))} will not do"
                raise InputError("draw", problem, kind.expected)


@dataclass(frozen=True)
class Spread:
    """How widely drawn q and k are spread about their means.

    Attributes:
        q: σ_q, what the entries of q are multiplied by.
        k: σ_k, what the entries of keys are multiplied by.
    """

    q: float = 1.0
    k: float = 1.0

    @property
    def scores(self) -> float:
        """σ_q·σ_k, what scores q·k are multiplied by."""
        return self.q * self.k


UNIT_SPREAD = Spread()
"""Entries as they are drawn: of variance 1, if they are standard normal."""

SPREAD = number(1e-3, 1e3, called="a factor")
"""The kind of σ_q and σ_k."""

_MOST_LEAD = 1000.0

LEAD = replace(
    number(0.0, _MOST_LEAD, called="a lead"),
    step=lambda value, steps: min(max(round(value + steps, 6), 0.0), _MOST_LEAD),
)
"""The kind of leads."""


def _cancels(setup: Any, source: Any) -> str:
    """Return why the spread of what is drawn has no effect; empty if it has one."""
    return "q and k are normalised: their spread cancels" if setup.scale.normalises else ""


S = TypeVar("S")


@dataclass(frozen=True)
class Setup(Checked):
    """Everything in a question except the source of scores; shared by all instruments.

    Attributes:
        d_k: Dimension of one head's queries and keys.
        scale: From scores to logits: the multiplier rule, soft cap, sink and QK-norm.
        precision: The number formats, and how softmax is computed.
        mask: Keys that are masked besides those whose score is −∞.
        settings: At most one settings object of each instrument, a frozen dataclass.
        model: The name of the model whose d_k and scale were chosen. It has no effect on any
            answer, and becomes ``none`` once both d_k and scale differ from the model's.
        sigma_q: σ_q, by which the entries of a drawn q are multiplied, or in Dot products their
            distances from their mean.
        sigma_k: σ_k, likewise of drawn keys.
        lead: g, what is added to the component of a drawn key 0 along q, so that its score is
            ‖q‖(ε₀ + g): under 1/√d_k it leads by about g logits. 0 for a key like the others.
    """

    d_k: int = setting(
        1024, D_K.kind, "d_k", "dimension of one head's queries and keys", option="--d-k",
        synonyms=("head dimension", "d_head", "head_dim"),
        no_effect=lambda setup, source: (
            "d_k is the length of q: it moves when q does" if source.rounds else ""
        ),
    )  # fmt: skip
    scale: Scale = Scale()
    precision: Precision = Precision()
    mask: Mask = Mask()
    settings: tuple[object, ...] = field(default=())
    model: str = setting(
        NO_MODEL, NAMED, "model",
        "the model whose d_k and scale are asked, but for what is given beside it",
        option="--model", composed=True, synonyms=("head", "architecture"), brings=brought,
    )  # fmt: skip
    sigma_q: float = setting(
        1.0, SPREAD, "σ_q", "what a drawn q is multiplied by", option="--sigma-q",
        synonyms=("spread of q", "sigma_q", "sigma q"),
        no_effect=_cancels,
    )  # fmt: skip
    sigma_k: float = setting(
        1.0, SPREAD, "σ_k", "what drawn keys are multiplied by", option="--sigma-k",
        synonyms=("spread of k", "spread of keys", "sigma_k", "sigma k"), no_effect=_cancels,
    )  # fmt: skip
    lead: float = setting(
        0.0, LEAD, "lead", "by how many logits drawn key 0 leads, under 1/√d_k", option="--lead",
        synonyms=(
            "leading key", "key ahead", "one key ahead", "planted key", "relevant key", "needle",
            "needle in a haystack",
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        of_model = brought(self.model)
        if of_model and all(getattr(self, name) != value for name, value in of_model.items()):
            object.__setattr__(self, "model", NO_MODEL)

    @property
    def sigmas(self) -> Spread:
        """σ_q and σ_k as they are asked, whatever the scale does to them."""
        return Spread(self.sigma_q, self.sigma_k)

    @property
    def spread(self) -> Spread:
        """How widely drawn q and k are spread; where they are normalised, that cancels."""
        return UNIT_SPREAD if self.scale.normalises else self.sigmas

    def get(self, kind: type[S]) -> S:
        """Return the part of a type: the setup itself, scale, precision or settings, or default."""
        parts = (self, self.scale, self.precision, *self.settings)
        return next((part for part in parts if isinstance(part, kind)), None) or kind()

    def put(self, settings: object) -> "Setup":
        """Return this setup with its part of one type replaced."""
        match settings:
            case Setup():
                return settings
            case Scale():
                return replace(self, scale=settings)
            case Precision():
                return replace(self, precision=settings)
        kept = [s for s in self.settings if type(s) is not type(settings)]
        if settings != type(settings)():
            kept.append(settings)
        # In a fixed order, so that setups with the same settings are equal.
        return replace(self, settings=tuple(sorted(kept, key=lambda s: type(s).__module__)))

    def value(self, field: Field) -> Any:
        """Return the value of a field."""
        return getattr(self.get(field.owner), field.name)

    def changed(self, field: Field, change: Callable[[Any], Any]) -> "Setup":
        """Return this setup with a field changed, and with the other values that this brings."""
        part: Any = self.get(field.owner)
        value = change(getattr(part, field.name))
        return self.put(replace(part, **field.brings(value), **{field.name: value}))


FIELDS: dict[str, Field] = {
    field.key: field for kind in (Setup, Scale, Precision) for field in fields_of(kind).values()
}
"""The fields that all instruments share, by key."""
