"""What was found of a head, and what was expected, each number in words."""

from collections.abc import Iterable, Iterator, Mapping
from math import ceil, floor, isfinite, log10

from attn_tui.compute.counted import counted
from attn_tui.compute.fit.estimates import Estimate, Interval
from attn_tui.compute.fit.explain import SHOWN, Test
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.model import LEARNED, Law, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import as_root
from attn_tui.doctor.report import Finding
from attn_tui.doctor.verdict import assumption_of
from attn_tui.files.models.expected import NONE, Expected
from attn_tui.report.masks import keys_text, packed_text
from attn_tui.report.numbers import fitted_logit, general

WORDS: Mapping[str, str] = {
    "multiplier": "m",
    "value_scale": "value scale",
    "softcap": "soft cap",
    "sink": "sink",
    "mask": "mask",
    "law": "m by position",
    "softmax_twice": "softmax",
    "kv_head": "KV head",
}
"""What each part is called."""

NUMBERS: tuple[Part, ...] = ("multiplier", "value_scale", "softcap", "sink", "mask")
"""Parts that have a line of their own."""

ROUNDED: Mapping[Path, str] = {
    "float32": "float32", "flash": "flash", "eager": "eager", "tf32": "TF32"
}  # fmt: skip
"""What each path of rounding is called."""

_RULES = {
    "inverse-sqrt": "1/√d_k",
    "none": "1",
    "inverse": "1/d_k",
    "sqrt": "√d_k",
    "inverse-fourth-root": "1/⁴√d_k",
    "yarn": "YaRN's μ²/√d_k",
}


def interval_text(found: Interval) -> str:
    """Return a number with as many digits as its interval leaves, and the interval.

    >>> interval_text(Interval(0.0416667, 0.0416601, 0.0416733))
    '0.0416667 (0.0416601 to 0.0416733)'
    """
    value, low, high = found.value, found.low, found.high
    if value is None:
        return "unknown"
    if low is None or high is None or not (isfinite(low) and isfinite(high)):
        return general(value, 4)
    if low == high:
        return general(value, 6)
    decimals = min(max(ceil(-log10((high - low) / 2.0)) + 1, 0), 15)
    if decimals > 9 and abs(value) < 1e-3:
        return f"{general(value, 6)} ({general(low, 6)} to {general(high, 6)})"
    texts = [
        general(float(f"{each:.{decimals}f}"), 17) if decimals == 0 else _signed(each, decimals)
        for each in (value, low, high)
    ]
    return f"{texts[0]} ({texts[1]} to {texts[2]})"


