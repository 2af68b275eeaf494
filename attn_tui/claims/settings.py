"""What Claims asks: which claim is tried, and with what."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from attn_tui.compute.field import Checked, Kind, asked, fields_of, whole
from attn_tui.compute.log_scale import D_K, N_KEYS

FIRST = "S0-2"
"""The claim that is tried unless another is asked; its trial is that of `Trial` unless asked."""

MOST_DRAWS = 1_000_000


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


def _held(control: str, setup: Any, source: Any) -> str:
    """Return why a control is of no use for the claim that is asked, or nothing."""
    name = setup.get(Settings).claim
    plays = control in _find(name).controls
    return "" if plays else f"{fields_of(Trial)[control].label} plays no part in {name}"


def _control(name: str, default: int, kind: Kind, help: str, **more: Any) -> Any:
    return asked(default, kind, name, help, held=partial(_held, name), **more)


@dataclass(frozen=True)
class Trial(Checked):
    """What a claim is tried with; which of these play a part is the claim's to say.

    Attributes:
        seed: What is drawn, a whole number from 0.
        d_k: Dimension of one head's queries and keys.
        n: Number of keys.
        draws: How many samples are drawn: of q·k, or of vectors of n scores.
    """

    seed: int = _control(
        "seed", 1, whole(0, 2**63 - 1), "the seed of what is drawn", option="--seed", metavar="S",
    )  # fmt: skip
    d_k: int = _control(
        "d_k", 64, D_K.kind, "dimension of one head's queries and keys", option="--d-k"
    )
    n: int = _control("n", 64, N_KEYS.kind, "the number of keys", option="--n")
    draws: int = _control(
        "draws", 1000, whole(2, MOST_DRAWS, marked=True), "how many samples are drawn",
        option="--draws",
    )  # fmt: skip


ID = Kind(
    "the id of a claim, such as S2-19",
    lambda text: _find(text).id,
    lambda value: value == FIRST or value in _ids(),
    step=_stepped,
    metavar="ID",
)
"""The id of a claim."""


def _brought(claim: str) -> Mapping[str, Any]:
    """Return what another claim is tried with unless something else is asked."""
    return asdict(_find(claim).trial)


@dataclass(frozen=True)
class Settings(Trial):
    """Which claim is tried, and with what; a control that plays no part in it changes nothing.

    Attributes:
        claim: Its id.
    """

    claim: str = asked(FIRST, ID, "claim", "the claim that is tried", brings=_brought)

    @property
    def trial(self) -> Trial:
        """What the claim is tried with."""
        return Trial(self.seed, self.d_k, self.n, self.draws)
