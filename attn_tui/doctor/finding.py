"""The finding about one head: its promise, its call, and what explains its output."""

from dataclasses import dataclass, replace

from attn_tui.captures.capture import HeadId, HeadShape
from attn_tui.captures.readings import Reading
from attn_tui.compute.fit.model import Candidate, Explanation
from attn_tui.doctor.call import Comparable
from attn_tui.doctor.difference import Assumption, Judgement
from attn_tui.doctor.names import Miss
from attn_tui.files.models.promise import Promise


@dataclass(frozen=True)
class Finding:
    """The finding about one head.

    Attributes:
        id: The head.
        shape: Its sizes.
        promise: What is promised of its layer.
        call: The arguments of its call, as far as they were captured.
        comparable: Its promise, completed from the capture, and how its call differs.
        explanation: Whether its output is the promised one, or which models explain it.
        judgement: The verdict about it.
        names: The names of its multiplier.
        misses: The mistakes that may explain a wrong multiplier, the likeliest first.
        notes: Further remarks, in sentences.
        reading: How its tensors were read.
        refutes: Whether it sees keys that other heads of its sequence hide, as if by padding.
        number: The number of the head in its model, of which the capture may have some heads.
    """

    id: HeadId
    shape: HeadShape
    promise: Promise
    call: Promise
    comparable: Comparable
    explanation: Explanation
    judgement: Judgement
    names: tuple[str, ...] = ()
    misses: tuple[Miss, ...] = ()
    notes: tuple[str, ...] = ()
    reading: Reading | None = None
    refutes: bool = False
    number: int = 0

    @property
    def sequence(self) -> tuple[int, int]:
        """Its sequence, and the number of keys: heads that share both share padding."""
        return self.id.batch, self.shape.n_keys

    @property
    def wanted(self) -> float:
        """The promised multiplier: the usual 1/√d_k unless the promise states another."""
        multiplier = self.promise.multiplier
        return self.shape.d_k**-0.5 if multiplier is None else multiplier

    @property
    def mask_applied(self) -> bool | None:
        """Whether the captured mask was applied; None if none was captured or it is unknown."""
        explanation = self.explanation
        if "mask" not in self.shape.has or not explanation.explains:
            return None
        parts = [difference.part for difference in self.comparable.differences]
        if "mask" in parts:
            return not explanation.passes
        return "mask" not in explanation.candidate.changes


def assumption_of(candidate: Candidate, head: Comparable) -> Assumption | None:
    """Return the assumption that a candidate's mask needs, or None if it needs none.

    What the capture states of padding is not assumed otherwise, nor is a rule that is promised.
    """
    mask, promised = candidate.model.mask, head.model.mask
    if "mask" not in candidate.changes or head.has_mask:
        return None
    if "mask" in head.stated and replace(mask, hidden=None, packed=(), prefix=0) != promised:
        return None
    if mask.hidden:
        return "padding"
    if mask.packed:
        return "packed"
    return "prefix" if mask.prefix else None
