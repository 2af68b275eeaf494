"""The difference of two captures of one model, as a value: layers, heads and tensors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from attn_tui.captures.capture import HeadId
from attn_tui.diffing.distance import Distance
from attn_tui.doctor.difference import Verdict
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.verdict import overall

INPUTS = ("q", "k", "v")
"""The tensors that attention is given."""
TENSORS = (*INPUTS, "out")
"""The tensors that are compared."""
ROUNDING = 1.0
"""Tensors whose numbers are all within this many units of each other count as the same."""

DiffVerdict = Literal["same", "differs", "cannot tell"]
STATUSES: Mapping[DiffVerdict, int] = {"same": 0, "differs": 1, "cannot tell": 3}
"""The exit status of each verdict."""


@dataclass(frozen=True)
class HeadDifference:
    """What differs in one head.

    Attributes:
        reference: The finding about it in REFERENCE; None if REFERENCE lacks its sequence.
        port: The finding about it in PORT.
        distances: How far ``q``, ``k``, ``v`` and ``out`` of PORT are from those of REFERENCE;
            those of other shapes are missing.
        is_same_call: Whether q, k and v are those of REFERENCE to within a unit.
    """

    reference: Finding | None
    port: Finding
    distances: Mapping[str, Distance]

    @property
    def id(self) -> HeadId:
        """The head of PORT."""
        return self.port.id

    @property
    def is_same_call(self) -> bool:
        """Whether q, k and v are those of REFERENCE to within a unit."""
        return all(
            part in self.distances and self.distances[part].largest <= ROUNDING for part in INPUTS
        )


@dataclass(frozen=True)
class LayerDifference:
    """What differs in one layer.

    Attributes:
        layer: Its number in REFERENCE.
        port_layer: Its number in PORT.
        heads: Its heads in PORT.
        references: The finding about each of its heads in REFERENCE.
        reason: Why REFERENCE has no model that PORT could be held against; empty if it has one.
    """

    layer: int
    port_layer: int
    heads: tuple[HeadDifference, ...]
    references: tuple[Finding, ...]
    reason: str = ""

    @property
    def ports(self) -> tuple[Finding, ...]:
        """The finding about each of its heads in PORT."""
        return tuple(head.port for head in self.heads)

    @property
    def judged(self) -> Verdict:
        """What the doctor says of PORT's heads, held against the model of REFERENCE."""
        return overall(self.ports)

    @property
    def verdict(self) -> DiffVerdict:
        """Whether attention is the same in this layer.

        A layer in which no head could have shown another m is not different.
        """
        if self.reason:
            return "cannot tell"
        kinds = {finding.judgement.verdict for finding in self.ports}
        if "differs" in kinds:
            return "differs"
        return "cannot tell" if kinds & {"cannot tell", "no expectation"} else "same"

    @property
    def is_silent(self) -> bool:
        """Whether no head of it could have shown another m."""
        return {finding.judgement.verdict for finding in self.ports} == {"silent"}

    def farthest(self, parts: Sequence[str]) -> tuple[HeadDifference, str] | None:
        """Return the head and the tensor that differ most, of some tensors; None if none can."""
        every = [(head, part) for head in self.heads for part in parts if part in head.distances]
        return max(every, key=lambda one: one[0].distances[one[1]].largest, default=None)

    def largest(self, part: str) -> float | None:
        """Return how far a tensor differs in its heads, in units; None if it is not compared."""
        one = self.farthest([part])
        return None if one is None else one[0].distances[part].largest


@dataclass(frozen=True, eq=False, repr=False)
class DiffReport:
    """What the comparison of two captures of one model found.

    Attributes:
        reference: The doctor's report about REFERENCE.
        port: The doctor's report about PORT, held against the models of REFERENCE; None before.
        layers: The layers that both have, in the order of REFERENCE.
        missing: The layers of REFERENCE that PORT lacks, and those of PORT that REFERENCE lacks.
        notes: Further remarks, in sentences.
    """

    reference: DoctorReport
    port: DoctorReport | None = None
    layers: tuple[LayerDifference, ...] = ()
    missing: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> DiffVerdict:
        """Whether attention is the same: ``"same"``, ``"differs"`` or ``"cannot tell"``."""
        kinds = {layer.verdict for layer in self.layers}
        if "differs" in kinds:
            return "differs"
        if self.is_interrupted or "cannot tell" in kinds or not self.layers:
            return "cannot tell"
        return "cannot tell" if all(layer.is_silent for layer in self.layers) else "same"

    @property
    def is_interrupted(self) -> bool:
        """Whether the run was stopped."""
        return self.port is None or self.port.interrupted or self.reference.interrupted

    @property
    def first(self) -> LayerDifference | None:
        """The first layer with the verdict, unless attention is the same; None if there is none."""
        if self.verdict == "same":
            return None
        return next((layer for layer in self.layers if layer.verdict == self.verdict), None)

    @property
    def parting(self) -> LayerDifference | None:
        """The first layer whose q, k or v differ by more than a unit; None if there is none."""
        for layer in self.layers:
            farthest = layer.farthest(INPUTS)
            if farthest is not None and farthest[0].distances[farthest[1]].largest > ROUNDING:
                return layer
        return None

    @property
    def progress(self) -> float:
        """The share of the work that is done, 0 to 1."""
        port = 0.0 if self.port is None else self.port.progress
        return (self.reference.progress + port) / 2

    @property
    def elapsed(self) -> float:
        """The seconds that it took."""
        return self.reference.elapsed + (0.0 if self.port is None else self.port.elapsed)
