"""The doctor's report in sentences: one to paste into an issue, one for each group, and notes.

Each verdict has one sentence. Numbers of several heads are given from the least to the largest.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from attn_tui.compute.fit.explain import SHOWN, Test
from attn_tui.compute.heads.head_model import Part
from attn_tui.compute.text import counted, listed
from attn_tui.doctor.names import beside
from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import VERDICTS, Verdict
from attn_tui.files.models.promise import Promise
from attn_tui.report.doctor.words import (
    ROUNDED,
    WORDS,
    assumed_text,
    expected_texts,
    found_texts,
    interval_text,
    law_text,
    mask_text,
    rule_text,
)
from attn_tui.report.numbers import fitted_logit, general, quantity
from attn_tui.report.words import ranges

FEW = 3
"""The most things to name one by one."""
PLURALS = {"differs": "differ", "agrees": "agree", "no expectation": "fit"}
"""Verdicts of several heads, if their plural differs."""

RATIOS = {2.0: "twice", 4.0: "four times", 0.5: "half of", 0.25: "a quarter of"}
VALUE_SCALES = {0.5**0.5: "a scale of v too many", 2.0**0.5: "a scale of v dropped"}
"""The usual causes of a value scale, by its ratio to the expected one."""

_THREAD = re.compile(r" \(as in [^)]*\)")


@dataclass(frozen=True)
class Group:
    """Heads that share a sentence.

    Attributes:
        verdict: The verdict about each head.
        findings: The finding about each head.
        tests: The test of each head that the sentence describes.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    tests: tuple[Test, ...]

    @property
    def first(self) -> Finding:
        """The finding about the first head, which stands for all."""
        return self.findings[0]

    @property
    def test(self) -> Test:
        """The test of the first head."""
        return self.tests[0]


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
    """Return the heads of a report in groups, those with its verdict first, then the largest.

    A head that several models explain equally well joins the largest of their groups.
    """
    counts = Counter(
        (finding.judgement.verdict, key)
        for finding in report.findings
        for key in {_key(finding, test) for test in finding.known.best}
    )
    parts: dict[object, list[tuple[Finding, Test]]] = {}
    for finding in report.findings:
        verdict = finding.judgement.verdict
        keys = {test: _key(finding, test) for test in finding.known.best}
        test = max(keys, key=lambda test: counts[verdict, keys[test]])
        parts.setdefault((verdict, keys[test]), []).append((finding, test))
    grouped = []
    for part in parts.values():
        findings, tests = zip(*part, strict=True)
        grouped.append(Group(findings[0].judgement.verdict, findings, tests))
    order = sorted(VERDICTS, key=lambda verdict: verdict != report.verdict)
    grouped.sort(key=lambda group: (order.index(group.verdict), -len(group.findings)))
    return tuple(grouped)


def _key(finding: Finding, test: Test) -> tuple[object, ...]:
    """Return the key of the group that a test puts a head in: all its sentence says but numbers."""
    judged = finding.judgement
    if judged.verdict == "cannot tell":
        return (judged.reason, assumed_text(finding), finding.known.suspect)
    if judged.verdict in ("agrees", "silent"):
        return (test.changes, assumed_text(finding))
    mask = mask_text(test)
    key: tuple[object, ...] = (test.changes, test.model.law)
    if judged.verdict == "no expectation":
        key = (*key, mask)
    elif "mask" in test.changes:
        key = (*key, mask, expected_texts(finding).get("mask"))
    if "multiplier" in test.changes:
        # Without a known cause, multipliers within about 2 % of each other share a group.
        near = round(50.0 * log(abs(test.model.multiplier)))
        key = (*key, finding.misses[0].meaning if finding.misses else near)
    return key


def verdict_line(report: Report) -> str:
    """Return the finding, the expectation, the residual and the number of heads in one line."""
    every = groups(report)
    if not every:
        why_not = "stopped" if report.interrupted else "nothing is known"
        return f"cannot tell: {why_not} before the first head"
    main, text = every[0], statement(every[0])
    if main.verdict == "no expectation":
        text += "; give --config or --expect m=… to compare"
    parts = [f"{report.verdict}: {text}", *_residual(main), _heads(report, every)]
    silent: dict[Part, set[int]] = {}
    for layer, part in report.silent:
        silent.setdefault(part, set()).add(layer)
    for part, layers in silent.items():
        parts.append(f"another {WORDS[part]} would not show in {_layers_text(layers)}")
    if report.expectation:
        parts.append(report.expectation.source)
    return "; ".join(parts)


