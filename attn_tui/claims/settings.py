"""What Claims asks: which claim is tried, and with what."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from attn_tui.claims.trial import Trial
from attn_tui.compute.field import Checked, Kind, asked, fields_of

FIRST = "S0-2"
"""The claim that is tried unless another is asked; its trial is that of `Trial` unless asked."""

_TRIAL = fields_of(Trial)


def _ids() -> list[str]:
    from attn_tui.claims.ledger import ledger

    return [*ledger()]


def _read(text: str) -> str:
    from attn_tui.claims.ledger import find

    return find(text).id


def _stepped(value: str, steps: int) -> str:
    known = _ids()
    return known[(known.index(value) + steps) % len(known)]


def _brought(value: str) -> Mapping[str, Any]:
    """Return what another claim is tried with unless something else is asked."""
    trial = _claim(value).trial
    return {name: getattr(trial, name) for name in _TRIAL}


def _claim(name: str) -> Any:
    from attn_tui.claims.ledger import find

    return find(name)


def _held(control: str, setup: Any, source: Any) -> str:
    """Return why a control is of no use for the claim that is asked, or nothing."""
    name = setup.get(Settings).claim
    plays = control in _claim(name).controls
    return "" if plays else f"{_TRIAL[control].label} plays no part in {name}"


def _is_known(value: Any) -> bool:
    # The ledger takes long to import: most questions leave the claim as it is.
    return value == FIRST or value in _ids()


ID = Kind(
    "the id of a claim, such as S2-19",
    _read,
    _is_known,
    step=_stepped,
    metavar="ID",
)
"""The id of a claim."""


def _control(name: str) -> Any:
    field = _TRIAL[name]
    return asked(
        field.default, field.kind, field.label, f"{field.help}, of the claim that is tried",
        held=partial(_held, name),
    )  # fmt: skip


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
