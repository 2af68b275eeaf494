"""The doctor's report in sentences: one to paste into an issue, one for each group, and notes.

A difference is data; here each kind of it has its sentence. Numbers of several heads are given from
the least to the largest.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, log, log10

from attn_tui.compute.fit.case import NO_SCORES
from attn_tui.compute.fit.model import SHOWN, Candidate, Suspect, named_together
from attn_tui.compute.heads.head_model import Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import whole_dimension
from attn_tui.compute.text import counted, listed
from attn_tui.doctor.call import IS_CAUSAL
from attn_tui.doctor.causes import IGNORED, PADDING_IGNORED
from attn_tui.doctor.difference import VERDICTS, Difference, Verdict
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.report import Report
from attn_tui.doctor.verdict import UNEXPLAINED
from attn_tui.doctor.words import (
    ROUNDED,
    WORDS,
    assumed_text,
    interval_text,
    law_text,
    mask_text,
    multiplier_text,
    observed_texts,
    promised_texts,
    rule_text,
    sink_name,
)
from attn_tui.report.masks import place_text
from attn_tui.report.numbers import fitted_logit, general, quantity
from attn_tui.report.words import ranges

FEW = 3
"""The most things to name one by one."""
PLURALS = {"differs": "differ", "agrees": "agree", "no expectation": "fit"}
"""Verdicts of several heads, if their plural differs."""
USUAL_TIMES = {2.0: "twice", 4.0: "four times", 0.5: "half of", 0.25: "a quarter of"}

M_OPEN = "; give --config or --expect m=… to compare"
REST_OPEN = "; --expect can promise the other parts"
NOT_PROMISED = " (not promised)"

MOST_LETTERS = 120 - len("differs: ")
"""A longer sentence does without the thread that reports its cause, which JSON has."""

_PLACES = re.compile(r",? in (both heads|all [0-9,]+ heads|[0-9,]+( of [0-9,]+)? heads)")
_THREAD = re.compile(r" \(as in [^)]*\)")


@dataclass(frozen=True)
class Group:
    """Heads that share a sentence.

    Attributes:
        verdict: The verdict about each head.
        findings: The finding about each head.
        total: The number of heads in the report.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    total: int = 0

    @property
    def first(self) -> Finding:
        """The finding about the first head, which stands for all."""
        return self.findings[0]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The likeliest candidate of each head."""
        return tuple(finding.explanation.candidate for finding in self.findings)


def places_of(findings: Sequence[Finding]) -> str:
    """Return the places of heads: ``32 heads of layers 0–3``, ``layer 2, head 5``."""
    named = _layers_text({finding.id.layer for finding in findings})
    batches = sorted({finding.id.batch for finding in findings})
    if batches != [0]:
        named = f"batch {ranges(batches, 8)}, {named}"
    if len(findings) == 1:
        return f"{named}, head {findings[0].id.head}"
    return f"{len(findings):,} heads of {named}"


def _layers_text(layers: set[int]) -> str:
    plural = "s" if len(layers) > 1 else ""
    return f"layer{plural} {ranges(sorted(layers), 8)}"


def groups(report: Report) -> tuple[Group, ...]:
    """Return the heads of a report in groups, those with its verdict first, then the largest."""
    parts: dict[object, list[Finding]] = {}
    for finding in report.findings:
        parts.setdefault((finding.judgement.verdict, _key(finding)), []).append(finding)
    total = len(report.findings)
    grouped = [Group(part[0].judgement.verdict, (*part,), total) for part in parts.values()]
    order = sorted(VERDICTS, key=lambda verdict: verdict != report.verdict)
    grouped.sort(key=lambda group: (order.index(group.verdict), -len(group.findings)))
    return tuple(grouped)


def _key(finding: Finding) -> tuple[object, ...]:
    """Return the key of the group that a head is put in: all its sentence says but numbers."""
    judgement, candidate = finding.judgement, finding.explanation.candidate
    if judgement.verdict == "differs":
        return tuple(_key_of(difference, finding) for difference in judgement.differences)
    if judgement.verdict == "cannot tell":
        return (judgement.reason, assumed_text(finding), _only_some(finding) != "")
    if judgement.verdict == "no expectation":
        return (candidate.changes, candidate.model.law, mask_text(candidate))
    return (assumed_text(finding), finding.explanation.coarseness > 0)


def _key_of(difference: Difference, finding: Finding) -> tuple[object, ...]:
    """Return what two differences share that stand in one sentence."""
    suspect = _suspect_of(difference, finding)
    if suspect is not None:
        return (difference.part, suspect.phrase, suspect.reason)
    key: tuple[object, ...] = (difference.part, difference.side, difference.cause)
    if difference.part == "kv_head":
        # Its sentence follows from the KV heads of all heads together.
        return (difference.part, difference.side)
    if difference.part in ("mask", "softmax_twice", "law"):
        return (*key, difference.observed)
    if difference.part == "multiplier" and isinstance(difference.observed, float):
        # Without a known cause, multipliers within about 2 % of each other share a group.
        near = round(50.0 * log(abs(difference.observed))) if difference.observed else 0
        return (*key, near) if not difference.cause else key
    return key


def _suspect_of(difference: Difference, finding: Finding) -> Suspect | None:
    """Return what was done to a head, if that is how it differs."""
    is_told = difference.side == "output" and difference.promised is difference.observed is None
    return finding.explanation.suspect if is_told else None


def verdict_line(report: Report) -> str:
    """Return the finding, the promise, the residual and the number of heads in one line."""
    every = groups(report)
    if not every:
        why_not = "stopped" if report.interrupted else "nothing is known"
        return f"cannot tell: {why_not} before the first head"
    main, text = every[0], statement(every[0])
    if main.verdict == "no expectation":
        is_m = "multiplier" in main.first.comparable.stated
        text += REST_OPEN if is_m else M_OPEN
    parts = [f"{report.verdict}: {text}", *_residual(main), _heads(report, every)]
    silent: dict[Part, set[int]] = {}
    for layer, part in report.silent:
        # That another m would not show is all that the sentence about silent heads says.
        if (main.verdict, part) != ("silent", "multiplier"):
            silent.setdefault(part, set()).add(layer)
    for part, layers in silent.items():
        parts.append(f"another {WORDS[part]} would not show in {_layers_text(layers)}")
    parts += _completions(report)
    if report.expectation and report.expectation.source:
        parts.append(report.expectation.source)
    return "; ".join(parts)


def _completions(report: Report) -> Iterator[str]:
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


def headline(report: Report) -> str:
    """Return the sentence about the largest group with the report's verdict."""
    every = groups(report)
    if not every:
        return f"The doctor looks at the first of {report.total:,} heads …"
    main = every[0]
    # How many heads it is of, the sentence begins with.
    text = _PLACES.sub("", _THREAD.sub("", statement(main)))
    # The suspected cause says more than the promised value, which follows it.
    guess, mark, _ = text.partition("?")
    text = guess + (mark or ".")
    n = len(main.findings)
    where = f"all {n:,} heads" if 1 < n == len(report.findings) else places_of(main.findings)
    if len(report.findings) < report.total:
        return f"So far {where}: {text}"
    return f"{where[0].upper()}{where[1:]}: {text}"


