"""What a head is supposed to have, as something that a fit starts from."""

from dataclasses import dataclass

from attn_tui.compute.fit.diagnosis import Diagnosis, Interval, Path, Temperature
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.logit_map import LogitMap


@dataclass(frozen=True)
class Certain:
    """A number that is said, not fitted; None is that there is none.

    Attributes:
        value: The number.
    """

    value: float | None

    def at(self, confidence: float = 0.95) -> Interval:
        """Return the number alone."""
        return Interval(self.value, self.value, self.value)


def supposed(
    made: LogitMap, mask: HeadMask | None, value_scale: float = 1.0, path: Path | None = None
) -> Diagnosis:
    """Return what a head would be found to have, if it were computed so."""
    window = None if mask is None or mask.window is None else Certain(mask.window)
    return Diagnosis(
        multiplier=Certain(made.multiplier),
        value_scale=Certain(value_scale),
        softcap=Certain(made.softcap),
        sink=Certain(made.sink),
        mask=mask,
        window=window,
        temperature=Temperature("constant"),
        residual=0.0,
        rounding={},
        path=path,
        fits=True,
        used=(),
        keys=(0, 0),
    )
