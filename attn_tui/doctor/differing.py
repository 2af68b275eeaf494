"""The sentence about heads that differ: a template for each kind of difference."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from math import floor, log10

from attn_tui.compute.fit.model import Candidate, named_together
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.numbers import brief_general, interval
from attn_tui.compute.text import counted
from attn_tui.doctor.call import IS_CAUSAL
from attn_tui.doctor.causes import IGNORED, PADDING_IGNORED
from attn_tui.doctor.difference import Difference
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.group import Group, numbers, suspect_of
from attn_tui.doctor.verdict import rows_off
from attn_tui.doctor.words import (
    FEW,
    WORDS,
    law_text,
    multiplier_text,
    observed_texts,
    rule_text,
    sink_name,
)
from attn_tui.report.masks import place_text
from attn_tui.report.words import ranges

MOST_LETTERS = 120 - len("differs: ")
"""A longer sentence does without the thread that reports its cause, which JSON has, and without the
decimals of a promised root."""
THREAD = re.compile(r" \(as in [^)]*\)")
_DECIMALS = re.compile(r"(?<=promised )[^ ,:]+ = (?=[^ ]*√)")
LEAST_DIGITS, MOST_DIGITS = 4, 10


def differing(group: Group) -> str:
    """Return what differs in a group of heads, with the causes that explain it as well."""
    finding = group.first
    parts = [_sentence(group, place) for place in range(len(finding.judgement.differences))]
    best = finding.explanation.best
    if all(difference.side == "call" for difference in finding.judgement.differences):
        best = best[:1]
    alike = _alike(group, best[1:])
    if len("; ".join(parts)) > MOST_LETTERS:
        parts = [THREAD.sub("", part) for part in parts]
    text = "; ".join(
        _DECIMALS.sub("", part) if len(part) > MOST_LETTERS else part for part in parts
    )
    if not alike:
        return text
    fit = "they fit" if len(alike) > 1 else "it fits"
    return f"{text}; or {', or '.join(alike)}: {fit} as well"


def _alike(group: Group, others: Sequence[Candidate]) -> list[str]:
    """Return what explains every head of a group as well, in a few words each."""
    texts = dict.fromkeys(brief(other) for other in others if other.explains)
    for finding in group.findings:
        every = {brief(other) for other in finding.explanation.best[1:] if other.explains}
        texts = {text: None for text in texts if text in every}
    return [*texts][:FEW]


def brief(candidate: Candidate) -> str:
    """Return in a few words how a candidate differs from the promise."""
    if candidate.cause:
        return THREAD.sub("", candidate.cause)
    observed = observed_texts(candidate)
    texts = {part: text.partition(" (")[0] for part, text in observed.items()}
    words = {"softmax_twice": "softmax twice", "kv_head": "another KV head"}
    words["multiplier"] = f"m = {texts['multiplier']}"
    if candidate.model.law is not None:
        words["law"] = f"m by {law_text(candidate.model.law)}"
    return " and ".join(
        words.get(part) or f"{WORDS[part]} {texts.get(part, '')}".strip()
        for part in candidate.changes
    )


def _sentence(group: Group, place: int) -> str:
    """Return the sentence about one difference of a group of heads."""
    difference = group.first.judgement.differences[place]
    if difference.side == "call":
        return _of_call(group, place)
    suspects = [suspect_of(one.judgement.differences[place], one) for one in group.findings]
    named = [suspect for suspect in suspects if suspect is not None]
    if named:
        return f"{named_together(named)}{named[0].reason}"
    if difference.part == "output":
        is_of_rows = difference.cause == rows_off([group.first])
        return rows_off(group.findings) if is_of_rows else difference.cause
    if difference.part == "multiplier":
        return _of_multiplier(group, place)
    if difference.part == "kv_head":
        return _of_kv_heads(group)
    if difference.part == "sink":
        return _of_sinks(group, difference)
    if difference.part == "softmax_twice":
        return f"{difference.cause}, promised once"
    if difference.part == "law":
        wanted = multiplier_text(group.first.wanted, group.first.promise.form)
        return f"m grows as {difference.observed}, promised {wanted}: {difference.cause}"
    if difference.cause in (IGNORED, PADDING_IGNORED):
        return f"{difference.cause}: mask {difference.observed}"
    observed, promised = (_values(group, place, side) for side in ("observed", "promised"))
    if difference.cause and observed == promised:
        # The numbers are right, and how they enter, or which head has which, is not.
        return difference.cause
    cause = f": {difference.cause}" if difference.cause else ""
    if difference.part == "mask":
        # Where queries stand is said only if it differs.
        starts = {place_text(mask) for mask in _both_masks(group.first)}
        if len(starts) == 1:
            start = starts.pop()
            observed, promised = (text.replace(start, "") for text in (observed, promised))
    if difference.part == "value_scale" and "sink" in group.candidates[0].unknown:
        observed += ", or another sink"
    if difference.part == "bias":
        observed, promised = _slopes(group, place)
    return f"{WORDS[difference.part]} {observed}, promised {promised}{cause}"


def _both_masks(finding: Finding) -> tuple[HeadMask, HeadMask]:
    """Return the observed and the promised mask of a head."""
    return finding.explanation.candidate.model.mask, finding.comparable.model.mask


def _values(group: Group, place: int, side: str) -> str:
    """Return what is observed or promised of all heads of a group, from the least to the largest.

    Args:
        group: The heads.
        place: Which of their differences it is.
        side: ``"observed"`` or ``"promised"``.
    """
    every = [getattr(one.judgement.differences[place], side) for one in group.findings]
    numbers = [value for value in every if isinstance(value, float)]
    if len(numbers) == len(every):
        said = partial(brief_general, digits=_digits_of(group, place))
        return interval(min(numbers), max(numbers), said)
    return " or ".join(dict.fromkeys(map(_value, every)))


def _digits_of(group: Group, place: int) -> int:
    """Return with how many digits the numbers of a difference are told from what is promised."""
    every = [one.judgement.differences[place] for one in group.findings]
    observed = [one.observed for one in every if isinstance(one.observed, float)]
    promised = every[0].promised
    if not observed or not isinstance(promised, float):
        return LEAST_DIGITS
    return _digits(observed, promised)


def _value(value: float | str | None) -> str:
    """Return a promised or observed value in words."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else brief_general(value)