def why(report: Report) -> Iterator[str]:
    """Yield the sentences behind the verdict: one for each group of heads, and notes."""
    if report.interrupted:
        yield f"Stopped after {len(report.findings):,} of {counted(report.total, 'head')}."
    for group in groups(report):
        yield f"{places_of(group.findings)}: {group.verdict}: {statement(group)}."
    if report.expectation is not None and report.expectation.source:
        yield f"Promised by {report.expectation.source}."
    yield from notes(report)


def notes(report: Report) -> Iterator[str]:
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
    explanation = group.first.explanation
    candidate = explanation.candidate
    if not explanation.rows or not candidate.explains:
        return
    text = f"residual {quantity(explanation.gap)}"
    path = candidate.path
    if path and path in candidate.rounding:
        alone = quantity(candidate.rounding[path])
        text += f" ({ROUNDED[path]} rounding alone: {alone})"
    yield text


def _heads(report: Report, every: Sequence[Group]) -> str:
    """Return the number of heads and rows of the main group, and the findings about the others."""
    main, total = every[0], len(report.findings)
    of = f"{len(main.findings):,} of {counted(total, 'head')}"
    more = [*others(every)]
    layers = {finding.id.layer for finding in main.findings}
    batches = {finding.id.batch for finding in main.findings}
    if len(main.findings) < total:
        if len(main.findings) == 1:
            more.insert(0, places_of(main.findings))
        elif len(main.findings) == sum(finding.id.layer in layers for finding in report.findings):
            more.insert(0, f"all of {_layers_text(layers)}")
        elif len(main.findings) == sum(finding.id.batch in batches for finding in report.findings):
            more.insert(0, f"all of sequence {ranges(sorted(batches), 8)}")
    if more:
        of += f" ({'; '.join(more)})"
    left = report.total - total
    if left:
        of += f", stopped before the other {left:,}" if report.interrupted else f", {left:,} left"
    return f"{of}, {rows_text(main)}"


