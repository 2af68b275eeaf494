"""What is expected of a head, as something that a fit starts from."""

from dataclasses import dataclass

from attn_tui.compute.fit.diagnosis import Diagnosis, Interval, Temperature
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.doctor.expected import LEARNED, NONE, Expected


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


def start_of(expected: Expected, head: HeadRows) -> Diagnosis:
    """Return what a head would be found to have, if it had what is expected."""
    m = expected.multiplier or head.d_k**-0.5
    sink = 0.0 if expected.sink == LEARNED else expected.sink
    return Diagnosis(
        multiplier=Certain(m),
        value_scale=Certain(expected.value_scale or 1.0),
        softcap=Certain(None if expected.softcap in (None, NONE) else float(expected.softcap)),
        sink=Certain(None if sink in (None, NONE) else float(sink)),
        mask=_mask(expected, head),
        window=Certain(expected.window) if expected.window is not None else None,
        temperature=Temperature("constant"),
        residual=0.0,
        rounding={},
        path=None,
        fits=True,
        used=(),
        keys=(0, 0),
    )


def _mask(expected: Expected, head: HeadRows) -> HeadMask | None:
    if head.seen is not None:
        return HeadMask("given")
    corner = head.n_keys - head.n_queries
    if expected.mask == "window":
        return HeadMask("window", corner, expected.window)
    return (
        None
        if expected.mask is None
        else HeadMask(expected.mask, corner * (expected.mask == "causal"))
    )
