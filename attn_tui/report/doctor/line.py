"""The verdict in one line, to be pasted into an issue; and why, in sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import inf

from attn_tui.compute.counted import counted
from attn_tui.compute.fit.diagnosis import Diagnosis, Estimate
from attn_tui.doctor.names import beside
from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import SHOWN, confidence, odd_text
from attn_tui.report.doctor.groups import Group, by_multiplier, groups, multipliers
from attn_tui.report.doctor.words import (
    ROUNDED,
    WORDS,
    expected_texts,
    found_texts,
    joined,
    mask_text,
    multiplier_text,
    rule_text,
)
from attn_tui.report.heads.words import ranges
from attn_tui.report.masks import keys_text, packed_text
from attn_tui.report.numbers import fitted_logit, general, quantity

PLURALS = {"differs": "differ", "agrees": "agree", "fits": "fit"}
"""Verdicts of several heads, where they are called otherwise."""
_FEW = 3
"""So many multipliers are named with where they are."""


def verdict_line(report: Report) -> str:
    """Return what was found, what was expected, the residual and how many heads it is of."""
    every = groups(report)
    if not every:
        why_not = "stopped" if report.interrupted else "nothing is known"
        return f"cannot tell: {why_not} before the first head"
    worst = alike(report, every[0].first)
    compared = "; give --config to compare" * (worst.verdict == "no expectation")
    return f"{worst.verdict}: {said(worst)}{compared}; {_evidence(report, worst)}"


def alike(report: Report, finding: Finding) -> Group:
    """Return the heads of which the same verdict is said, for the same reasons."""
    wanted = _reasons(finding)
    return Group(tuple(each for each in report.findings if _reasons(each) == wanted))


def _reasons(finding: Finding) -> tuple[object, ...]:
    judged = finding.judgement
    unknown = tuple(name for name, _ in judged.undetermined)
    unknown = unknown if judged.verdict == "cannot tell" else ()
    return (judged.verdict, judged.differs, unknown, finding.diagnosis.fits)


def said(group: Group) -> str:
    """Return what was found of heads, and what was expected."""
    finding = group.first
    found = finding.diagnosis
    if group.verdict == "differs":
        where = _where(group) if "multiplier" in finding.judgement.differs else ""
        unlike = [_differences(group, name, where) for name in finding.judgement.differs]
        return "; ".join([*unlike, *_hiding(group)])
    if not found.used and not found.fits:
        return next(iter(unknown(finding)), "no row can be used")
    if not found.fits:
        return _suspected(found)
    if group.verdict == "cannot tell":
        reason, names = next(iter(unknown(finding).items()))
        if found.odd and reason == odd_text(found):
            return f"{reason}, with {_multiplier(group)}"
        return f"{joined(names)} {'is' if len(names) == 1 else 'are'} unknown: {reason}"
    parts = by_multiplier(group.findings)
    text, last = _multiplier(parts[0]), parts[-1]
    if last.first.expected != finding.expected:
        text += f" in layer {finding.id.layer}, {_multiplier(last)} in layer {last.first.id.layer}"
    if group.verdict == "agrees":
        texts = [expected_texts(each.expected) for each in group.findings]
        if found.sees_all and texts[0].get("mask", "").startswith("causal"):
            texts = [{**each, "mask": "causal or none"} for each in texts]
        every = [text]
        for name in ("softcap", "sink", "mask"):
            if finding.expected is None or not finding.expected.needs(name):
                continue
            if name == "sink":  # Each head has its own.
                every += _found(group, name)
            elif all(each.get(name) == texts[0][name] for each in texts):
                every.append(f"{WORDS[name]} {texts[0][name]}")
        return "; ".join([", ".join(every) + " as expected", *_hiding(group)])
    extras = (*_found(group, "softcap"), *_found(group, "sink"), *_scales(group), *_masks(group))
    return "; ".join([", ".join([_multipliers(group), *extras]), *_hiding(group)])


def _hiding(group: Group) -> Iterator[str]:
    """Yield which keys of which sequences are hidden though no captured mask hides them."""
    if any(map(_unapplied, group.findings)):
        yield "the captured mask was not applied"
    padded: dict[str, None] = {}
    packed: dict[str, None] = {}
    for each in group.findings:
        mask, sequence = each.diagnosis.mask, f"of sequence {each.id.batch}"
        if mask is not None and mask.hidden:
            padded[f"{keys_text(mask.hidden)} {sequence}"] = None
        if mask is not None and mask.packed:
            packed[f"{packed_text(mask)}, {sequence}"] = None
    more = [f"of {len(padded) - _FEW + 1:,} more"] if len(padded) > _FEW else []
    if padded:
        yield f"padding? {joined([*[*padded][: _FEW - len(more)], *more])} hidden fit"
    if packed:
        others = f"; {len(packed) - 1:,} more so" * (len(packed) > 1)
        yield next(iter(packed)) + others


def _found(group: Group, name: str) -> Iterator[str]:
    """Yield the caps or sinks that were found, and in how many heads where not in all."""
    every = [getattr(each.diagnosis, name) for each in group.findings]
    known = (each.at(SHOWN).value for each in every if each is not None)
    values = sorted(each for each in known if each is not None)
    if values:
        ends = dict.fromkeys(general(fitted_logit(v), 3) for v in (values[0], values[-1]))
        begin = f"{WORDS[name]} {'b = ' * (name == 'sink')}"
        some = f" in {len(values):,} of {len(every):,} heads" * (len(values) < len(every))
        yield f"{begin}{' to '.join(ends)}{some}"


def _scales(group: Group) -> Iterator[str]:
    """Yield the value scales that were found, where they are not 1."""
    level = confidence(len(group.findings))
    odd = [each.diagnosis for each in group.findings if _is_scaled(each.diagnosis, level)]
    if odd:
        values = sorted(each.scale.at(SHOWN).value or 0.0 for each in odd if each.scale is not None)
        ends = dict.fromkeys(general(value, 3) for value in (values[0], values[-1]))
        count = len(group.findings)
        some = f" in {len(odd):,} of {count:,} heads" * (len(odd) < count)
        sink = any(each.stretch and each.stretch.with_sink is None for each in odd)
        yield f"value scale {' to '.join(ends)}{' or a sink' * sink}{some}"


def _is_scaled(found: Diagnosis, level: float) -> bool:
    at = None if found.scale is None else found.scale.at(level)
    return at is not None and not (at.low or -inf) <= 1.0 <= (at.high or inf)


def _masks(group: Group) -> Iterator[str]:
    """Yield masks that hide more than causal ones do, or of which a corner was found."""
    counts = Counter(
        mask_text(each.diagnosis, each.placed) * _is_unusual(each) for each in group.findings
    )
    told = [*filter(None, counts)]
    for text in told[:_FEW]:
        some = f" in {counts[text]:,} of {counts.total():,} heads"
        yield f"mask {text}{some * (len(counts) > 1)}"
    if len(told) > _FEW:
        yield f"{len(told) - _FEW:,} more masks"


def _is_unusual(finding: Finding) -> bool:
    mask = finding.diagnosis.mask
    if mask is None or mask.hidden or mask.packed:
        return False
    is_placed = mask.by_position and bool(finding.placed or mask.offset)
    return mask.kind == "window" or is_placed or _unapplied(finding)


def _unapplied(finding: Finding) -> bool:
    """Whether a mask was captured, and the output was computed with another, or none."""
    sight = finding.diagnosis.sight
    return "mask" in finding.shape.has and sight is not None and sight.kind != "given"


def others(report: Report, group: Group) -> Iterator[str]:
    """Yield how many heads have each other verdict than those of a group: ``2 cannot tell``."""
    for verdict, count in report.counts.items():
        if verdict != group.verdict:
            words = "fits" if verdict == "no expectation" else verdict
            yield f"{count:,} {words if count == 1 else PLURALS.get(words, words)}"


def _suspected(found: Diagnosis) -> str:
    """Return the suspect that it is, or else that nothing fits, and what it may be."""
    if found.culprit is not None:
        return found.culprit.found
    for each in found.suspects:
        if each.verdict == "may be":
            return f"nothing fits: {each.found}: {each.name}?"
    names = [each.name for each in found.suspects]
    return "nothing fits" + f" (tested: {joined(names)})" * bool(names)


def unknown(finding: Finding) -> dict[str, list[str]]:
    """Return what is not known of a head, by the reason."""
    found: dict[str, list[str]] = {}
    for name, reason in finding.judgement.undetermined:
        found.setdefault(reason, []).append(WORDS.get(name, name))
    return found


def _multiplier(group: Group) -> str:
    """Return m of heads from the least to the largest, and its name.

    Such as ``m = 0.1249 to 0.1251 = 1/√d_k (d_k = 64)``.
    """
    finding, every = group.first, [each.diagnosis for each in group.findings]
    ends = sorted(
        (each.multiplier.at(SHOWN).value or 0.0, place)
        for place, each in enumerate(every)
        if each.multiplier is not None
    )
    shown = [every[place] for _, place in (*ends[:1], *ends[-1:])] or every[:1]
    text = " to ".join(_alike([multiplier_text(m).partition(" (")[0] for m in shown]))
    rule = rule_text(finding.names)
    named = f" = {rule}" if rule and rule != text else ""
    size = f" (d_k = {finding.shape.d_k})" if "d_k" in rule else ""
    return f"m = {text}{named}{size}"


def _alike(texts: Sequence[str]) -> Iterable[str]:
    """Return numbers with as many digits as the one that has the fewest, each once.

    >>> [*_alike(["0.17677670", "0.1767766955"])], [*_alike(["0.1761", "0.180"])]
    (['0.17677670'], ['0.176', '0.180'])
    """
    if all(text.replace(".", "", 1).isdecimal() and "." in text for text in texts):
        places = min(len(text.partition(".")[2]) for text in texts)
        texts = [f"{float(text):.{places}f}" for text in texts]
    return dict.fromkeys(texts)


def _multipliers(group: Group) -> str:
    """Return m, or what it is where if heads do not have the same."""
    every = sorted(by_multiplier(group.findings), key=lambda part: -len(part.findings))
    if len(every) == 1:
        return _multiplier(every[0])
    if len(every) <= _FEW:
        texts = (f"{_multiplier(part)} in {part.places}" for part in every)
        return f"heads differ: {'; '.join(texts)}"
    count = max(len(every), multipliers(group))
    return f"heads differ, by {count:,} multipliers, m = {range_text(group)}"


def range_text(group: Group) -> str:
    """Return the least and the largest m of heads, with digits in which they differ."""
    values = [each.diagnosis.multiplier for each in group.findings]
    known = [each.at(SHOWN).value or 0.0 for each in values if each is not None]
    ends = ([general(each, digits) for each in (min(known), max(known))] for digits in (3, 4, 6, 9))
    return next((f"{low} to {high}" for low, high in ends if low != high), general(known[0], 9))


def _where(group: Group) -> str:
    """Return where heads are that have the multiplier of the first, unless all have."""
    every = by_multiplier(group.findings)
    if len(every) == 1:
        return ""
    layer = [each for each in group.findings if each.id.layer == group.first.id.layer]
    same = every[0]
    return (
        f" of layer {group.first.id.layer}" if [*same.findings] == layer else f" of {same.places}"
    )


def _differences(group: Group, name: str, where: str) -> str:
    """Return what differs in the first head, and in others where that is something else."""
    text = _difference(group.first, name, where)
    if name == "sink" and not _missing(group.first.diagnosis.sink) and len(group.findings) > 1:
        return f"{text} in {Group(group.findings[:1]).places}"  # Each head has its own.
    if name not in ("mask", "window"):
        return text
    parts: dict[str, list[Finding]] = {}
    for each in group.findings:
        parts.setdefault(_difference(each, name), []).append(each)
    if not 1 < len(parts) <= _FEW:
        return text
    return "; ".join(f"{part} in {Group(tuple(of)).places}" for part, of in parts.items())


def _difference(finding: Finding, name: str, where: str = "") -> str:
    expected = expected_texts(finding.expected)
    if name == "kv_head":
        head, own = finding.id.head, finding.shape.kv_head
        meant = "expected h // (n_heads / n_kv)"
        return f"head {head} has KV head {own}, h mod n_kv, {meant}: tiled, not repeated?"
    if name == "multiplier":
        return near_miss(finding, where) + f", expected {expected[name]}"
    if name == "temperature":
        return f"m is {multiplier_text(finding.diagnosis)}, expected {expected['multiplier']}"
    if name == "window":
        name = "mask"
    found = found_texts(finding.diagnosis, finding.placed)[name]
    return f"{WORDS[name]} {found}, expected {expected[name]}{_hint(finding, name)}"


def _hint(finding: Finding, name: str) -> str:
    """Return what another number than the expected one usually means, or nothing."""
    found, expected = finding.diagnosis, finding.expected
    if expected is None:
        return ""
    if name == "softcap" and _missing(found.softcap):
        return ": dropped? (as in sglang 33915)"
    if name == "sink" and _missing(found.sink):
        return ": dropped? (as in transformers 42736)"
    if name == "value_scale" and found.scale is not None:
        c = found.scale.at(SHOWN)
        ratios = {0.5**0.5: "a scale of v too many", 2.0**0.5: "a scale of v dropped"}
        for ratio, meaning in ratios.items():
            if c.value and abs(c.value / (expected.value_scale or 1.0) - ratio) < 2e-3 * ratio:
                return f": {meaning}? (as in Megatron-Bridge 4155)"
    if name == "mask" and found.mask is not None:
        if found.mask.offset == 0 and expected.offset and found.mask.by_position:
            return ": aligned at the top left, as is_causal does?"
        if found.mask.kind == "none":
            return ": was no mask given to the function that computed it?"
        lengths = (found.mask.window, expected.window)
        if None not in lengths and abs((lengths[0] or 0) - (lengths[1] or 0)) == 1:
            return ": is the query's own key counted?"
    return ""


def _missing(found: Estimate | None) -> bool:
    return found is not None and found.at(SHOWN).value is None


def near_miss(finding: Finding, where: str = "") -> str:
    """Return a multiplier beside the expected one, and what it may be.

    Such as ``m = 0.667/√256 = 1/√576: the absorbed MLA dimension?``
    """
    m = finding.diagnosis.multiplier
    value = m.at(SHOWN).value if m is not None else None
    expected = finding.expected
    if value is None or expected is None or not expected.multiplier:
        return "m is unknown"
    plain = beside(value, expected.multiplier, expected.form)
    text = f"m{where} = {plain}"
    if finding.misses:
        miss = finding.misses[0]
        form = f" = {miss.form}" if miss.form and miss.form != plain else ""
        thread = f" (as in {miss.thread})" if miss.thread else ""
        return f"{text}{form}: {miss.meaning}?{thread}"
    rule = rule_text(finding.names)
    return text + (f" = {rule}" if rule else "")


def _evidence(report: Report, group: Group) -> str:
    finding = group.first
    found = finding.diagnosis
    path = (
        f" ({ROUNDED[found.path]} rounding alone: {quantity(found.rounding[found.path])})"
        if (found.path is not None and found.path in found.rounding)
        else ""
    )
    done = len(report.findings)
    of = f"{len(group.findings):,} of {counted(done, 'head')}"
    if beside := [*_place(report, group), *others(report, group)]:
        of += f" ({'; '.join(beside)})"
    if done < report.total:
        left = f"{report.total - done:,}"
        of += (
            f", stopped before the other {left}" if report.interrupted else f" so far, {left} left"
        )
    if found.used and report.settings.rows < finding.shape.n_queries:
        of += f", {report.settings.rows:,} of {finding.shape.n_queries:,} rows of each"
    of += f", captured: {report.part}" * bool(report.part)
    source = f"; {report.expectation.source}" if report.expectation else ""
    residual = f"residual {quantity(found.residual)}{path}; " * bool(found.used)
    return f"{residual}{of}{source}"


def _place(report: Report, group: Group) -> Iterator[str]:
    """Yield where heads are that are not all, if it is one head or whole layers."""
    if len(group.findings) < len(report.findings):
        layers = sorted({each.id.layer for each in group.findings})
        if len(group.findings) == 1:
            yield group.places
        elif len(group.findings) == sum(each.id.layer in layers for each in report.findings):
            yield f"all of layer{'s' * (len(layers) > 1)} {ranges(layers, 8)}"


def why(report: Report) -> Iterator[str]:
    """Yield the sentences that the verdict rests on: one for each group of heads, and notes."""
    if report.interrupted:
        yield f"Stopped after {len(report.findings):,} of {counted(report.total, 'head')}."
    for group in groups(report):
        yield f"{group.places}: {group.verdict}: {said(group)}."
    if report.expectation is not None:
        yield f"Expected by {report.expectation.source}."
        yield from report.expectation.notes
    notes: dict[str, list[Finding]] = {}
    for each in report.findings:
        for note in each.diagnosis.notes:
            notes.setdefault(note, []).append(each)
    yield from report.notes
    for note, noted in notes.items():
        few = len(noted) < len(report.findings)
        yield f"{Group(tuple(noted)).places}: {note}" if few else note