def rows_text(group: Group) -> str:
    """Return how many rows of each head were compared: ``32 of 96 rows of each``."""
    counts = [finding.explanation.counts for finding in group.findings]
    compared = sorted({one.compared for one in counts})
    queries = max(finding.shape.n_queries for finding in group.findings)
    if compared == [queries]:
        return f"all {counted(queries, 'row')} of each" if queries > 1 else "1 row of each"
    ends = f"{compared[0]:,}"
    if len(compared) > 1:
        ends += f" to {compared[-1]:,}"
    return f"{ends} of {counted(queries, 'row')} of each"


def others(every: Sequence[Group]) -> Iterator[str]:
    """Yield the findings about heads outside the first group: ``2 agree``."""
    told = ("differs", "cannot tell", "no expectation")
    named = [group for group in every[1:] if group.verdict in told]
    named = named if len(named) <= FEW else []
    for group in named:
        verdict = "" if group.verdict == every[0].verdict else f"{group.verdict}, "
        yield f"{places_of(group.findings)}: {verdict}{statement(group)}"
    missed = {difference.part for difference in every[0].first.judgement.differences}
    counts: Counter[str] = Counter()
    for group in every[1:]:
        for finding in group.findings if group not in named else ():
            # A head that is silent on the parts that differ elsewhere does not count as agreeing.
            is_silent = missed and missed <= {*finding.explanation.silent}
            counts["silent" if is_silent else group.verdict] += 1
    for verdict, count in counts.items():
        yield f"{count:,} {verdict if count == 1 else PLURALS.get(verdict, verdict)}"


def _silent(finding: Finding) -> str:
    """Return why another m of a head would not have shown, and what might show it."""
    reason, counts = finding.judgement.reason, finding.explanation.counts
    if reason == NO_SCORES:
        return f"another m would not have shown: {reason}"
    seen = len(finding.explanation.rows) + counts.padding + counts.spoilt
    if seen < finding.shape.n_queries:
        return f"another m would not have shown, {reason}: try --rows all, or a longer text"
    return f"another m would not have shown, {reason}: try a longer text"


def statement(group: Group) -> str:
    """Return the sentence about a group of heads."""
    finding = group.first
    if group.verdict == "cannot tell":
        return obstacle(finding)
    if group.verdict == "silent":
        return _silent(finding)
    if group.verdict == "differs":
        return _differing(group)
    granted = dict.fromkeys(filter(None, map(assumed_text, group.findings)))
    assumed = f", if {listed([*granted][:FEW])}, as is assumed" if granted else ""
    if group.verdict == "agrees":
        return f"{', '.join(_agreeing(group))} as promised{_coarse(group)}{assumed}"
    return ", ".join(_unpromised(group)) + _coarse(group) + assumed


def _coarse(group: Group) -> str:
    """Return how much coarser than float32 the arithmetic was, if it was."""
    most = max(finding.explanation.coarseness for finding in group.findings)
    return f", with {most:.2g} times the rounding of float32" if most else ""