def _slopes(group: Group, place: int) -> tuple[str, str]:
    """Return the observed and the promised biases of a group in words."""
    first = group.first.judgement.differences[place]
    observed, promised = (_values(group, place, side) for side in ("observed", "promised"))
    if isinstance(first.observed, float):
        return f"of slope {observed}", promised
    if isinstance(first.promised, float):
        return observed, f"of slope {promised}"
    return observed, promised


def _of_call(group: Group, place: int) -> str:
    """Return how what the call was given differs."""
    difference = group.first.judgement.differences[place]
    observed, promised = (_values(group, place, side) for side in ("observed", "promised"))
    cause = f": {difference.cause}" if difference.cause else ""
    if difference.observed == IS_CAUSAL:
        return f"the call was given {IS_CAUSAL}, promised mask {difference.promised}"
    if difference.part == "mask":
        verb = "" if observed.startswith(("hides", "shows")) else "is "
        return f"the captured mask {verb}{observed}, promised {promised}{cause}"
    if difference.part == "bias":
        if cause and observed == promised:
            return f"the captured bias: {difference.cause}"
        if difference.promised == "none":
            return "the call was given a bias, promised none"
        observed, promised = _slopes(group, place)
        return f"the captured bias is {observed}, promised {promised}{cause}"
    if difference.part == "sink":
        return f"the call was given a sink, promised {sink_name(None)}"
    if difference.part == "multiplier" and " to " not in observed + promised:
        form = group.first.promise.form
        promised = multiplier_text(float(difference.promised or 0.0), form)
        observed = multiplier_text(float(difference.observed or 0.0))
    if difference.part == "multiplier":
        return f"the call was given the scale {observed}, promised {promised}{cause}"
    return f"the call was given the {WORDS[difference.part]} {observed}, promised {promised}"


