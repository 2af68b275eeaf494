"""What was found of heads, in words: m, and what is there besides."""

from collections import Counter
from collections.abc import Iterator, Sequence

from attn_tui.compute.fit.explain import SHOWN, Test
from attn_tui.compute.fit.model import Part
from attn_tui.doctor.report import Finding
from attn_tui.report.doctor.groups import FEW, Group
from attn_tui.report.doctor.words import WORDS, found_texts, mask_text, rule_text
from attn_tui.report.numbers import fitted_logit, general


def multiplier(group: Group) -> str:
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


def usual(group: Group) -> str:
    """Return m where nothing is expected, beside the usual 1/√d_k.

    Such as ``m = 1/16, a quarter of the usual 1/√d_k: the scale twice?``
    """
    finding, test = group.first, group.test
    if len({round(each.model.multiplier, 3) for each in group.tests}) > FEW:
        return multiplier(group)
    if "multiplier" not in test.changes:
        return multiplier(group)
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


def numbers(group: Group, part: Part) -> Iterator[str]:
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


def value_scales(group: Group) -> Iterator[str]:
    """Yield the value scales that were found, where they are not 1."""
    values = sorted(test.model.value_scale for test in group.tests if "value_scale" in test.changes)
    if values:
        ends = dict.fromkeys(general(value, 3) for value in (values[0], values[-1]))
        some = f" in {len(values):,} of {len(group.tests):,} heads"
        some = some if len(values) < len(group.tests) else ""
        or_sink = " or a sink" if "sink" in group.test.unknown else ""
        yield f"value scale {' to '.join(ends)}{or_sink}{some}"


def masks(group: Group) -> Iterator[str]:
    """Yield masks, of models that explain heads equally well each."""
    counts: Counter[str] = Counter()
    for each in group.findings:
        texts = dict.fromkeys(mask_text(test) for test in each.known.best)
        counts[" or ".join(texts)] += 1
    for text, count in counts.most_common(FEW):
        some = f" in {count:,} of {counts.total():,} heads" if len(counts) > 1 else ""
        yield f"mask {text}{some}"
    if len(counts) > FEW:
        yield f"{len(counts) - FEW:,} more masks"