def obstacle(finding: Finding) -> str:
    """Return why nothing can be told about a head, and what would help."""
    explanation, judgement = finding.explanation, finding.judgement
    if assumed := assumed_text(finding):
        agrees = "agrees" if "multiplier" in finding.comparable.stated else "fits"
        return f"{agrees} if {assumed}; --assume {judgement.assumes} grants it"
    if judgement.reason != UNEXPLAINED:
        return judgement.reason
    if some := _only_some(finding):
        return some
    candidate = explanation.candidate
    nearest = min(explanation.residual, candidate.residual)
    m = candidate.model.multiplier
    if not candidate.residual <= explanation.residual:
        m = finding.comparable.model.multiplier
    if nearest >= ALL:
        return f"{UNEXPLAINED}, and none comes near it"
    a = whole_dimension(m)
    text = general(m, 4) if a is None or a > MOST_A else f"1/√{a}"
    return f"{UNEXPLAINED}; the closest, m = {text}, misses {_share(nearest)} of it"


ALL = 0.995
"""Who misses so much of an output gives nothing of it."""
MOST_A = 10_000
"""A larger 1/m² is within a millionth of some whole number by chance, in 2 of 100 fits."""
MOST_SOME = 0.5
"""Up to this share of wrong rows, the sentence speaks of these rows."""


def _only_some(finding: Finding) -> str:
    """Return that only some rows are not as promised, or an empty text."""
    if finding.judgement.reason != UNEXPLAINED:
        return ""
    counts = finding.explanation.counts
    wrong = counts.wrong
    is_promised = "multiplier" in finding.comparable.stated
    if not is_promised or not 0 < len(wrong) <= MOST_SOME * counts.compared:
        return ""
    rows = sorted(wrong)
    which = "row" if len(rows) == 1 else "rows"
    are = "is" if len(rows) == 1 else "are"
    few = ", ".join(f"{row:,}" for row in rows[:FEW])
    more = " …" if len(rows) > FEW else ""
    return (
        f"{len(rows):,} of {counts.compared:,} rows {are} not what is promised "
        f"({which} {few}{more}); the others are"
    )


def _share(share: float) -> str:
    return f"{100.0 * share:.2g} %"


def _agreeing(group: Group) -> Iterator[str]:
    """Yield m and the other parts that agree and in which a change would have shown."""
    first, fineness = group.first, group.first.explanation.fineness
    promised = promised_texts(first)
    yield _agreeing_multiplier(group)
    if "softcap" in fineness:
        yield f"soft cap {promised['softcap']}"
    if "sink" in fineness:
        yield from _numbers(group, "sink")
    is_said = "mask" in promised and "mask" not in first.explanation.silent
    masks = {mask_text(_of_rule(candidate)) for candidate in group.candidates}
    window = first.comparable.model.mask.window or 0
    if len(masks) == 1 and ("mask" in fineness or is_said):
        is_long = window >= first.shape.n_keys
        yield f"mask causal within the {masks.pop()}" if is_long else f"mask {masks.pop()}"


def _of_rule(candidate: Candidate) -> Candidate:
    """Return a candidate without what its mask hides beside its rule, which the line names."""
    mask = replace(candidate.model.mask, hidden=None, packed=(), prefix=0)
    return replace(candidate, model=replace(candidate.model, mask=mask))


APART = 0.005
"""An m that fits best is named beside the promised one if it is farther away than this share."""


def _agreeing_multiplier(group: Group) -> str:
    """Return the m of a group; the promised one, and what fits best, where these are apart.

    Where logits are large, scores that were rounded to 16 bits allow for both.
    """
    promised = group.first.comparable.model.multiplier
    fitted = [candidate.model.multiplier for candidate in group.candidates]
    text = multiplier(group)
    room = APART * abs(promised)
    if min(fitted) - room <= promised <= max(fitted) + room:
        return text
    best = text.removeprefix("m = ").partition(" = ")[0]
    return f"m = {multiplier_text(promised)} ({best} fits best)"


