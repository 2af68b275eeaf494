"""What of heads differs from what is expected, in words, and what that usually means."""

from attn_tui.compute.fit.explain import Test
from attn_tui.compute.fit.model import Part
from attn_tui.doctor.names import beside
from attn_tui.doctor.report import Finding
from attn_tui.report.doctor.groups import FEW, Group, places_of
from attn_tui.report.doctor.words import (
    WORDS,
    expected_texts,
    found_texts,
    law_text,
    mask_text,
    rule_text,
)
from attn_tui.report.numbers import general


def differing(group: Group) -> str:
    """Return what differs; of models that explain it equally well, all."""
    finding, test = group.first, group.test
    where = _where(group) if "multiplier" in test.changes else ""
    parts = [_difference(group, part, where) for part in finding.judgement.differs or test.changes]
    if test is not finding.known.test:
        parts = [_difference(group, part, where) for part in test.changes]
    text = "; ".join(parts)
    others = [each for each in finding.known.best if each is not test]
    if others:
        equal = [brief(finding, each) for each in others[:FEW]]
        text += f" (or {', or '.join(dict.fromkeys(equal))}: they fit as well)"
    return text


def brief(finding: Finding, test: Test) -> str:
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


def _difference(group: Group, part: Part, where: str) -> str:
    finding, test = group.first, group.test
    expected = expected_texts(finding)
    if part == "kv_head":
        return _other_kv_head(finding)
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


def _other_kv_head(finding: Finding) -> str:
    """Return of which head keys and values are."""
    head, own, reading = finding.id.head, finding.shape.kv_head, finding.reading
    if reading is None or reading.kv_mapping == "interleaved":
        meant = "expected h // (n_heads / n_kv)"
        return f"head {head} has KV head {own}, h mod n_kv, {meant}: tiled, not repeated?"
    meant = f"expected those of {reading.kv_head(head)}"
    return f"head {head} has the keys and values of KV head {own}, {meant}: in another order?"


def _where(group: Group) -> str:
    """Return in which layer heads are whose multiplier is said, unless all have the same."""
    layers = {each.id.layer for each in group.findings}
    ratios = []
    for each, test in zip(group.findings, group.tests, strict=True):
        meant = each.expected.multiplier if each.expected else None
        ratios.append(test.model.multiplier / (meant or 1.0))
    is_one = max(ratios) < 1.02 * min(ratios) if min(ratios) > 0 else False
    return f" of layer {group.first.id.layer}" if len(layers) > 1 and not is_one else ""


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
    more = [f"{len(texts) - FEW:,} more masks"] if len(texts) > FEW else []
    return "; ".join([*texts[:FEW], *more])


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


def _has_sink(finding: Finding) -> bool:
    return isinstance(finding.known.expected.model.sink, float)


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