def _signed(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")


def about_text(found: Interval) -> str:
    """Return a number, and how far its interval reaches at most, to one digit.

    >>> about_text(Interval(0.1768, 0.17674, 0.17694)), about_text(Interval(50.2, 48.8, 51.7))
    ('0.1768±.0002', '50±2')
    >>> about_text(Interval(0.0416649, 0.0416601, 0.0416703))
    '0.041665±6e-6'
    """
    value, low, high = found.value, found.low, found.high
    if value is None or low is None or high is None or not isfinite(high - low) or low == high:
        return interval_text(found)
    half = max(value - low, high - value)
    decimals = -floor(log10(half))
    units = ceil(half * 10.0**decimals)
    if units == 10:
        units, decimals = 1, decimals - 1
    shown = max(decimals, 0)
    error = f"{units * 10.0**-decimals:.{shown}f}".removeprefix("0")
    if decimals > 4:
        error = f"{units}e-{decimals}"
    return f"{_signed(value, shown)}±{error}"


def found_texts(test: Test, brief: bool = False) -> dict[Part, str]:
    """Return what was found, by part; briefly, with one number for an interval."""
    known = test.estimates
    number = about_text if brief else interval_text
    texts: dict[Part, str] = {
        part: number(known[part].at(SHOWN)) if part in known else "unknown"
        for part in ("multiplier", "value_scale")
    }
    texts["softcap"] = _or_none(known.get("softcap"), False, "above", "at least", brief)
    texts["sink"] = _or_none(known.get("sink"), True, "b below", "at most", brief)
    if test.model.law is not None:
        texts["multiplier"] += f" × {law_text(test.model.law)}"
    texts["mask"] = mask_text(test)
    if test.model.softmax_twice:
        # None of these is looked for there.
        texts = {part: texts[part] for part in ("multiplier", "value_scale", "mask")}
    return texts


def _or_none(
    found: Estimate | None, less_is_none: bool, beyond: str, no_more: str, brief: bool
) -> str:
    """Return a number that may be none, of which the end towards none is open then."""
    if found is None:
        return "unknown"
    at = found.at(SHOWN)
    open_end, bound = (at.low, at.high) if less_is_none else (at.high, at.low)
    name = "b = " if less_is_none else ""
    if at.value is None:
        if bound is None:
            return "none"
        sign = "<" if less_is_none else ">"
        end = general(bound, 3)
        return f"none or {sign}{end}" if brief else f"none, or {beyond} {end}"
    if less_is_none and not fitted_logit(at.value):
        return f"{name}0"
    if open_end is None:
        limit = "" if bound is None else f", {general(bound, 3)} {no_more}"
        return f"{name}{general(at.value, 4)}{limit}, or none"
    return name + (about_text(at) if brief else interval_text(at))


def law_text(law: Law) -> str:
    """Return how m grows with the position i, in words."""
    if law.name == "log n":
        return "ln(i + 1)"
    if law.name == "llama 4":
        return f"Llama 4's 1 + {general(law.scale)}·ln(⌊(i + 1)/{general(law.length)}⌋ + 1)"
    return f"Grok's ln i/ln {general(law.length)}"


def mask_text(test: Test) -> str:
    """Return which keys are seen."""
    mask = test.model.mask
    length = None
    if test.window is not None and test.window[0] < test.window[1]:
        length = f" ({test.window[0]:,} to {test.window[1]:,})"
    text = rule_mask_text(mask, length or "")
    if test.sees_all and mask.kind == "causal" and not (mask.packed or mask.chunk):
        text = "causal or none"
    return f"{text}, the captured bias left out" if test.bias_left_out else text


def rule_mask_text(mask: HeadMask, length: str = "") -> str:
    """Return which keys a mask shows: ``window of 32 keys, query 0 at key 8``."""
    if mask.kind == "given":
        return "the captured one"
    text: str = mask.kind
    if mask.kind == "window" and mask.window is not None:
        text = f"window of {counted(mask.window, 'key')}{length}"
    if mask.kind == "local" and mask.window is not None:
        text = f"{mask.window // 2:,} keys to either side"
    if mask.chunk is not None:
        text += f" in chunks of {counted(mask.chunk, 'key')}"
    if mask.by_position and mask.offset:
        text += f", query 0 at key {mask.offset:,}"
    if mask.hidden:
        text += f", {keys_text(mask.hidden)} hidden"
    if mask.packed:
        text += f", {packed_text(mask)}"
    if mask.prefix:
        text += f", {keys_text((0, mask.prefix - 1))} seen by all"
    return text


def assumed_text(finding: Finding) -> str:
    """Return what has to be assumed of a sequence, in words; empty if nothing."""
    test, batch = finding.known.test, finding.id.batch
    mask = test.model.mask
    if finding.judgement.assumes is None or assumption_of(test) is None:
        return ""
    if mask.hidden:
        are = "is" if mask.hidden[0] == mask.hidden[1] else "are"
        return f"{keys_text(mask.hidden)} of sequence {batch} {are} padding"
    if mask.packed:
        return f"sequence {batch} is {packed_text(mask)}"
    keys = keys_text((0, mask.prefix - 1))
    return f"{keys} of sequence {batch} are a prefix that every query sees"


def expected_texts(finding: Finding) -> dict[Part, str]:
    """Return what was expected of a head, by part; what is not said is missing."""
    expected = finding.expected
    texts: dict[Part, str] = {}
    if expected is not None:
        texts = _expected_numbers(expected)
    if (expected is not None and expected.mask is not None) or "mask" in finding.shape.has:
        texts["mask"] = rule_mask_text(finding.known.expected.model.mask)
    return texts


def _expected_numbers(expected: Expected) -> dict[Part, str]:
    m, cap, sink = expected.multiplier, expected.softcap, expected.sink
    texts: dict[Part, str] = {}
    if m is not None:
        root = expected.form or as_root(m)
        texts["multiplier"] = general(m) + (f" = {root}" if root else "")
    if expected.value_scale is not None:
        texts["value_scale"] = general(expected.value_scale)
    if cap is not None:
        texts["softcap"] = "none" if cap == NONE else general(float(cap))
    if sink is not None:
        named = {LEARNED: "a learned one", NONE: "none"}
        texts["sink"] = named.get(str(sink)) or f"b = {general(float(sink))}"
    return texts


def rule_text(names: Iterable[str]) -> str:
    """Return what a multiplier is called, as a formula: ``1/√d_k``; or nothing."""
    for name in names:
        if name.startswith("fixed:a="):
            return "1/√" + name.removeprefix("fixed:a=")
        if name.startswith("per-layer:layer="):
            return f"1/(√d_k·{int(name.removeprefix('per-layer:layer=')) + 1})"
        return _RULES.get(name, name)
    return ""


def dialects(m: float) -> Iterator[str]:
    """Yield how each of the programs that people use says a multiplier."""
    value = general(m, 4)
    yield f"transformers scaling = {value}"
    if m > 0.0:
        yield f"query_pre_attn_scalar = {general(m**-2.0, 4)} (Gemma)"
    yield f"attention_multiplier = {value} (Granite)"
    yield f"attention.scale = {value} (GGUF)"


def joined(parts: Iterable[str], last_word: str = "and") -> str:
    """Return things one after the other: ``m, sink and mask``."""
    *first, last = parts
    return f"{', '.join(first)} {last_word} {last}" if first else last
