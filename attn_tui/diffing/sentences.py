"""What differs between two captures, in sentences: one to paste into an issue, and notes."""

from collections.abc import Iterator, Sequence
from math import isinf

from attn_tui.compute.numbers import general, whole
from attn_tui.compute.text import counted, listed
from attn_tui.diffing.difference import INPUTS, DiffReport, HeadDifference, LayerDifference
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.group import Group, grouped, layers_text, places_of
from attn_tui.doctor.sentences import statement
from attn_tui.doctor.verdict import overall
from attn_tui.report.words import ranges

FEW = 8
"""The most runs of layers to name."""


def verdict_line(difference: DiffReport) -> str:
    """Return the verdict, the first layer with it, and where inputs begin to differ."""
    if difference.is_interrupted and difference.verdict != "differs":
        return "cannot tell: stopped before the last head of PORT"
    first = difference.first
    parts = []
    if difference.verdict == "same":
        parts.append(f"same: attention is the same in {_every(difference)}")
    elif first is None:
        parts.append("cannot tell: another m would not have shown in any layer")
    elif difference.verdict == "differs":
        same = [one for one in difference.layers if one.verdict == "same"]
        where = "first in " if len(difference.layers) > 1 else "in "
        parts.append(f"differs: attention differs {where}{name(first)}: {both_sides(first)}")
        if same:
            parts.append(f"attention is the same in {layers_text({one.layer for one in same})}")
    else:
        parts.append(f"cannot tell: {name(first)}: {both_sides(first)}")
    parts.append(_inputs(difference))
    return "; ".join(parts)


def _every(difference: DiffReport) -> str:
    """Return which layers were compared."""
    numbers = [layer.layer for layer in difference.layers]
    if len(numbers) == 1:
        return name(difference.layers[0])
    if len(numbers) == 2:
        return layers_text({*numbers})
    return f"all {counted(len(numbers), 'layer')} ({ranges(numbers, FEW)})"


def name(layer: LayerDifference) -> str:
    """Return the name of a layer: ``layer 3``, or with its number in PORT."""
    if layer.layer == layer.port_layer:
        return f"layer {layer.layer}"
    return f"layer {layer.layer} (PORT's layer {layer.port_layer})"


def both_sides(layer: LayerDifference) -> str:
    """Return the doctor's sentence about a layer of REFERENCE, and that about PORT's."""
    if layer.reason:
        return f"{layer.reason}. REFERENCE: {said(layer.references)}"
    return f"REFERENCE: {said(layer.references)}. PORT: {said(layer.ports)}"


def said(findings: Sequence[Finding]) -> str:
    """Return the sentence about the largest group of heads with their verdict."""
    group = main_group(findings)
    places = "" if len(group.findings) == group.total else f"{places_of(group.findings)}: "
    return f"{places}{statement(group)}"


def main_group(findings: Sequence[Finding]) -> Group:
    """Return the largest group of heads with the verdict of all of them."""
    return grouped(findings, overall(findings))[0]


def _inputs(difference: DiffReport) -> str:
    """Return where the inputs of attention begin to differ, and how far."""
    layer = difference.parting
    if layer is None:
        if not any(one.farthest(INPUTS) for one in difference.layers):
            return "q, k and v have other shapes, and are not compared"
        return f"q, k and v are the same to within {units(difference)}"
    farthest = layer.farthest(INPUTS)
    assert farthest is not None
    head, part = farthest
    where = f"{part} of head {head.id.head} most"
    return f"its inputs differ from {name(layer)} on, {where}: {apart(head, part)}"


def units(difference: DiffReport) -> str:
    """Return the unit in which inputs are compared: ``a unit of bfloat16``."""
    formats = dict.fromkeys(
        head.distances[part].format
        for layer in difference.layers
        for head in layer.heads
        for part in INPUTS
        if part in head.distances
    )
    return f"a unit of {listed([*formats])}"


def apart(head: HeadDifference, part: str) -> str:
    """Return how far a tensor of a head differs: ``by 12.5 units of bfloat16``."""
    one = head.distances[part]
    if isinf(one.largest):
        return f"NaN or infinity in one of them, first at row {one.row:,}, column {one.column:,}"
    return f"by up to {unit_text(one.largest)} units of {one.format}"


def unit_text(number: float) -> str:
    """Return a number of units: three digits, or whole where that is not long."""
    return whole(number) if 100.0 <= number < 1e6 else general(number, 3)


def why(difference: DiffReport) -> Iterator[str]:
    """Yield the sentences behind the verdict: for each layer that is not the same, and notes."""
    for layer in difference.layers:
        if layer.verdict != "same":
            yield f"{name(layer)}: {layer.verdict}: {both_sides(layer)}."
    yield from notes(difference)


def notes(difference: DiffReport) -> Iterator[str]:
    """Yield remarks: layers that one capture lacks, silent ones, and what was granted."""
    for side, layers in zip(("PORT", "REFERENCE"), difference.missing, strict=True):
        if layers:
            other = "REFERENCE" if side == "PORT" else "PORT"
            yield f"{side} has no counterpart of {layers_text({*layers})} of {other}."
    silent = {layer.layer for layer in difference.layers if layer.is_silent}
    if silent:
        yield f"Another m would not have shown in {layers_text(silent)}."
    alone = sorted(
        {head.id.batch for layer in difference.layers for head in layer.heads if not head.reference}
    )
    if alone:
        yield f"REFERENCE has no sequence {ranges(alone, FEW)}: tensors of it are not compared."
    if any(_is_other_shape(head) for layer in difference.layers for head in layer.heads):
        yield "Tensors whose shapes differ are not compared."
    yield from difference.reference.notes
    yield from difference.notes


def _is_other_shape(head: HeadDifference) -> bool:
    """Return whether a tensor that both captures have has two shapes."""
    if head.reference is None:
        return False
    common = head.reference.shape.has & head.port.shape.has
    return any(part in common and part not in head.distances for part in (*INPUTS, "out"))
