"""The doctor at work on two captures: PORT is held against what it finds of REFERENCE."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from attn_tui.captures.capture import Capture
from attn_tui.compute.errors import InputError, Stop, never
from attn_tui.compute.heads.head_model import SCALARS
from attn_tui.diffing.apart import distances
from attn_tui.diffing.capture_difference import CaptureDifference
from attn_tui.diffing.difference import HeadDifference, LayerDifference
from attn_tui.diffing.distance import Distance
from attn_tui.diffing.lending import lent
from attn_tui.diffing.matching import matched
from attn_tui.diffing.reference import LayerModel, expectation_of, models_of, refitted
from attn_tui.doctor.examine import examine
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.report import DoctorReport, Settings
from attn_tui.doctor.verdict import SEQUENCES, UNEXPLAINED, settled
from attn_tui.doctor.words import assumed_text
from attn_tui.files.models.opening import Configured

SOURCE = "what REFERENCE computes"
"""What is said to promise the attention of PORT."""
NOT_ONE = "no one model gives all of its heads"
"""Said of a layer of REFERENCE whose heads do not share what was found of them."""


def compared(
    both: tuple[Configured, Configured], match: str, settings: Settings, stop: Stop = never
) -> Iterator[CaptureDifference]:
    """Yield the difference of two captures, again after each head that was examined.

    Args:
        both: REFERENCE, with what is expected of it, and PORT.
        match: Layers that belong together, as `matched` takes them.
        settings: How heads are examined.
        stop: Called before each head; returns whether to end.

    Raises:
        InputError: With field ``"reference"``, ``"port"`` or ``"match"``, if layers or heads of
            PORT are not those of REFERENCE.
    """
    reference, port = both[0].capture, both[1].capture
    numbers = matched(reference, port, match)
    missing = (
        tuple(layer for layer in reference.layers if layer not in numbers),
        tuple(layer for layer in port.layers if layer not in numbers.values()),
    )
    reference = reference.of_layers([*numbers])
    port = port.of_layers([*numbers.values()])
    with naming("reference"):
        for report in examine(reference, both[0].expectation, settings, stop, both[0].notes):
            yield CaptureDifference(report, missing=missing)
    if report.interrupted:
        return
    _check_heads(report, port, numbers)
    granted = [one.judgement.assumes for one in report.findings if one.judgement.assumes]
    settings = replace(settings, assume=settings.assume.union(granted))
    models = _verified(report, models_of(report), settings)
    expectation = expectation_of(report, models, numbers, SOURCE)
    port = lent(port, report, numbers, models)
    difference = CaptureDifference(report, missing=missing, notes=(*_granted(report),))
    with naming("port"):
        for port_report in examine(port, expectation, settings, stop):
            yield replace(difference, port=port_report)
    if not port_report.interrupted:
        port_report = _with_masks(report, port_report, numbers, models)
        port_report = _with_either(report, port_report, numbers, models)
    layers = tuple(_layers(report, port_report, numbers, models))
    yield replace(difference, port=port_report, layers=layers)


def _with_masks(
    report: DoctorReport,
    port: DoctorReport,
    numbers: Mapping[int, int],
    models: Mapping[int, LayerModel],
) -> DoctorReport:
    """Return the report about PORT, with REFERENCE's padding where PORT's own is another.

    A mask that was captured says what is padding. PORT's would confirm itself.
    """
    others = {}
    for layer, number in numbers.items():
        ours = {one.id: _hiding(one) for one in report.findings if one.id.layer == layer}
        theirs = {
            replace(one.id, layer=layer): _hiding(one)
            for one in port.findings
            if one.id.layer == number and "mask" in one.shape.has
        }
        if any(theirs[place] != ours[place] for place in theirs.keys() & ours.keys()):
            others[layer] = number
    if not others:
        return port
    return _again(port, lent(port.capture, report, others, models, is_all=True), [*others.values()])


def _hiding(finding: Finding) -> tuple[object, ...]:
    """Return what the mask of a head hides or shows beside its rule."""
    mask = finding.explanation.candidate.model.mask
    return mask.hidden, mask.packed, mask.prefix


def _with_either(
    report: DoctorReport,
    port: DoctorReport,
    numbers: Mapping[int, int],
    models: Mapping[int, LayerModel],
) -> DoctorReport:
    """Return the report about PORT, by its own numbers where they give REFERENCE's output, too.

    What was fitted to coarse numbers is a little off. Attention is the same if one model gives
    both outputs.
    """
    kinds: dict[int, set[str]] = {}
    for finding in port.findings:
        parts = finding.judgement.parts if finding.judgement.verdict == "differs" else ()
        kinds.setdefault(finding.id.layer, set()).update(parts)
    others = models_of(port)
    tried = {
        layer: refitted(others[number], [one for one in port.findings if one.id.layer == number])
        for layer, number in numbers.items()
        if models[layer].is_fitted and kinds[number] and kinds[number] <= {*SCALARS}
    }
    either = {
        layer: model
        for layer, model in _verified(report, tried, report.settings).items()
        if model.promise is not None
    }
    if not either:
        return port
    expectation = expectation_of(report, {**models, **either}, numbers, SOURCE)
    again = replace(port, expectation=expectation)
    return _again(again, port.capture, [numbers[layer] for layer in either])


def _again(port: DoctorReport, capture: Capture, layers: Collection[int]) -> DoctorReport:
    """Return a report about PORT with some layers examined again, by its expectation.

    Args:
        port: The report.
        capture: The tensors of PORT, with what they are lent.
        layers: The layers.
    """
    *_, again = examine(capture.of_layers([*layers]), port.expectation, port.settings)
    anew = {finding.id: finding for finding in again.examined}
    examined = tuple(anew.get(finding.id, finding) for finding in port.examined)
    return replace(port, capture=capture, examined=examined)


@contextmanager
def naming(side: str) -> Iterator[None]:
    """Say of which capture it is that it cannot be used."""
    try:
        yield
    except InputError as error:
        if error.field != "capture":
            raise
        raise replace(error, field=side) from None


def _check_heads(report: DoctorReport, port: Capture, numbers: Mapping[int, int]) -> None:
    """Check that the layers of PORT have as many heads as those of REFERENCE.

    Raises:
        InputError: With field ``"port"``.
    """
    for finding in report.findings:
        assert finding.reading is not None
        heads, number = finding.reading.dims.heads, numbers[finding.id.layer]
        counts = {reading.dims.heads for reading in port.readings(number)}
        if heads not in counts:
            expected = f"{heads:,}, as layer {finding.id.layer} of REFERENCE has"
            problem = f"layer {number} has {min(counts):,} heads"
            raise InputError("port", problem, expected)


def _granted(report: DoctorReport) -> Iterator[str]:
    """Yield what REFERENCE needs to be granted, which is then granted to PORT, too."""
    for text in dict.fromkeys(filter(None, map(assumed_text, report.findings))):
        yield f"Taken for granted, since REFERENCE needs it: {text}."


def _verified(
    report: DoctorReport,
    models: Mapping[int, LayerModel],
    settings: Settings,
    is_last: bool = False,
) -> dict[int, LayerModel]:
    """Return the models that give every head of REFERENCE, and why the others are none.

    Numbers that only all heads of a layer show together are tried once more.
    """
    promises = {finding.id.layer: finding.promise for finding in report.findings}
    changed = {
        layer: layer
        for layer, model in models.items()
        if model.promise is not None and model.promise != promises[layer]
    }
    if not changed:
        return {**models}
    capture = report.capture.of_layers([*changed])
    expectation = expectation_of(report, models, changed, SOURCE)
    *_, again = examine(capture, expectation, settings)
    failing = {finding.id.layer for finding in again.findings if not _agrees(finding)}
    if failing and not is_last:
        anew = {
            layer: refitted(model, [one for one in again.findings if one.id.layer == layer])
            for layer, model in models.items()
        }
        if anew != {**models}:
            return _verified(report, anew, settings, is_last=True)
    none = LayerModel(reason=NOT_ONE)
    return {layer: none if layer in failing else model for layer, model in models.items()}


def _agrees(finding: Finding) -> bool:
    """Return whether a head is as promised, whatever its call was given besides."""
    is_of_call = finding.explanation.passes and finding.comparable.differences
    return finding.judgement.verdict in ("agrees", "silent") or bool(is_of_call)


def _layers(
    report: DoctorReport,
    port: DoctorReport,
    numbers: Mapping[int, int],
    models: Mapping[int, LayerModel],
) -> Iterator[LayerDifference]:
    """Yield what differs in each layer."""
    references = {finding.id: finding for finding in report.findings}
    # Where the inputs are those of REFERENCE, nothing is wrong with how PORT was captured.
    trusted = settled(port.examined, port.settings.assume, is_trusted=True)
    every = {one.id: (one, other) for one, other in zip(port.findings, trusted, strict=True)}
    for layer, number in numbers.items():
        heads = []
        for place, (finding, sure) in every.items():
            if place.layer != number:
                continue
            reference = references.get(replace(place, layer=layer))
            apart: Mapping[str, Distance] = {}
            if reference is not None:
                apart = dict(distances(((report.capture, reference), (port.capture, finding))))
            head = HeadDifference(reference, finding, apart)
            judgement = finding.judgement
            is_open = judgement.reason == UNEXPLAINED or judgement.assumes in SEQUENCES
            heads.append(replace(head, port=sure) if is_open and head.is_same_call else head)
        if not heads:
            # The run was stopped before it.
            continue
        ours = tuple(one for place, one in references.items() if place.layer == layer)
        reason = models[layer].reason if layer in models else ""
        yield LayerDifference(layer, number, tuple(heads), ours, reason)
