"""The verdict in one line, to be pasted into an issue; and why, in sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from attn_tui.compute.counted import counted
from attn_tui.compute.fit.explain import SHOWN, Test
from attn_tui.compute.fit.model import Part
from attn_tui.doctor.names import beside
from attn_tui.doctor.report import Finding, Report
from attn_tui.doctor.verdict import VERDICTS, Verdict
from attn_tui.report.doctor.words import (
    ROUNDED,
    WORDS,
    assumed_text,
    expected_texts,
    found_texts,
    joined,
    law_text,
    mask_text,
    rule_text,
)
from attn_tui.report.numbers import fitted_logit, general, quantity
from attn_tui.report.words import ranges

PLURALS = {"differs": "differ", "agrees": "agree", "fits": "fit", "silent": "silent"}
"""Verdicts of several heads, where they are called otherwise."""
_FEW = 3
"""So many things are named one by one."""

Key = tuple[object, ...]


@dataclass(frozen=True)
class Group:
    """Heads of which the same is said.

    Attributes:
        verdict: That of each.
        findings: What is said of each.
        tests: Of each, the model by which it is said.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    tests: tuple[Test, ...]

    @property
    def first(self) -> Finding:
        """The first head, which stands for all."""
        return self.findings[0]

    @property
    def test(self) -> Test:
        """The model of the first."""
        return self.tests[0]

    @property
    def places(self) -> str:
        """Where they are: ``32 heads of layers 0–3``, ``layer 2, head 5``."""
        return places_of(self.findings)


def places_of(findings: Sequence[Finding]) -> str:
    """Return where heads are: ``32 heads of layers 0–3``, ``layer 2, head 5``."""
    layers = sorted({each.id.layer for each in findings})
    plural = "s" if len(layers) > 1 else ""
    named = f"layer{plural} {ranges(layers, 8)}"
    batches = sorted({each.id.batch for each in findings})
    if batches != [0]:
        named = f"batch {ranges(batches, 8)}, {named}"
    if len(findings) == 1:
        return f"{named}, head {findings[0].id.head}"
    return f"{len(findings):,} heads of {named}"


def groups(report: Report) -> tuple[Group, ...]:
    """Return the heads of a report in groups, those of the verdict first, the largest first.

    A head that several models explain equally well is of the group that has the most.
    """
    counts: Counter[tuple[Verdict, Key]] = Counter()
    for each in report.findings:
        keys = {_key(each, test) for test in each.known.best}
        counts.update((each.judgement.verdict, key) for key in keys)
    parts: dict[tuple[Verdict, Key], list[tuple[Finding, Test]]] = {}
    for each in report.findings:
        verdict = each.judgement.verdict
        test = max(each.known.best, key=lambda test: counts[verdict, _key(each, test)])
        parts.setdefault((verdict, _key(each, test)), []).append((each, test))
    every = [
        Group(verdict, tuple(each for each, _ in part), tuple(test for _, test in part))
        for (verdict, _), part in parts.items()
    ]
    order = sorted(VERDICTS, key=lambda verdict: verdict != report.verdict)
    return tuple(sorted(every, key=lambda each: (order.index(each.verdict), -len(each.findings))))


def _key(finding: Finding, test: Test) -> Key:
    """Return what heads have in common of which the same is said by a model."""
    judged = finding.judgement
    if judged.verdict == "differs":
        mask = test.model.mask if "mask" in test.changes else None
        kind = (mask.kind, mask.window, mask.hidden, mask.packed, mask.chunk) if mask else None
        missed = finding.misses[0].meaning if finding.misses else ""
        missed = missed if "multiplier" in test.changes else ""
        return (test.changes, kind, test.model.law, missed)
    if judged.verdict == "cannot tell":
        suspect = finding.suspect.name if finding.suspect else ""
        return (judged.reason, assumed_text(finding), suspect)
    if judged.verdict == "no expectation" and "multiplier" in test.changes:
        # Multipliers that lie within 2 % of each other are said together.
        return (test.changes, finding.names, round(50.0 * log(abs(test.model.multiplier))))
    return (test.changes,)


def verdict_line(report: Report) -> str:
    """Return what was found, what was expected, the residual and how many heads it is of."""
    every = groups(report)
    if not every:
        why_not = "stopped" if report.interrupted else "nothing is known"
        return f"cannot tell: {why_not} before the first head"
    main = every[0]
    compared = "; give --config or --expect to compare" if main.verdict == "no expectation" else ""
    return f"{report.verdict}: {said(main)}{compared}; {_evidence(report, every)}"