def headline(report: Report) -> str:
    """Return the sentence about the largest group with the report's verdict."""
    every = groups(report)
    if not every:
        return f"The doctor looks at the first of {report.total:,} heads …"
    main = every[0]
    text = _THREAD.sub("", statement(main))
    # The suspected cause says more than the expected value, which follows it.
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
    if report.expectation is not None:
        yield f"Promise by {report.expectation.source}."
    yield from notes(report)


def notes(report: Report) -> Iterator[str]:
    """Yield the notes, with the places of the heads if a note is not about all."""
    if report.expectation is not None:
        yield from report.expectation.notes
    yield from report.notes
    noted: dict[str, list[Finding]] = {}
    for finding in report.findings:
        for note in finding.notes:
            noted.setdefault(note, []).append(finding)
    for note, findings in noted.items():
        few = len(findings) < len(report.findings)
        yield f"{places_of(findings)}: {note}" if few else note


def _residual(group: Group) -> Iterator[str]:
    known, test = group.first.known, group.test
    if not known.used:
        return
    if not test.explains:
        yield f"residual {quantity(known.residual)}"
    elif test.path:
        alone = quantity(test.rounding[test.path])
        path = ROUNDED[test.path]
        yield f"residual {quantity(test.residual)} ({path} rounding alone: {alone})"
    else:
        yield f"residual {quantity(test.residual)}"


def _heads(report: Report, every: Sequence[Group]) -> str:
    """Return the number of heads and rows of the main group, and the findings about the others."""
    main, known = every[0], len(report.findings)
    of = f"{len(main.findings):,} of {counted(known, 'head')}"
    beside = [*others(every)]
    layers = {finding.id.layer for finding in main.findings}
    if len(main.findings) < known:
        if len(main.findings) == 1:
            beside.insert(0, places_of(main.findings))
        elif len(main.findings) == sum(finding.id.layer in layers for finding in report.findings):
            beside.insert(0, f"all of {_layers_text(layers)}")
    if beside:
        of += f" ({'; '.join(beside)})"
    left = report.total - known
    if left:
        of += f", stopped before the other {left:,}" if report.interrupted else f", {left:,} left"
    if main.first.known.used and report.settings.rows < main.first.shape.n_queries:
        of += f", {report.settings.rows:,} of {main.first.shape.n_queries:,} rows of each"
    return of


def others(every: Sequence[Group]) -> Iterator[str]:
    """Yield the findings about heads outside the first group: ``2 agree``."""
    told = ("differs", "cannot tell", "no expectation")
    named = [group for group in every[1:] if group.verdict in told]
    named = named if len(named) <= FEW else []
    for group in named:
        yield f"{places_of(group.findings)}: {statement(group)}"
    missed = {*every[0].first.judgement.differs}
    counts: Counter[str] = Counter()
    for group in every[1:]:
        for finding in group.findings if group not in named else ():
            # A head that is silent on the parts that differ elsewhere does not count as agreeing.
            is_silent = missed and missed <= {*finding.known.silent}
            counts["silent" if is_silent else group.verdict] += 1
    for verdict, count in counts.items():
        yield f"{count:,} {verdict if count == 1 else PLURALS.get(verdict, verdict)}"


def statement(group: Group) -> str:
    """Return the sentence about a group of heads."""
    finding, test = group.first, group.test
    if group.verdict == "cannot tell":
        return obstacle(finding)
    if group.verdict == "silent":
        reason = finding.judgement.reason
        return f"another m would not have shown, {reason}: try --rows all, or a longer text"
    if group.verdict == "differs":
        equal = [brief(other) for other in finding.known.best if other is not test][:FEW]
        parts = test.changes
        if test is finding.known.test:
            parts = finding.judgement.differs or parts
        text = "; ".join(_difference(group, part) for part in parts)
        alike = "; or ".join(dict.fromkeys(equal))
        return f"{text} (or {alike}: they fit as well)" if equal else text
    granted = dict.fromkeys(filter(None, map(assumed_text, group.findings)))
    assumed = f", if {listed([*granted][:FEW])}, as is assumed" if granted else ""
    if group.verdict == "agrees":
        return f"{', '.join(_agreeing(group))} as expected{assumed}"
    return ", ".join(_unexpected(group)) + assumed


def obstacle(finding: Finding) -> str:
    """Return why nothing can be told about a head, and what would help."""
    known, reason = finding.known, finding.judgement.reason
    if assumed := assumed_text(finding):
        agrees = "agrees" if finding.expected else "fits"
        return f"{agrees} if {assumed}; --assume {finding.judgement.assumes} grants it"
    if known.explains or known.problem:
        return reason
    if known.suspect is not None:
        return f"nothing fits: {known.suspect.name}? ({known.suspect.found})"
    return (
        "nothing fits: is out what attention itself returned for these q, k and v? What is "
        f"expected misses {_share(known.residual)} of it, the nearest model "
        f"{_share(known.test.residual)}"
    )


