"""What the fit finds of one head, and how sure it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from attn_tui.compute.heads.mask import HeadMask

Path = Literal["float32", "flash", "eager", "tf32"]
"""Where a head was rounded: its output only; weights too; scores and every step too; or, in
float32, what both products are of, as tensor cores do."""


@dataclass(frozen=True)
class Interval:
    """A number and where it may lie. None is no number: no cap, no sink, or no bound.

    Attributes:
        value: The number.
        low: The least it may be.
        high: The most it may be.
    """

    value: float | None
    low: float | None
    high: float | None


class Estimate(Protocol):
    """Something fitted, whose error is known where it was fitted: ln m, c, 1/cap² or e^b."""

    def at(self, confidence: float = 0.95) -> Interval:
        """Return the interval at a level of confidence, below 1."""


@dataclass(frozen=True)
class Temperature:
    """Whether one multiplier holds for all rows.

    Attributes:
        kind: Whether it does.
        rows: The position of each used row, and its multiplier; empty if one holds.
    """

    kind: Literal["constant", "by row"]
    rows: tuple[tuple[int, Estimate], ...] = ()


@dataclass(frozen=True)
class Stretch:
    """What c and a sink do together, where rows are too alike to tell one from the other.

    Attributes:
        alone: c if there is no sink.
        with_sink: c if the captured sink has its part; None where none was captured.
    """

    alone: Estimate
    with_sink: Estimate | None = None


@dataclass(frozen=True)
class Suspect:
    """What may have been done to a head that nothing fits, and what a test of it came to.

    Attributes:
        name: What it is called.
        verdict: Whether it is that.
        found: What the test found, in words.
        left: The share of the output that is left where it is taken to be that, if that was tested.
    """

    name: str
    verdict: Literal["yes", "may be", "no", "not tested"]
    found: str
    left: float | None = None


@dataclass(frozen=True)
class Diagnosis:
    """What a head was computed with. What is None could not be determined, and says why.

    Attributes:
        multiplier: m, relative to the q that was captured.
        value_scale: c of out = c·p·V.
        softcap: The cap; a value of None is no cap, up to the low end.
        sink: The sink's logit; a value of None is no sink, up to the high end.
        mask: Which keys are seen; None with ``sees_all`` is causal or none.
        window: The window's length.
        temperature: Whether m is one number.
        residual: ‖out − fit‖/‖out‖ over the rows used.
        rounding: The same as each path of rounding makes it.
        path: The path, or None where nothing was rounded that tells, or likelihood does not decide.
        fits: Whether the reduced χ² is below 2.
        used: The rows used.
        keys: The fewest and the most keys that a used row sees.
        undetermined: What could not be determined, and why.
        confounded: Names that cannot be told apart here.
        suspects: What was tested where nothing fits.
        paths: Those that remain, the likeliest first.
        odd: Rows that do not fit what all others do, and were left out.
        notes: What else is to be said, in sentences.
        sees_all: Whether no key is hidden from the rows used.
        stretch: What c and a sink do together, where neither can be told.
    """

    multiplier: Estimate | None
    value_scale: Estimate | None
    softcap: Estimate | None
    sink: Estimate | None
    mask: HeadMask | None
    window: Estimate | None
    temperature: Temperature | None
    residual: float
    rounding: Mapping[Path, float]
    path: Path | None
    fits: bool
    used: tuple[int, ...]
    keys: tuple[int, int]
    undetermined: tuple[tuple[str, str], ...] = ()
    confounded: tuple[tuple[str, ...], ...] = ()
    suspects: tuple[Suspect, ...] = ()
    notes: tuple[str, ...] = field(default=())
    paths: tuple[Path, ...] = ()
    odd: tuple[int, ...] = ()
    sees_all: bool = False
    stretch: Stretch | None = None

    @property
    def scale(self) -> Estimate | None:
        """c; beside the captured sink, or else none, where it cannot be told from a sink."""
        if self.stretch is None:
            return self.value_scale
        return self.stretch.with_sink or self.stretch.alone

    @property
    def culprit(self) -> Suspect | None:
        """The suspect that it is, of those that were tested."""
        return next((each for each in self.suspects if each.verdict == "yes"), None)

    @property
    def sight(self) -> HeadMask | None:
        """A mask under which the rows used see what they do: none, where nothing more is known."""
        return HeadMask("none") if self.mask is None and self.sees_all else self.mask