def _unpromised(group: Group) -> Iterator[str]:
    """Yield the parts that were observed without a promise, with m beside the usual 1/√d_k."""
    first, candidate, d_k = group.first, group.candidates[0], group.first.shape.d_k
    if "multiplier" in candidate.changes:
        value, form = general(candidate.model.multiplier, 4), rule_text(first.names)
        ratio, meaning = candidate.model.multiplier * d_k**0.5, ""
        usual = [miss for miss in first.misses if "promised" not in miss.meaning]
        if usual:
            form, meaning = usual[0].form or form, f": {usual[0].meaning}?"
        if form not in ("", value):
            value += f" = {form}"
        near = [text for usual, text in USUAL_TIMES.items() if abs(ratio / usual - 1.0) < 2e-3]
        times = near[0] if near else f"{general(ratio, 3)} times"
        yield f"m = {value}, {times} the usual 1/√d_k{meaning}"
    else:
        is_m = "multiplier" in first.comparable.stated
        yield multiplier(group) + (" as promised" if is_m else "")
    if candidate.model.softmax_twice:
        yield "softmax twice"
    yield from _numbers(group, "softcap")
    yield from _numbers(group, "sink")
    if "value_scale" in candidate.changes:
        or_sink = " or a sink" if "sink" in candidate.unknown else ""
        scales = [fitted.model.value_scale for fitted in group.candidates]
        yield f"value scale {_ends(scales)}{or_sink}"
    masks = dict.fromkeys(map(mask_text, first.explanation.best))
    promised = "" if "mask" in first.comparable.stated else NOT_PROMISED
    yield f"mask {' or '.join(masks)}{promised}"


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
        texts = [f"{float(text):.{min(places)}f}" for text in texts]
    text = " to ".join(dict.fromkeys(texts))
    rules = {rule_text(finding.names) for finding in group.findings}
    rule = rules.pop() if len(rules) == 1 else ""
    law = group.candidates[0].model.law
    if law is not None:
        text += f" × {law_text(law)}"
    named = f" = {rule}" if rule not in ("", text) else ""
    size = f" (d_k = {group.first.shape.d_k})" if "d_k" in rule else ""
    return f"m = {text}{named}{size}"


def _numbers(group: Group, part: Part) -> Iterator[str]:
    """Yield the caps or sinks that were observed, if any."""
    every = [candidate.estimates.get(part) for candidate in group.candidates]
    values = [None if estimate is None else estimate.at(SHOWN).value for estimate in every]
    fitted = [value for value in values if value is not None]
    if fitted:
        begin = "b = " if part == "sink" else ""
        some = f" in {len(fitted):,} of {counted(len(every), 'head')}"
        some = some if len(fitted) < len(every) else ""
        yield f"{WORDS[part]} {begin}{_ends(fitted)}{some}"


def _ends(values: Sequence[float]) -> str:
    return " to ".join(
        dict.fromkeys(general(fitted_logit(end), 3) for end in (min(values), max(values)))
    )


def _differing(group: Group) -> str:
    """Return what differs in a group of heads, with the causes that explain it as well."""
    finding = group.first
    parts = [_sentence(group, place) for place in range(len(finding.judgement.differences))]
    best = finding.explanation.best
    if all(difference.side == "call" for difference in finding.judgement.differences):
        best = best[:1]
    equal = [brief(other) for other in best[1:] if other.explains][:FEW]
    alike = "; or ".join(dict.fromkeys(equal))
    text = "; ".join(parts)
    if len(text) > MOST_LETTERS:
        text = _THREAD.sub("", text)
    return f"{text} (or {alike}: they fit as well)" if alike else text


def brief(candidate: Candidate) -> str:
    """Return in a few words how a candidate differs from the promise."""
    if candidate.cause:
        return _THREAD.sub("", candidate.cause)
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
        return _of_call(group, difference)
    suspects = [_suspect_of(one.judgement.differences[place], one) for one in group.findings]
    told = [suspect for suspect in suspects if suspect is not None]
    if told:
        return f"{named_together(told)}{told[0].reason}"
    if difference.part == "output":
        return difference.cause
    if difference.part == "multiplier":
        return _of_multiplier(group, place)
    if difference.part == "kv_head":
        return _of_kv_heads(group)
    if difference.part == "sink":
        return _of_sinks(group, difference)
    if difference.part == "softmax_twice":
        return f"{difference.cause}, promised once"
    if difference.part == "law":
        return f"m grows as {difference.observed}: {difference.cause}"
    if difference.cause in (IGNORED, PADDING_IGNORED):
        return f"{difference.cause}: mask {difference.observed}"
    cause = f": {difference.cause}" if difference.cause else ""
    observed, promised = _value(difference.observed), _value(difference.promised)
    if difference.part == "mask":
        # Where queries stand is said only if it differs.
        starts = {place_text(mask) for mask in _both_masks(group.first)}
        if len(starts) == 1:
            start = starts.pop()
            observed, promised = (text.replace(start, "") for text in (observed, promised))
    if difference.part == "value_scale" and "sink" in group.candidates[0].unknown:
        observed += ", or another sink"
    if difference.part == "bias":
        observed, promised = _slope(difference.observed), _slope(difference.promised)
    return f"{WORDS[difference.part]} {observed}, promised {promised}{cause}"


