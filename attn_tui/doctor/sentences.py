"""The doctor's report in sentences: one to paste into an issue, one for each group, and notes.

A difference is data; here each kind of it has its sentence. Numbers of several heads are given from
the least to the largest.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from attn_tui.compute.fit.estimates import Interval
from attn_tui.compute.fit.model import SHOWN, Candidate
from attn_tui.compute.heads.head_model import Part
from attn_tui.compute.numbers import brief_general, fixed, general, interval, percent, quantity
from attn_tui.compute.text import counted, listed
from attn_tui.doctor.difference import STORED
from attn_tui.doctor.differing import THREAD, differing
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.group import (
    Group,
    ends_text,
    groups,
    layers_text,
    numbers,
    places_of,
    rows_text,
)
from attn_tui.doctor.obstacles import obstacle, silence
from attn_tui.doctor.report import DoctorReport
from attn_tui.doctor.words import (
    FEW,
    ROUNDED,
    WORDS,
    assumed_text,
    interval_text,
    law_text,
    mask_text,
    multiplier_text,
    promised_texts,
    rule_text,
)
from attn_tui.report.words import ranges

PLURALS = {"differs": "differ", "agrees": "agree", "no expectation": "fit"}
"""Verdicts of several heads, if their plural differs."""
USUAL_TOLERANCE = 2e-3
"""A ratio within this share of a usual one is that one."""
USUAL_TIMES = {2.0: "twice", 4.0: "four times", 0.5: "half of", 0.25: "a quarter of"}
M_OPEN = ("; give --config or --expect m=… to compare", "; give scale= or config= to compare")
REST_OPEN = (
    "; --expect can promise the other parts", "; other arguments can promise the other parts",
)  # fmt: skip
"""What is not promised: as a command line says it, and as Python does."""
AS_PROMISED = " as promised"
NOT_PROMISED = " (not promised)"
_PLACES = re.compile(r",? in (both heads|all [0-9,]+ heads|[0-9,]+( of [0-9,]+)? heads)")
APART = 0.005
"""Where m shows less well than to this share, the line says how well."""


def verdict_line(report: DoctorReport) -> str:
    """Return the finding, the promise, the residual and the number of heads in one line."""
    every = groups(report)
    if not every:
        why_not = "stopped" if report.interrupted else "nothing is known"
        return f"cannot tell: {why_not} before the first head"
    main, text = every[0], statement(every[0])
    if main.verdict == "no expectation":
        is_m = "multiplier" in main.first.comparable.stated
        text += (REST_OPEN if is_m else M_OPEN)[report.settings.in_python]
    parts = [f"{report.verdict}: {text}", *_residual(main), _heads(report, every)]
    silent: dict[Part, set[int]] = {}
    for layer, part in report.silent:
        # That another m would not show is all that the sentence about silent heads says.
        if (main.verdict, part) != ("silent", "multiplier"):
            silent.setdefault(part, set()).add(layer)
    if report.ranks > 1:
        parts.append(f"{report.ranks} files read as ranks of one capture")
    for part, layers in silent.items():
        parts.append(f"another {WORDS[part]} would not show in {layers_text(layers)}")
    parts += _completions(report)
    parts += [note.rstrip(".") for note in report.notes]
    if report.expectation and report.expectation.source:
        parts.append(report.expectation.source)
    return "; ".join(parts)


def _completions(report: DoctorReport) -> Iterator[str]:
    """Yield what the capture completed the promise with, and rows that were not compared."""
    phrases = Counter(
        phrase for finding in report.findings for phrase in finding.comparable.completions
    )
    for phrase, _ in phrases.most_common(FEW):
        yield phrase
    counts = [finding.explanation.counts for finding in report.findings]
    hidden, spoilt = sum(one.hidden for one in counts), sum(one.spoilt for one in counts)
    if hidden:
        yield f"{counted(hidden, 'row')} see no key"
    if spoilt:
        yield f"{counted(spoilt, 'row')} not compared: q, k or v hold NaN"


def headline(report: DoctorReport) -> str:
    """Return the sentence about the largest group with the report's verdict."""
    every = groups(report)
    if not every:
        return f"The doctor looks at the first of {report.total:,} heads …"
    main = every[0]
    # How many heads it is of, the sentence begins with.
    text = _PLACES.sub("", THREAD.sub("", statement(main)))
    # The suspected cause says more than the promised value, which follows it.
    guess, mark, _ = text.partition("?")
    text = guess + (mark or ".")
    n = len(main.findings)
    where = f"all {n:,} heads" if 1 < n == len(report.findings) else places_of(main.findings)
    if len(report.findings) < report.total:
        return f"So far {where}: {text}"
    return f"{where[0].upper()}{where[1:]}: {text}"