def _share(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 0.995 else "all"


def _agreeing(group: Group) -> Iterator[str]:
    """Yield m and the other parts that agree and in which a change would have shown."""
    first, told = group.first, group.first.known.told
    yield multiplier(group)
    if "softcap" in told:
        yield f"soft cap {expected_texts(first)['softcap']}"
    if "sink" in told:
        yield from _numbers(group, "sink")
    is_said = "mask" in expected_texts(first) and "mask" not in first.known.silent
    masks = {mask_text(test) for test in group.tests}
    window = first.known.expected.model.mask.window or 0
    if len(masks) == 1 and ("mask" in told or is_said):
        is_whole = window >= first.shape.n_keys
        yield f"mask causal within the {masks.pop()}" if is_whole else f"mask {masks.pop()}"


def _unexpected(group: Group) -> Iterator[str]:
    """Yield the parts found without an expectation, with m beside the usual 1/√d_k."""
    test, d_k = group.test, group.first.shape.d_k
    if "multiplier" in test.changes:
        value, form = general(test.model.multiplier, 4), rule_text(group.first.names)
        ratio, meaning = test.model.multiplier * d_k**0.5, ""
        if group.first.misses:
            miss = group.first.misses[0]
            form, meaning = miss.form or form, f": {miss.meaning}?"
        if form not in ("", value):
            value += f" = {form}"
        near = [text for usual, text in RATIOS.items() if abs(ratio / usual - 1.0) < 2e-3]
        times = near[0] if near else f"{general(ratio, 3)} times"
        yield f"m = {value}, {times} the usual 1/√d_k{meaning}"
    else:
        yield multiplier(group)
    if test.model.softmax_twice:
        yield "softmax twice"
    yield from _numbers(group, "softcap")
    yield from _numbers(group, "sink")
    if "value_scale" in test.changes:
        or_sink = " or a sink" if "sink" in test.unknown else ""
        yield f"value scale {_ends([fitted.model.value_scale for fitted in group.tests])}{or_sink}"
    yield f"mask {' or '.join(dict.fromkeys(map(mask_text, group.first.known.best)))}"


def multiplier(group: Group) -> str:
    """Return the m of a group from the least to the largest, and its name.

    Such as ``m = 0.1249 to 0.1251 = 1/√d_k (d_k = 64)``.
    """
    known = [test for test in group.tests if "multiplier" in test.estimates]
    if not known:
        return "m = unknown"
    known.sort(key=lambda test: test.model.multiplier)
    ends = [interval_text(test.estimates["multiplier"].at(SHOWN)) for test in known]
    texts = [text.partition(" (")[0] for text in (ends[0], ends[-1])]
    places = [len(text.partition(".")[2]) for text in texts]
    if min(places) and all(text.replace(".", "", 1).isdecimal() for text in texts):
        texts = [f"{float(text):.{min(places)}f}" for text in texts]
    text = " to ".join(dict.fromkeys(texts))
    rules = {rule_text(finding.names) for finding in group.findings}
    rule = rules.pop() if len(rules) == 1 else ""
    if group.test.model.law is not None:
        text += f" × {law_text(group.test.model.law)}"
    named = f" = {rule}" if rule not in ("", text) else ""
    size = f" (d_k = {group.first.shape.d_k})" if "d_k" in rule else ""
    return f"m = {text}{named}{size}"


def _numbers(group: Group, part: Part) -> Iterator[str]:
    """Yield the caps or sinks that were found, if any."""
    every = [test.estimates.get(part) for test in group.tests]
    values = [None if estimate is None else estimate.at(SHOWN).value for estimate in every]
    known = [value for value in values if value is not None]
    if known:
        begin = "b = " if part == "sink" else ""
        some = f" in {len(known):,} of {counted(len(every), 'head')}"
        some = some if len(known) < len(every) else ""
        yield f"{WORDS[part]} {begin}{_ends(known)}{some}"


def _ends(values: Sequence[float]) -> str:
    return " to ".join(
        dict.fromkeys(general(fitted_logit(end), 3) for end in (min(values), max(values)))
    )


def brief(test: Test) -> str:
    """Return in a few words how a model differs from the expected one."""
    texts = {part: text.partition(" (")[0] for part, text in found_texts(test).items()}
    words = {"softmax_twice": "softmax twice", "kv_head": "another KV head"}
    words["multiplier"] = f"m = {texts['multiplier']}"
    if test.model.law is not None:
        words["law"] = f"m by {law_text(test.model.law)}"
    return " and ".join(
        words.get(part) or f"{WORDS[part]} {texts.get(part, '')}".strip() for part in test.changes
    )


def _difference(group: Group, part: Part) -> str:
    """Return the finding about a part, the expectation, and the usual cause."""
    finding, test = group.first, group.test
    expected = expected_texts(finding)
    if part == "kv_head":
        return _other_kv_head(finding)
    if part == "multiplier":
        return f"{_near_miss(group)}, expected {expected.get(part, '1/√d_k')}"
    if part == "softmax_twice":
        again = "softmax is taken of the weights again, softmax(softmax(m·q·k))·V"
        return f"{again}, expected once (as in llama3 155)"
    if part == "law" and test.model.law is not None:
        return f"m grows as {law_text(test.model.law)}: does q carry it already?"
    text = found_texts(test)[part]
    if part == "mask":
        meant, ignored = expected.get(part, "causal"), ""
        if meant == "the captured one":
            ignored = "the captured mask is not applied: "
        if meant.startswith("causal, query 0 at") and text == "causal":
            text = "causal, query 0 at key 0"
        return f"{ignored}mask {text}, expected {meant}{_hint(group, part)}"
    if part == "value_scale" and "sink" in test.unknown:
        text = f"{general(test.model.value_scale, 3)}, or another sink"
    if part == "sink" and len(group.findings) > 1:
        text = next(_numbers(group, part), f"sink {text}").removeprefix("sink ")
    return f"{WORDS[part]} {text}, expected {expected.get(part, 'none')}{_hint(group, part)}"


def _other_kv_head(finding: Finding) -> str:
    """Return which KV head a head used, and which one was expected."""
    head, own, reading = finding.id.head, finding.shape.kv_head, finding.reading
    if reading is None or reading.kv_mapping == "interleaved":
        meant = "expected h // (n_heads / n_kv)"
        return f"head {head} has KV head {own}, h mod n_kv, {meant}: tiled, not repeated?"
    meant = f"expected those of {reading.kv_head(head)}"
    return f"head {head} has the keys and values of KV head {own}, {meant}: in another order?"


def _near_miss(group: Group) -> str:
    """Return a multiplier in terms of the expected one, and its likely cause.

    Such as ``m = 0.667/√256 = 1/√576: the absorbed MLA dimension?``
    """
    finding, m = group.first, group.test.model.multiplier
    layers = {finding.id.layer for finding in group.findings}
    ratios = [
        test.model.multiplier / finding.wanted
        for finding, test in zip(group.findings, group.tests, strict=True)
    ]
    is_one = 0.0 < max(ratios) < 1.02 * min(ratios)
    where = f" of layer {finding.id.layer}" if len(layers) > 1 and not is_one else ""
    plain = beside(m, finding.wanted, finding.expected.form if finding.expected else "")
    text = f"m{where} = {plain}"
    if not finding.misses:
        rule = rule_text(finding.names)
        return f"{text} = {rule}" if rule else text
    miss = finding.misses[0]
    form = f" = {miss.form}" if miss.form not in ("", plain) else ""
    thread = f" (as in {miss.thread})" if miss.thread else ""
    return f"{text}{form}: {miss.meaning}?{thread}"


def _hint(group: Group, part: Part) -> str:
    """Return the usual cause of a part that differs, or an empty text."""
    model = group.test.model
    if part == "softcap" and model.softcap is None:
        return ": dropped? (as in sglang 33915)"
    if part == "sink" and model.sink is None:
        return ": dropped? (as in transformers 42736)"
    if part == "value_scale":
        expected = group.first.expected or Promise()
        ratio = model.value_scale / (expected.value_scale or 1.0)
        for usual, meaning in VALUE_SCALES.items():
            if abs(ratio / usual - 1.0) < 2e-3:
                return f": {meaning}? (as in Megatron-Bridge 4155)"
    if part != "mask":
        return ""
    mask, other = model.mask, group.first.known.expected.model.mask
    if mask.kind == "causal" and mask.offset == 0 and other.offset:
        return ": aligned at the top left, as is_causal does?"
    if mask.kind == "none" and not mask.hidden and other.kind != "given":
        return ": was no mask given to the function that computed it?"
    if mask.kind == "causal" and other.kind == "window":
        return ": was the window dropped?"
    if mask.window and other.window and abs(mask.window - other.window) == 1:
        return ": is the query's own key counted?"
    return ""