def _both_masks(finding: Finding) -> tuple[HeadMask, HeadMask]:
    """Return the observed and the promised mask of a head."""
    return finding.explanation.candidate.model.mask, finding.comparable.model.mask


def _value(value: float | str | None) -> str:
    """Return a promised or observed value in words."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else general(value, 4)


def _slope(value: float | str | None) -> str:
    """Return a bias in words."""
    return f"of slope {general(value, 4)}" if isinstance(value, float) else _value(value)


def _of_call(group: Group, difference: Difference) -> str:
    """Return how what the call was given differs."""
    cause = f": {difference.cause}" if difference.cause else ""
    if difference.observed == IS_CAUSAL:
        return f"the call was given {IS_CAUSAL}, promised mask {difference.promised}"
    if difference.part == "mask":
        observed = str(difference.observed)
        verb = "" if observed.startswith(("hides", "shows")) else "is "
        return f"the captured mask {verb}{observed}, promised {difference.promised}{cause}"
    if difference.part == "bias":
        observed, promised = _slope(difference.observed), _slope(difference.promised)
        return f"the captured bias is {observed}, promised {promised}{cause}"
    if difference.part == "sink":
        return f"the call was given a sink, promised {sink_name(None)}"
    observed, promised = _value(difference.observed), _value(difference.promised)
    if difference.part == "multiplier":
        form = group.first.promise.form
        promised = multiplier_text(float(difference.promised or 0.0), form)
        observed = multiplier_text(float(difference.observed or 0.0))
        return f"the call was given the scale {observed}, promised {promised}{cause}"
    return f"the call was given the {WORDS[difference.part]} {observed}, promised {promised}"


def _of_multiplier(group: Group, place: int) -> str:
    """Return an observed multiplier beside the promised one, and its likely cause."""
    finding = group.first
    difference = finding.judgement.differences[place]
    values = sorted(_observed_values(group, place))
    form = finding.misses[0].form if finding.misses else rule_text(finding.names)
    digits = _digits(values, float(difference.promised or 0.0))
    ends = dict.fromkeys(general(value, digits) for value in (values[0], values[-1]))
    observed = " to ".join(ends)
    if len(ends) == 1 and form not in ("", observed):
        observed += f" = {form}"
    layers = {one.id.layer for one in group.findings}
    layer = f" of layer {finding.id.layer}" if len(layers) == 1 and len(values) > 1 else ""
    where = f" in {len(values):,} heads" if len(values) > 1 else ""
    if len(values) == group.total > 1:
        where = " in both heads" if len(values) == 2 else f" in all {len(values):,} heads"
        layer = ""
    promised = multiplier_text(float(difference.promised or 0.0), finding.promise.form)
    if isinstance(finding.promise.multiplier, float) and len(layers) > 1:
        texts = {multiplier_text(one.wanted, one.promise.form) for one in group.findings}
        promised = promised if len(texts) == 1 else "another in each layer"
    cause = f": {difference.cause}" if difference.cause else ""
    return f"m = {observed}{where}{layer}, promised {promised}{cause}"


def _digits(values: Sequence[float], promised: float) -> int:
    """Return with how many digits values show how far they are from a promised one."""
    nearest = min(abs(value - promised) for value in values)
    if not 0.0 < nearest < abs(promised):
        return LEAST_DIGITS
    return max(LEAST_DIGITS, min(2 - floor(log10(nearest / abs(promised))), MOST_DIGITS))


LEAST_DIGITS, MOST_DIGITS = 4, 10


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
    observed = next(_numbers(group, "sink"), f"sink {sink_name(None)}")
    promised = sink_name(difference.promised)
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