def why(report: DoctorReport) -> Iterator[str]:
    """Yield the sentences behind the verdict: one for each group of heads, and notes."""
    if report.interrupted:
        yield f"Stopped after {len(report.findings):,} of {counted(report.total, 'head')}."
    for group in groups(report):
        yield f"{places_of(group.findings)}: {group.verdict}: {statement(group)}."
    if report.expectation is not None and report.expectation.source:
        yield f"Promised by {report.expectation.source}."
    yield from notes(report)


def notes(report: DoctorReport) -> Iterator[str]:
    """Yield the notes, with the places of the heads if a note is not about all."""
    if report.expectation is not None:
        yield from report.expectation.notes
    yield from report.notes
    noted: dict[str, list[Finding]] = {}
    for finding in report.findings:
        for note in (*finding.notes, *finding.explanation.notes):
            noted.setdefault(note, []).append(finding)
    for note, findings in noted.items():
        few = len(findings) < len(report.findings)
        yield f"{places_of(findings)}: {note}" if few else note


def _residual(group: Group) -> Iterator[str]:
    """Yield the residual of the model that the line speaks of, and what rounding alone leaves."""
    every = [one.explanation for one in group.findings if one.explanation.rows]
    explained = [one for one in every if one.candidate.explains]
    if not explained:
        return
    explanation = max(explained, key=lambda one: one.gap)
    candidate = explanation.candidate
    up_to = " up to" if len(explained) > 1 else ""
    with_that = "with that, " if group.verdict == "differs" and not explanation.passes else ""
    text = f"{with_that}residual{up_to} {quantity(explanation.gap)}"
    path = candidate.path
    if path is not None and explanation.passes:
        path = explanation.path
    if path is not None:
        alone = quantity(explanation.gap_rounding)
        text += f" ({ROUNDED[path]} rounding alone: {alone})"
    yield text


def _heads(report: DoctorReport, every: Sequence[Group]) -> str:
    """Return the number of heads and rows of the main group, and the findings about the others."""
    main, total = every[0], len(report.findings)
    more = [*others(every)]
    alike = [group for group in _named(every) if group.verdict == main.verdict]
    # The heads of other groups with the same verdict count as well.
    number = sum(len(group.findings) for group in (main, *alike))
    of = f"{number:,} of {counted(total, 'head')}"
    so = " so" if alike else ""
    layers = {finding.id.layer for finding in main.findings}
    batches = {finding.id.batch for finding in main.findings}
    if len(main.findings) < total:
        if len(main.findings) == 1:
            more.insert(0, places_of(main.findings) + so)
        elif len(main.findings) == sum(finding.id.layer in layers for finding in report.findings):
            more.insert(0, f"all of {layers_text(layers)}{so}")
        elif len(main.findings) == sum(finding.id.batch in batches for finding in report.findings):
            more.insert(0, f"all of sequence {ranges(sorted(batches), 8)}{so}")
        elif alike:
            more.insert(0, f"{len(main.findings):,} so")
    if more:
        of += f" ({'; '.join(more)})"
    left = report.total - total
    if left:
        of += f", stopped before the other {left:,}" if report.interrupted else f", {left:,} left"
    return f"{of}, {rows_text(main)}"


def _named(every: Sequence[Group]) -> list[Group]:
    """Return the groups after the first whose finding is told, if they are few."""
    verdicts = ("differs", "cannot tell", "no expectation")
    named = [group for group in every[1:] if group.verdict in verdicts]
    return named if len(named) <= FEW else []


def others(every: Sequence[Group]) -> Iterator[str]:
    """Yield the findings about heads outside the first group: ``2 agree``."""
    named = _named(every)
    for group in named:
        verdict = "" if group.verdict == every[0].verdict else f"{group.verdict}, "
        yield f"{places_of(group.findings)}: {verdict}{statement(group)}"
    missed = {difference.part for difference in every[0].first.judgement.differences}
    left: dict[str, list[Finding]] = {}
    for group in every[1:]:
        for finding in group.findings if group not in named else ():
            # A head that is silent on the parts that differ elsewhere does not count as agreeing.
            is_silent = missed and missed <= {*finding.explanation.silent}
            left.setdefault("silent" if is_silent else group.verdict, []).append(finding)
    for verdict, findings in left.items():
        # Beside layers that nothing is promised of, which agree is worth knowing.
        is_open = (every[0].verdict, verdict) == ("no expectation", "agrees")
        which = places_of(findings) if is_open else f"{len(findings):,}"
        yield f"{which} {verdict if len(findings) == 1 else PLURALS.get(verdict, verdict)}"


