"""How far the tensors of a head in PORT are from those in REFERENCE; padding is left out."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture
from attn_tui.compute.heads.rows import Reals
from attn_tui.diffing.difference import TENSORS
from attn_tui.diffing.distance import Distance, distance
from attn_tui.doctor.finding import Finding

Sides = tuple[tuple[Capture, Finding], tuple[Capture, Finding]]
"""REFERENCE and PORT: the tensors, and the finding about one head of them."""


def distances(sides: Sides) -> Iterator[tuple[str, Distance]]:
    """Yield how far each tensor of a head is from the other one, if both are of one shape.

    What stands at padding is nobody's: its rows are not compared.
    """
    shapes = {(one.shape.n_queries, one.shape.n_keys) for _, one in sides}
    if len(shapes) > 1:
        return
    padding = np.any([_padding(*side) for side in sides], axis=0)
    ((n_queries, n_keys),) = shapes
    for part in TENSORS:
        (first, name), (second, other) = (_stored(*side, part) for side in sides)
        if first is None or second is None or first.shape != second.shape:
            continue
        is_left_out = part in ("k", "v") or n_queries == n_keys
        kept = np.flatnonzero(~padding) if is_left_out else np.arange(n_queries)
        apart = distance(first[kept], second[kept], (name, other))
        if apart is not None:
            yield part, replace(apart, row=int(kept[apart.row]))


def _padding(capture: Capture, finding: Finding) -> NDArray[np.bool_]:
    """Return which keys are padding: those that no query sees, shape (n,)."""
    mask = finding.explanation.candidate.model.mask
    padding = np.zeros(finding.shape.n_keys, bool)
    # What was tried on a head that nothing explains says nothing of padding.
    if mask.hidden is not None and finding.explanation.explains:
        padding[mask.hidden[0] : mask.hidden[1] + 1] = True
    if mask.kind == "given":
        seen = capture.read(finding.id, None, finding.reading).seen
        if seen is not None:
            padding = np.asarray(~seen.any(axis=0))
    return padding


def _stored(capture: Capture, finding: Finding, part: str) -> tuple[Reals | None, str]:
    """Return a tensor of a head and its format; None if it was not captured."""
    tensor = capture.tensors(finding.id.layer).get(part)
    if tensor is None:
        return None, ""
    return capture.vectors(finding.id, part, finding.reading), tensor.format
