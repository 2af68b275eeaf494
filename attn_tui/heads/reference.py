"""The capture on the screen held against another one, as ``attn-tui diff`` does it."""

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from attn_tui.captures.capture import HeadId
from attn_tui.compute.errors import Stop
from attn_tui.compute.numbers import amount
from attn_tui.compute.text import visible
from attn_tui.diffing.capture_difference import CaptureDifference
from attn_tui.diffing.sentences import name, said
from attn_tui.engine.settings import Settings
from attn_tui.report import words

SAME = "Attention is the same as in {reference}; its output is up to {units} units from there."
DIFFERS = "Attention differs from {reference} first in {layer}: {said}."
UNTOLD = "Whether attention is that of {reference} cannot be told: {reason}."
"""The headlines, by verdict."""
COMPARING = "Holding the heads against {reference}…"
NO_REFERENCE = "There is no capture to compare with: g sets a reference."


def key_of(settings: Settings) -> tuple[object, ...]:
    """Return the settings that the difference depends on, as a key."""
    read = settings.layouts, settings.names, settings.config
    return settings.capture, settings.reference, *read


def differences(settings: Settings, stop: Stop) -> Iterator[CaptureDifference]:
    """Yield the whole difference of the capture from its reference, unless it is stopped before.

    Raises:
        InputError: With field ``"reference"`` or ``"port"``, if one of both will not do.
    """
    from attn_tui.diffing.asking import opened
    from attn_tui.diffing.examine import compared
    from attn_tui.doctor.report import Settings as DoctorSettings

    read = (settings.layouts, settings.layouts), (settings.names, settings.names)
    captures = [*settings.reference], [*settings.capture]
    both = opened(captures, settings.config, None, *read)
    *_, difference = compared(both, "", DoctorSettings(), stop)
    if not difference.is_interrupted:
        yield difference


def units_of(difference: CaptureDifference) -> Mapping[HeadId, float]:
    """Return how far the output of each head is from that of the reference, in units."""
    return {
        head.id: head.distances["out"].largest
        for layer in difference.layers
        for head in layer.heads
        if "out" in head.distances
    }


def differing_from(difference: CaptureDifference) -> frozenset[HeadId]:
    """Return the heads whose attention is another than in the reference."""
    return frozenset(
        head.id
        for layer in difference.layers
        for head in layer.heads
        if head.port.judgement.verdict == "differs"
    )


def first_head(difference: CaptureDifference) -> HeadId | None:
    """Return the head to look at first: the farthest of those that differ in the first layer."""
    units = units_of(difference)
    marked = differing_from(difference) or units.keys()
    heads = [head for head in units if head in marked]
    if not heads:
        return None
    layer = min(head.layer for head in heads)
    return max((head for head in heads if head.layer == layer), key=lambda head: units[head])


def headline_of(difference: CaptureDifference | None, settings: Settings) -> str:
    """Return the headline of the map of differences."""
    if not settings.reference:
        return NO_REFERENCE
    reference = visible(PurePath(settings.reference[0]).name)
    if difference is None:
        return COMPARING.format(reference=reference)
    first, units = difference.first, units_of(difference).values()
    if difference.verdict == "same" or first is None:
        return SAME.format(reference=reference, units=amount(max(units, default=0.0)))
    form, reason = UNTOLD, first.reason or said(first.ports)
    if difference.verdict == "differs":
        form, reason = DIFFERS, said(first.ports)
    parts = {"reference": reference, "layer": name(first)}
    sentence = form.format(**parts, said=reason, reason=reason)
    if reason.endswith("?"):
        # A cause that is asked brings its own stop.
        sentence = sentence.removesuffix(".")
    if len(sentence) <= words.LONGEST:
        return sentence
    short = reason.partition(": ")[0].partition(";")[0]
    return form.format(**parts, said=short, reason=short)


def subtitle_of(settings: Settings) -> str:
    """Return what the numbers of the map are."""
    reference = visible(PurePath(settings.reference[0]).name) if settings.reference else "none"
    return f"units of its format, from {reference}"