def _of_multiplier(group: Group, place: int) -> str:
    """Return an observed multiplier beside the promised one, and its likely cause."""
    finding = group.first
    difference = finding.judgement.differences[place]
    values = sorted(_observed_values(group, place))
    # Without a change of its own, a head is named by what is promised.
    names = finding.names if "multiplier" in finding.explanation.candidate.changes else ()
    digits = _digits(values, float(difference.promised or 0.0))
    observed = interval(values[0], values[-1], partial(brief_general, digits=digits))
    likeliest = {one.misses[0] if one.misses else None for one in group.findings}
    miss = likeliest.pop() if len(likeliest) == 1 else None
    form = rule_text(names)
    if miss is not None:
        form = miss.form
        if form:
            # Heads that are named alike have one m, whatever the last digits of each fit.
            observed = brief_general(miss.value, digits=digits)
    if " to " not in observed and form not in ("", observed):
        observed += f" = {form}"
        if form == f"1/{finding.shape.d_k}":
            observed += " = 1/d_k"
    layers = {one.id.layer for one in group.findings}
    layer = f" of layer {finding.id.layer}" if len(layers) == 1 and len(values) > 1 else ""
    where = f" in {len(values):,} heads" if len(values) > 1 else ""
    if len(values) == group.total > 1:
        where = " in both heads" if len(values) == 2 else f" in all {len(values):,} heads"
        layer = ""
    promised = multiplier_text(float(difference.promised or 0.0), finding.promise.form)
    if isinstance(finding.promise.multiplier, float) and len(layers) > 1:
        wanted = [one.wanted for one in group.findings]
        if len({multiplier_text(one.wanted, one.promise.form) for one in group.findings}) > 1:
            promised = interval(min(wanted), max(wanted), brief_general)
    cause = f": {difference.cause}" if difference.cause else ""
    return f"m = {observed}{where}{layer}, promised {promised}{cause}"


def _digits(values: Sequence[float], promised: float) -> int:
    """Return with how many digits values show how far they are from a promised one."""
    nearest = min(abs(value - promised) for value in values)
    if not 0.0 < nearest < abs(promised):
        return LEAST_DIGITS
    return max(LEAST_DIGITS, min(2 - floor(log10(nearest / abs(promised))), MOST_DIGITS))


def _observed_values(group: Group, place: int) -> Iterator[float]:
    """Yield the observed number of each head of a group."""
    for finding in group.findings:
        observed = finding.judgement.differences[place].observed
        yield observed if isinstance(observed, float) else 0.0


def _of_sinks(group: Group, difference: Difference) -> str:
    """Return how sinks differ: by their relation to the promised ones, if there is one."""
    heads = f"in {len(group.findings):,} of {counted(group.total, 'head')}"
    cause = difference.cause
    if cause.startswith("the sink"):
        bare, mark, _ = cause.rpartition(")")
        text = f"{bare} {heads})" if mark else f"{cause}, {heads}"
        return f"{text} (as in transformers 42736)" if "dropped" in cause else text
    observed = next(numbers(group, "sink"), f"sink {sink_name(None)}")
    place = group.first.judgement.differences.index(difference)
    promised = _values(group, place, "promised")
    if isinstance(difference.promised, float):
        promised = f"b = {promised}"
    hint = f": {cause}" if cause else ""
    return f"{observed}, promised {promised}{hint}"


def _of_kv_heads(group: Group) -> str:
    """Return which KV heads the heads of a group used, and which were promised."""
    pairs = [
        (finding.id.head, finding.explanation.candidate.kv_head or 0) for finding in group.findings
    ]
    reading = group.first.reading
    head, kv_head = pairs[0]
    promised = _promised_kv_head(group.first)
    if reading is None:
        return f"head {head} has KV head {kv_head}, promised {promised}"
    size = reading.dims.heads // max(reading.dims.kv_heads, 1)
    n_kv = reading.dims.kv_heads
    meant = f"promised h // {size}"
    if len(pairs) > 1 and len({kv for _, kv in pairs}) == 1:
        numbers = ranges(sorted({number for number, _ in pairs}), 8)
        return f"heads {numbers} all have KV head {kv_head}, {meant}"
    if n_kv > 1 and all(kv == number % n_kv for number, kv in pairs):
        return f"head {head} has KV head {kv_head}, h mod {n_kv}, {meant}: tiled, not repeated?"
    for divisor in range(1, reading.dims.heads + 1):
        if all(kv == number // divisor for number, kv in pairs) and divisor != size:
            return f"head {head} has KV head {kv_head}, h // {divisor}, {meant}"
    return f"head {head} has KV head {kv_head}, promised {promised}: in another order?"


def _promised_kv_head(finding: Finding) -> int:
    """Return the KV head that a head is promised to use."""
    if finding.reading is None:
        return finding.shape.kv_head
    heads, kv_heads = finding.reading.dims.heads, finding.reading.dims.kv_heads
    return finding.id.head * kv_heads // heads