def said(group: Group) -> str:
    """Return what is said of heads."""
    finding, test = group.first, group.test
    if group.verdict == "differs":
        return _differing(group)
    if group.verdict == "cannot tell":
        return _untold(finding)
    if group.verdict == "silent":
        return f"another m would not have shown: {finding.judgement.reason}"
    granted = dict.fromkeys(filter(None, map(assumed_text, group.findings)))
    few = [*granted][:_FEW]
    assumed = f", if {joined(few)}, as is assumed" if granted else ""
    if group.verdict == "agrees":
        parts = [_multiplier(group)]
        for part in ("softcap", "sink", "mask"):
            if part == "sink" and "sink" in finding.known.told:
                parts.extend(_found(group, "sink"))
            elif part in finding.known.told or (part == "mask" and _has_mask(finding)):
                texts = [expected_texts(each).get(part) for each in group.findings]
                if len(set(texts)) == 1:
                    text = texts[0] or ""
                    if part == "mask" and all(each.sees_all for each in group.tests):
                        text = mask_text(test)
                    parts.append(f"{WORDS[part]} {text}")
        return ", ".join(parts) + " as expected" + assumed
    extras = [*_found(group, "softcap"), *_found(group, "sink"), *_scales(group), *_mask(group)]
    if test.model.softmax_twice:
        extras.insert(0, "softmax twice")
    return ", ".join([_usual(group), *extras]) + assumed


def _has_mask(finding: Finding) -> bool:
    return "mask" in expected_texts(finding) and "mask" not in finding.known.silent


def _differing(group: Group) -> str:
    """Return what differs; of models that explain it equally well, all."""
    finding, test = group.first, group.test
    where = _where(group) if "multiplier" in test.changes else ""
    parts = [_difference(group, part, where) for part in finding.judgement.differs or test.changes]
    if test is not finding.known.test:
        parts = [_difference(group, part, where) for part in test.changes]
    text = "; ".join(parts)
    others = [each for each in finding.known.best if each is not test]
    if others:
        equal = [_brief(finding, each) for each in others[:_FEW]]
        text += f" (or {', or '.join(dict.fromkeys(equal))}: they fit as well)"
    return text


def _brief(finding: Finding, test: Test) -> str:
    """Return in what a model differs from the expected one, in few words."""
    texts = found_texts(test, brief=True)
    words = []
    for part in test.changes:
        if part == "softmax_twice":
            words.append("softmax twice")
        elif part == "law" and test.model.law is not None:
            words.append(f"m by {law_text(test.model.law)}")
        elif part == "kv_head":
            words.append("another KV head")
        elif part in texts:
            words.append(f"{WORDS[part]} {texts[part]}".replace("m ", "m = ", part == "multiplier"))
    return " and ".join(words)


def _untold(finding: Finding) -> str:
    """Return why nothing can be told of a head."""
    if assumed := assumed_text(finding):
        agrees = "agrees" if finding.expected else "fits"
        return f"{agrees} if {assumed}; --assume {finding.judgement.assumes} grants it"
    if finding.known.explains or finding.known.problem:
        return finding.judgement.reason
    if finding.suspect is not None:
        return f"nothing fits: {finding.suspect.name}? ({finding.suspect.found})"
    test = finding.known.test
    nearest = f"the nearest, {_brief(finding, test)}," if test.changes else "its numbers fitted, it"
    return f"nothing fits: what is expected leaves {_share(finding.known.residual)} of the " + (
        f"output, {nearest} {_share(test.residual)}"
    )


