"""The settings of Claims: which claim to try, and with which trial."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from attn_tui.claims.trial import Trial
from attn_tui.compute.field import Checked, Kind, fields_of, setting

FIRST = "S0-2"
"""The default claim; its trial is the default `Trial`."""


def _find(name: str) -> Any:
    # Imported here because it is slow, and most questions do not change the claim.
    from attn_tui.claims.ledger import find

    return find(name)


def _ids() -> list[str]:
    from attn_tui.claims.ledger import ledger

    return [*ledger()]


def _stepped(value: str, steps: int) -> str:
    ids = _ids()
    return ids[(ids.index(value) + steps) % len(ids)]


def _brought(value: str) -> Mapping[str, Any]:
    """Return the fields of a claim's own trial, which choosing the claim sets."""
    return asdict(_find(value).trial)


ID = Kind(
    "the id of a claim, such as S2-19",
    lambda text: _find(text).id,
    lambda value: value == FIRST or value in _ids(),
    step=_stepped,
    metavar="ID",
    schema={"type": "string"},
)
"""The id of a claim."""


def _control(name: str) -> Any:
    """Return a field of `Trial` that is disabled if it has no effect on the claim."""
    field = fields_of(Trial)[name]

    def no_effect(setup: Any, source: Any) -> str:
        claim = setup.get(Settings).claim
        return "" if name in _find(claim).controls else f"{field.label} plays no part in {claim}"

    words = f"{field.help}, of the claim that is tried"
    return setting(field.default, field.kind, field.label, words, no_effect=no_effect)


@dataclass(frozen=True)
class Settings(Checked):
    """The claim to try, and its trial; a field that the claim does not use has no effect.

    Attributes:
        claim: The id of the claim.
        seed: The seed, as in `Trial`.
        d_k: Dimension of one head's queries and keys.
        n: Number of keys.
        draws: How many samples are drawn.
    """

    claim: str = setting(FIRST, ID, "claim", "the claim that is tried", brings=_brought)
    seed: int = _control("seed")
    d_k: int = _control("d_k")
    n: int = _control("n")
    draws: int = _control("draws")

    @property
    def trial(self) -> Trial:
        """The trial of the claim."""
        return Trial(self.seed, self.d_k, self.n, self.draws)
