"""What Claims asks: which claim is tried, and with what."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from attn_tui.claims.trial import Trial
from attn_tui.compute.field import Checked, Kind, asked, fields_of

FIRST = "S0-2"
"""The claim that is tried unless another is asked; its trial is that of `Trial` unless asked."""


def _find(name: str) -> Any:
    # The ledger takes long to import: most questions leave the claim as it is.
    from attn_tui.claims.ledger import find

    return find(name)


def _ids() -> list[str]:
    from attn_tui.claims.ledger import ledger

    return [*ledger()]


def _stepped(value: str, steps: int) -> str:
    known = _ids()
    return known[(known.index(value) + steps) % len(known)]


def _brought(value: str) -> Mapping[str, Any]:
    """Return what another claim is tried with unless something else is asked."""
    return asdict(_find(value).trial)


ID = Kind(
    "the id of a claim, such as S2-19",
    lambda text: _find(text).id,
    lambda value: value == FIRST or value in _ids(),
    step=_stepped,
    metavar="ID",
)
"""The id of a claim."""


def _control(name: str) -> Any:
    """Return a field of `Trial`, held where it plays no part in the claim that is asked."""
    field = fields_of(Trial)[name]

    def held(setup: Any, source: Any) -> str:
        claim = setup.get(Settings).claim
        return "" if name in _find(claim).controls else f"{field.label} plays no part in {claim}"

    words = f"{field.help}, of the claim that is tried"
    return asked(field.default, field.kind, field.label, words, held=held)


@dataclass(frozen=True)
class Settings(Checked):
    """Which claim is tried, and with what; a control that plays no part in it changes nothing.

    Attributes:
        claim: Its id.
        seed: As in `Trial`, as are the next.
        d_k: Dimension of one head's queries and keys.
        n: Number of keys.
        draws: How many samples are drawn.
    """

    claim: str = asked(FIRST, ID, "claim", "the claim that is tried", brings=_brought)
    seed: int = _control("seed")
    d_k: int = _control("d_k")
    n: int = _control("n")
    draws: int = _control("draws")

    @property
    def trial(self) -> Trial:
        """What the claim is tried with."""
        return Trial(self.seed, self.d_k, self.n, self.draws)