def statement(group: Group) -> str:
    """Return the sentence about a group of heads."""
    finding = group.first
    if group.verdict == "cannot tell":
        return obstacle(group.findings)
    if group.verdict == "silent":
        return silence(finding)
    if group.verdict == "differs":
        return differing(group)
    granted = dict.fromkeys(filter(None, map(assumed_text, group.findings)))
    assumed = f", if {listed([*granted][:FEW])}, as is assumed" if granted else ""
    if group.verdict == "agrees":
        more = "".join(_mask_shown(group))
        return f"{', '.join(_agreeing(group))} as promised{more}{assumed}{_coarse(group)}"
    return ", ".join(_unpromised(group)) + assumed + _coarse(group)


def _coarse(group: Group) -> str:
    """Return how much coarser than float32 the arithmetic was, if it was."""
    most = max(finding.explanation.coarseness for finding in group.findings)
    return f"; with {general(most, 2)} times the rounding of float32" if most else ""


def _agreeing(group: Group) -> Iterator[str]:
    """Yield m and the other parts that agree and in which a change would have shown."""
    first, fineness = group.first, group.first.explanation.fineness
    promised = promised_texts(first)
    yield _agreeing_multiplier(group)
    shown = {part for part in fineness if all(
        part in finding.explanation.fineness for finding in group.findings
    )}  # fmt: skip
    if "softcap" in shown:
        yield f"soft cap {promised['softcap']}"
    if "sink" in shown:
        yield from numbers(group, "sink")
    is_said = "mask" in promised and "mask" not in first.explanation.silent
    masks = {mask_text(_of_rule(candidate)) for candidate in group.candidates}
    window = first.comparable.model.mask.window or 0
    if len(masks) == 1 and ("mask" in fineness or is_said):
        is_long = window >= first.shape.n_keys
        yield f"mask causal within the {masks.pop()}" if is_long else f"mask {masks.pop()}"


def _mask_shown(group: Group) -> Iterator[str]:
    """Yield the mask that was found where none is promised."""
    if "mask" not in group.first.comparable.stated:
        every = [one for finding in group.findings for one in finding.explanation.best]
        masks = dict.fromkeys(map(mask_text, every))
        yield f", mask {' or '.join(masks)}{NOT_PROMISED}"


def _of_rule(candidate: Candidate) -> Candidate:
    """Return a candidate without what its mask hides beside its rule, which the line names."""
    mask = replace(candidate.model.mask, hidden=None, packed=(), prefix=0)
    return replace(candidate, model=replace(candidate.model, mask=mask))


def _agreeing_multiplier(group: Group) -> str:
    """Return the m of a group; the promised one, and how well it shows, where that is vague.

    Where logits are large, scores that were rounded to 16 bits leave room for others.
    """
    wanted = [finding.comparable.model.multiplier for finding in group.findings]
    promised = interval(min(wanted), max(wanted), brief_general)
    if min(wanted) == max(wanted):
        promised = multiplier_text(wanted[0], group.first.promise.form)
    if group.first.judgement.assumes in STORED:
        # What was fitted is the m of keys and values that were not used.
        return f"m = {promised}"
    shared = together([*_ratios(group, wanted)])
    if shared.low is None or shared.high is None:
        return multiplier(group)
    off = max(abs(end - 1.0) for end in (shared.low, shared.high))
    if off <= APART:
        return multiplier(group)
    return f"m = {promised} to within {percent(off, places=9)}"


def _ratios(group: Group, wanted: Sequence[float]) -> Iterator[Interval]:
    """Yield the interval of the m of each head over the promised one, which layers may not share.

    Args:
        group: The heads.
        wanted: The promised m of each.
    """
    for candidate, m in zip(group.candidates, wanted, strict=True):
        estimate = candidate.estimates.get("multiplier")
        fitted = Interval(None, None, None) if estimate is None else estimate.at(SHOWN)
        if m and fitted.low is not None and fitted.high is not None:
            low, high = sorted((fitted.low / m, fitted.high / m))
            yield Interval((low + high) / 2, low, high)


def together(intervals: Sequence[Interval]) -> Interval:
    """Return the interval of a number that heads share, from that of each."""
    sure = [
        ((one.low + one.high) / 2, (one.high - one.low) / 2)
        for one in intervals
        if one.low is not None and one.high is not None
    ]
    exact = [middle for middle, half in sure if half == 0.0]
    if exact:
        return Interval(exact[0], min(exact), max(exact))
    weight = sum(half**-2.0 for _, half in sure)
    if not weight:
        return Interval(None, None, None)
    middle = sum(middle * half**-2.0 for middle, half in sure) / weight
    return Interval(middle, middle - weight**-0.5, middle + weight**-0.5)


