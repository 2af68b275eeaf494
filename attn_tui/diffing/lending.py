"""What PORT is lent of REFERENCE: the mask and the bias of its head model, where no rule has them.

A promise states masks by rule. Padding, packed texts and masks that follow no rule are given to
PORT as if they had been captured with it; the doctor then asks whether its output follows them.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.arrays import in_memory
from attn_tui.captures.capture import Capture, HeadId
from attn_tui.captures.layer import Tensor
from attn_tui.captures.layouts import Layout
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.diffing.reference import LayerModel
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.report import DoctorReport

MOST_SCORES = 2**28
"""The most scores of a mask that is written out."""
AXES: Layout = ("b", "h", "q", "k")
"""The axes of a mask that is written out."""

Lent = tuple[Tensor, Layout]
"""A tensor and its axes."""


def lent(
    port: Capture,
    report: DoctorReport,
    numbers: Mapping[int, int],
    models: Mapping[int, LayerModel],
    is_all: bool = False,
) -> Capture:
    """Return PORT with the masks and biases of REFERENCE that no promise can state.

    Args:
        port: The tensors of PORT.
        report: The report about REFERENCE.
        numbers: The number in PORT of each layer of REFERENCE.
        models: The head model of each layer of REFERENCE.
        is_all: Whether to lend it, too, that nothing is padding.
    """
    for layer, number in numbers.items():
        findings = [
            one for one in report.findings if one.id.layer == layer and one.explanation.explains
        ]
        model = models.get(layer, LayerModel())
        if model.promise is None or not findings or not _is_alike(findings, port, number):
            continue
        port = port.with_parts(number, dict(_parts(findings, report.capture, model, is_all)))
    return port


def _is_alike(findings: list[Finding], port: Capture, number: int) -> bool:
    """Return whether a layer of PORT has the sequences of REFERENCE, at most, and their lengths."""
    shapes = {one.id.batch: (one.shape.n_queries, one.shape.n_keys) for one in findings}
    for batch in {place.batch for place in port.heads if place.layer == number}:
        shape = port.shape(HeadId(batch, number, 0))
        if shapes.get(batch) != (shape.n_queries, shape.n_keys):
            return False
    return True


def _parts(
    findings: list[Finding], reference: Capture, model: LayerModel, is_all: bool
) -> Iterator[tuple[str, Lent]]:
    """Yield the tensors that a layer of PORT is lent, by part."""
    layer = findings[0].id.layer
    assert model.promise is not None
    masks = [one.explanation.candidate.model.mask for one in findings]
    has_captured = model.promise.mask is None and any(mask.kind == "given" for mask in masks)
    has_bias = model.promise.bias == "learned"
    for part in ("mask", "bias"):
        if (has_captured or has_bias) and part in reference.tensors(layer):
            yield part, reference.part(layer, part)
    firsts: dict[int, tuple[Finding, HeadMask]] = {}
    for finding, mask in zip(findings, masks, strict=True):
        firsts.setdefault(finding.id.batch, (finding, mask))
    has_padding = any(mask.hidden or mask.packed or mask.prefix for _, mask in firsts.values())
    if has_captured or not (has_padding or is_all):
        return
    numbers = _written(firsts, reference)
    if numbers is not None:
        yield "mask", (Tensor((in_memory("mask of REFERENCE", numbers),)), AXES)


def _written(
    firsts: Mapping[int, tuple[Finding, HeadMask]], reference: Capture
) -> NDArray[np.bool_] | None:
    """Return the masks of sequences, [batch, 1, queries, keys]; None if they are too large.

    One row for all queries states padding alone.
    """
    count = max(firsts) + 1
    shape = firsts[0][0].shape if 0 in firsts else next(iter(firsts.values()))[0].shape
    is_padding = not any(mask.packed or mask.prefix for _, mask in firsts.values())
    rows = 1 if is_padding else shape.n_queries
    if count * rows * shape.n_keys > MOST_SCORES:
        return None
    seen = np.ones((count, 1, rows, shape.n_keys), bool)
    for batch, (finding, mask) in firsts.items():
        if is_padding and mask.hidden is not None:
            seen[batch, :, :, mask.hidden[0] : mask.hidden[1] + 1] = False
        elif not is_padding:
            seen[batch, 0] = mask.seen(reference.read(finding.id, None, finding.reading))
    return seen