def _share(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 1.0 else "all"


def _found(group: Group, part: Part) -> Iterator[str]:
    """Yield the caps or sinks that were found, and in how many heads where not in all."""
    every = [test.estimates.get(part) for test in group.tests]
    known = (each.at(SHOWN).value for each in every if each is not None)
    values = sorted(each for each in known if each is not None)
    if values:
        ends = dict.fromkeys(general(fitted_logit(v), 3) for v in (values[0], values[-1]))
        begin = f"{WORDS[part]} {'b = ' if part == 'sink' else ''}"
        few = len(values) < len(every)
        some = f" in {len(values):,} of {len(every):,} heads" if few else ""
        yield f"{begin}{' to '.join(ends)}{some}"


def _scales(group: Group) -> Iterator[str]:
    """Yield the value scales that were found, where they are not 1."""
    values = sorted(test.model.value_scale for test in group.tests if "value_scale" in test.changes)
    if values:
        ends = dict.fromkeys(general(value, 3) for value in (values[0], values[-1]))
        some = f" in {len(values):,} of {len(group.tests):,} heads"
        some = some if len(values) < len(group.tests) else ""
        or_sink = " or a sink" if "sink" in group.test.unknown else ""
        yield f"value scale {' to '.join(ends)}{or_sink}{some}"


def _mask(group: Group) -> Iterator[str]:
    """Yield masks, of models that explain heads equally well each."""
    counts: Counter[str] = Counter()
    for each in group.findings:
        texts = dict.fromkeys(mask_text(test) for test in each.known.best)
        counts[" or ".join(texts)] += 1
    for text, count in counts.most_common(_FEW):
        some = f" in {count:,} of {counts.total():,} heads" if len(counts) > 1 else ""
        yield f"mask {text}{some}"
    if len(counts) > _FEW:
        yield f"{len(counts) - _FEW:,} more masks"


def _usual(group: Group) -> str:
    """Return m where nothing is expected, beside the usual 1/√d_k.

    Such as ``m = 1/16, a quarter of the usual 1/√d_k: the scale twice?``
    """
    finding, test = group.first, group.test
    if len({round(each.model.multiplier, 3) for each in group.tests}) > _FEW:
        return _multiplier(group)
    if "multiplier" not in test.changes:
        return _multiplier(group)
    usual = finding.shape.d_k**-0.5
    m = test.model.multiplier
    miss = finding.misses[0] if finding.misses else None
    form = miss.form if miss and miss.form else rule_text(finding.names) or general(m, 4)
    value = f"{general(m, 4)} = {form}" if form != general(m, 4) else form
    meaning = f": {miss.meaning}?" if miss else ""
    return f"m = {value}, {ratio_text(m / usual)} the usual 1/√d_k{meaning}"


def ratio_text(ratio: float) -> str:
    """Return a ratio in words.

    >>> ratio_text(2.0001), ratio_text(0.25), ratio_text(0.667)
    ('twice', 'a quarter of', '0.667 times')
    """
    named = {2.0: "twice", 4.0: "four times", 0.5: "half of", 0.25: "a quarter of"}
    for value, text in named.items():
        if abs(ratio / value - 1.0) < 2e-3:
            return text
    return f"{general(ratio, 3)} times"


def _multiplier(group: Group) -> str:
    """Return m of heads from the least to the largest, and its name.

    Such as ``m = 0.1249 to 0.1251 = 1/√d_k (d_k = 64)``.
    """
    finding = group.first
    known = [(each, test) for each, test in zip(group.findings, group.tests, strict=True)]
    told = [test for each, test in known if "multiplier" in test.estimates] or [group.test]
    layers = {each.expected.multiplier if each.expected else None for each in group.findings}
    if len(layers) > 1:
        last = group.findings[-1]
        first_text = _one(finding, [group.test])
        return (
            f"{first_text} in layer {finding.id.layer}, "
            f"{_one(last, [group.tests[-1]])} in layer {last.id.layer}"
        )
    return _one(finding, told)


def _one(finding: Finding, tests: Sequence[Test]) -> str:
    ordered = sorted(tests, key=lambda test: test.model.multiplier)
    ends = [ordered[0], ordered[-1]]
    texts = [found_texts(test)["multiplier"].partition(" (")[0] for test in ends]
    if all(text.replace(".", "", 1).isdecimal() and "." in text for text in texts):
        places = min(len(text.partition(".")[2]) for text in texts)
        texts = [f"{float(text):.{places}f}" for text in texts]
    text = " to ".join(dict.fromkeys(texts))
    rule = rule_text(finding.names)
    named = f" = {rule}" if rule and rule != text else ""
    size = f" (d_k = {finding.shape.d_k})" if "d_k" in rule else ""
    return f"m = {text}{named}{size}"


def range_text(group: Group) -> str:
    """Return the least and the largest m of heads, with digits in which they differ."""
    known = [test.model.multiplier for test in group.tests]
    ends = ([general(each, digits) for each in (min(known), max(known))] for digits in (3, 4, 6, 9))
    return next((f"{low} to {high}" for low, high in ends if low != high), general(known[0], 9))


def _where(group: Group) -> str:
    """Return in which layer heads are whose multiplier is said, unless all have the same."""
    layers = {each.id.layer for each in group.findings}
    ratios = []
    for each, test in zip(group.findings, group.tests, strict=True):
        meant = each.expected.multiplier if each.expected else None
        ratios.append(test.model.multiplier / (meant or 1.0))
    is_one = max(ratios) < 1.02 * min(ratios) if min(ratios) > 0 else False
    return f" of layer {group.first.id.layer}" if len(layers) > 1 and not is_one else ""


def _difference(group: Group, part: Part, where: str) -> str:
    finding, test = group.first, group.test
    expected = expected_texts(finding)
    if part == "kv_head":
        head, own = finding.id.head, finding.shape.kv_head
        meant = "expected h // (n_heads / n_kv)"
        return f"head {head} has KV head {own}, h mod n_kv, {meant}: tiled, not repeated?"
    if part == "multiplier":
        return near_miss(finding, test, where) + f", expected {expected.get(part, '1/√d_k')}"
    if part == "softmax_twice":
        again = "softmax is taken of the weights again, softmax(softmax(m·q·k))·V"
        return f"{again}, expected once (as in llama3 155)"
    if part == "law":
        if test.model.law is None:
            return "m is the same for all positions"
        return f"m grows as {law_text(test.model.law)}: does q carry it already?"
    if part == "value_scale" and "sink" in test.unknown:
        beside = " with the captured sink" if finding.expected and _has_sink(finding) else ""
        beside = beside or " without a sink"
        value = general(test.model.value_scale, 3)
        return f"value scale {value}{beside}, expected {expected.get(part, '1')}"
    found = found_texts(test)[part]
    if part == "mask":
        return _mask_difference(group, expected.get(part, "causal"))
    if part == "sink" and len(group.findings) > 1 and "none" not in found:
        found = "b = " + general(test.model.sink if isinstance(test.model.sink, float) else 0.0, 4)
        found += f" in {places_of(group.findings[:1])}"
    return (
        f"{WORDS[part]} {found}, expected {expected.get(part, 'none')}{_hint(finding, test, part)}"
    )


def _has_sink(finding: Finding) -> bool:
    return isinstance(finding.known.expected.model.sink, float)


def _mask_difference(group: Group, expected: str) -> str:
    """Return which masks are there, and where, if they are not the same in all heads."""
    parts: dict[str, list[Finding]] = {}
    for each, test in zip(group.findings, group.tests, strict=True):
        meant = expected_texts(each).get("mask", expected)
        ignored = "the captured mask is not applied: " if meant == "the captured one" else ""
        found = mask_text(test)
        if meant.startswith("causal, query 0 at") and found == "causal":
            found = "causal, query 0 at key 0"
        text = f"{ignored}mask {found}, expected {meant}{_hint(each, test, 'mask')}"
        parts.setdefault(text, []).append(each)
    if len(parts) == 1:
        return next(iter(parts))
    texts = [f"{text} in {places_of(of)}" for text, of in parts.items()]
    more = [f"{len(texts) - _FEW:,} more masks"] if len(texts) > _FEW else []
    return "; ".join([*texts[:_FEW], *more])


def _hint(finding: Finding, test: Test, part: Part) -> str:
    """Return what another number than the expected one usually means, or nothing."""
    expected = finding.known.expected.model
    if part == "softcap" and test.model.softcap is None:
        return ": dropped? (as in sglang 33915)"
    if part == "sink" and test.model.sink is None:
        return ": dropped? (as in transformers 42736)"
    if part == "value_scale":
        ratios = {0.5**0.5: "a scale of v too many", 2.0**0.5: "a scale of v dropped"}
        base = finding.expected.value_scale if finding.expected else None
        for ratio, meaning in ratios.items():
            if abs(test.model.value_scale / (base or 1.0) - ratio) < 2e-3 * ratio:
                return f": {meaning}? (as in Megatron-Bridge 4155)"
    if part == "mask":
        mask = test.model.mask
        if mask.kind == "causal" and mask.offset == 0 and expected.mask.offset:
            return ": aligned at the top left, as is_causal does?"
        if mask.kind == "none" and not mask.hidden and expected.mask.kind != "given":
            return ": was no mask given to the function that computed it?"
        lengths = (mask.window, finding.expected.window if finding.expected else None)
        if None not in lengths and abs((lengths[0] or 0) - (lengths[1] or 0)) == 1:
            return ": is the query's own key counted?"
    return ""


def near_miss(finding: Finding, test: Test, where: str = "") -> str:
    """Return a multiplier beside the expected one, and what it may be.

    Such as ``m = 0.667/√256 = 1/√576: the absorbed MLA dimension?``
    """
    value = test.model.multiplier
    expected = finding.expected
    meant = expected.multiplier if expected and expected.multiplier else finding.shape.d_k**-0.5
    plain = beside(value, meant, expected.form if expected else "")
    text = f"m{where} = {plain}"
    if finding.misses:
        miss = finding.misses[0]
        form = f" = {miss.form}" if miss.form and miss.form != plain else ""
        thread = f" (as in {miss.thread})" if miss.thread else ""
        return f"{text}{form}: {miss.meaning}?{thread}"
    rule = rule_text(finding.names)
    return text + (f" = {rule}" if rule else "")


def _evidence(report: Report, every: Sequence[Group]) -> str:
    main = every[0]
    finding, test = main.first, main.test
    known = finding.known
    done = len(report.findings)
    of = f"{len(main.findings):,} of {counted(done, 'head')}"
    notes = [*_place(report, main), *others(every)]
    if notes:
        of += f" ({'; '.join(notes)})"
    if done < report.total:
        left = f"{report.total - done:,}"
        of += (
            f", stopped before the other {left}" if report.interrupted else f" so far, {left} left"
        )
    if known.used and report.settings.rows < finding.shape.n_queries:
        of += f", {report.settings.rows:,} of {finding.shape.n_queries:,} rows of each"
    if report.part:
        of += f", captured: {report.part}"
    source = f"; {report.expectation.source}" if report.expectation else ""
    residual = ""
    if known.used:
        size = test.residual if test.explains else known.residual
        path = test.path if test.explains else None
        alone = test.rounding.get(path) if path else None
        rounding = f" ({ROUNDED[path]} rounding alone: {quantity(alone)})" if path and alone else ""
        residual = f"residual {quantity(size)}{rounding}; "
    return f"{residual}{of}{_silent(report)}{source}"


def _silent(report: Report) -> str:
    """Return which layers would not have told something that is needed, or nothing."""
    parts: dict[Part, list[int]] = {}
    for layer, part in report.silent:
        parts.setdefault(part, []).append(layer)
    texts = []
    for part, layers in parts.items():
        plural = "s" if len(layers) > 1 else ""
        texts.append(f"another {WORDS[part]} would not show in layer{plural} {ranges(layers, 8)}")
    return "".join(f"; {text}" for text in texts)


def _place(report: Report, group: Group) -> Iterator[str]:
    """Yield where heads are that are not all, if it is one head or whole layers."""
    if len(group.findings) < len(report.findings):
        layers = sorted({each.id.layer for each in group.findings})
        if len(group.findings) == 1:
            yield group.places
        elif len(group.findings) == sum(each.id.layer in layers for each in report.findings):
            plural = "s" if len(layers) > 1 else ""
            yield f"all of layer{plural} {ranges(layers, 8)}"


def others(every: Sequence[Group]) -> Iterator[str]:
    """Yield what is said of other heads than those of the first group: ``2 cannot tell``."""
    told = ("differs", "cannot tell", "no expectation")
    rest = [group for group in every[1:] if group.verdict in told]
    for group in rest[:_FEW] if len(rest) <= _FEW else []:
        yield f"{group.places}: {said(group)}"
    counts: Counter[Verdict] = Counter()
    for group in every[1:]:
        if len(rest) > _FEW or group not in rest:
            counts[group.verdict] += len(group.findings)
    for verdict, count in counts.items():
        words = "fits" if verdict == "no expectation" else verdict
        yield f"{count:,} {words if count == 1 else PLURALS.get(words, words)}"


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
        for note in each.notes:
            notes.setdefault(note, []).append(each)
    yield from report.notes
    for note, noted in notes.items():
        few = len(noted) < len(report.findings)
        yield f"{places_of(noted)}: {note}" if few else note