def _unpromised(group: Group) -> Iterator[str]:
    """Yield the parts that were observed without a promise, with m beside the usual 1/√d_k."""
    first, candidate = group.first, group.candidates[0]
    if "multiplier" in candidate.changes:
        yield _other_multiplier(group)
    else:
        is_m = "multiplier" in first.comparable.stated
        yield multiplier(group) + (" as promised" if is_m else "")
    if candidate.model.softmax_twice:
        yield "softmax twice"
    yield from numbers(group, "softcap")
    yield from numbers(group, "sink")
    if "value_scale" in candidate.changes:
        or_sink = " or a sink" if "sink" in candidate.unknown else ""
        scales = [fitted.model.value_scale for fitted in group.candidates]
        yield f"value scale {ends_text(scales)}{or_sink}"
    every = [one for finding in group.findings for one in finding.explanation.best]
    masks = dict.fromkeys(map(mask_text, every))
    is_stated = "mask" in first.comparable.stated
    promised = AS_PROMISED if is_stated and "mask" not in candidate.changes else ""
    if not is_stated:
        promised = NOT_PROMISED
    yield f"mask {' or '.join(masks)}{promised}"


def _other_multiplier(group: Group) -> str:
    """Return an m that is not the usual one, where none is promised, and what may have made it."""
    values = sorted(candidate.model.multiplier for candidate in group.candidates)
    names = [_names_of(finding) for finding in group.findings]
    shared = (name for name in names[0] if all(name in others for others in names))
    form, meaning, named = next(shared, ("", "", 0.0))
    value = interval(values[0], values[-1], brief_general)
    if form and named:
        value = brief_general(named)
    if form not in ("", value):
        value += f" = {form}"
    d_k = group.first.shape.d_k
    low, high = (m * d_k**0.5 for m in (values[0], values[-1]))
    usual = [text for usual, text in USUAL_TIMES.items() if _is_close(low, high, usual)]
    times = usual[0] if usual else f"{interval(low, high)} times"
    return f"m = {value}, {times} the usual 1/√d_k{meaning}"


def _names_of(finding: Finding) -> list[tuple[str, str, float]]:
    """Return how the m of a head may be written, what it usually means, and its value or 0."""
    form = rule_text(finding.names)
    names = []
    for miss in finding.misses:
        if "promised" in miss.meaning:
            continue
        more = " = 1/d_k" if miss.form == f"1/{finding.shape.d_k}" else ""
        value = miss.value if miss.form else 0.0
        names.append((f"{miss.form or form}{more}", f": {miss.meaning}?", value))
    # What is half of the usual 1/√d_k is said so already, but not how it is written.
    bare = [(miss.form, "", miss.value) for miss in finding.misses if miss.form]
    return [*names, (form, "", 0.0), *bare]


def _is_close(low: float, high: float, usual: float) -> bool:
    """Return whether two ratios are a usual one."""
    return all(abs(ratio / usual - 1.0) < USUAL_TOLERANCE for ratio in (low, high))


def multiplier(group: Group) -> str:
    """Return the m of a group from the least to the largest, and its name.

    Such as ``m = 0.1249 to 0.1251 = 1/√d_k (d_k = 64)``.
    """
    fitted = [candidate for candidate in group.candidates if "multiplier" in candidate.estimates]
    if not fitted:
        return "m = unknown"
    fitted.sort(key=lambda candidate: candidate.model.multiplier)
    ends = (fitted[0].estimates["multiplier"], fitted[-1].estimates["multiplier"])
    texts = [interval_text(end.at(SHOWN)).partition(" (")[0] for end in ends]
    places = [len(text.partition(".")[2]) for text in texts]
    if min(places) and all(text.replace(".", "", 1).isdecimal() for text in texts):
        texts = [fixed(float(text), min(places)) for text in texts]
    text = " to ".join(dict.fromkeys(texts))
    alike = {general(candidate.model.multiplier) for candidate in (fitted[0], fitted[-1])}
    if len(alike) == 1 and " to " in text:
        # What differs in the seventh digit alone is no range to a reader.
        text = alike.pop()
    rules = {rule_text(finding.names) for finding in group.findings}
    rule = rules.pop() if len(rules) == 1 else ""
    law = group.candidates[0].model.law
    if law is not None:
        text += f" × {law_text(law)}"
    named = f" = {rule}" if rule not in ("", text) else ""
    size = f" (d_k = {group.first.shape.d_k:,})" if "d_k" in rule else ""
    return f"m = {text}{named}{size}"
