"""The numbers found for a head, and the expected ones, in words."""

from collections.abc import Iterable, Iterator, Mapping
from math import ceil, isfinite, log10

from attn_tui.compute.fit.estimates import Estimate, Interval
from attn_tui.compute.fit.explain import SHOWN, Test
from attn_tui.compute.fit.head import Path
from attn_tui.compute.heads.head_model import LEARNED, Law, Part
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.scale import as_root
from attn_tui.doctor.report import Finding
from attn_tui.doctor.verdict import assumption_of
from attn_tui.files.models.promise import NONE, Promise
from attn_tui.report.masks import keys_text, mask_name, packed_text
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
"""The name of each part."""

NUMBERS: tuple[Part, ...] = ("multiplier", "value_scale", "softcap", "sink", "mask")
"""The parts that have a line of their own."""

ROUNDED: Mapping[Path, str] = {
    "float32": "float32", "flash": "flash", "eager": "eager", "tf32": "TF32"
}  # fmt: skip
"""The name of each rounding path."""

_RULES = {
    "inverse-sqrt": "1/√d_k",
    "none": "1",
    "inverse": "1/d_k",
    "sqrt": "√d_k",
    "inverse-fourth-root": "1/⁴√d_k",
    "yarn": "YaRN's μ²/√d_k",
}


_MASKS = {"given": "the captured one", "none": "none"}


def interval_text(interval: Interval) -> str:
    """Return a number with as many digits as its interval justifies, and the interval.

    >>> interval_text(Interval(0.0416667, 0.0416601, 0.0416733))
    '0.0416667 (0.0416601 to 0.0416733)'
    """
    value, low, high = interval.value, interval.low, interval.high
    if value is None:
        return "unknown"
    if low is None or high is None or not (isfinite(low) and isfinite(high)):
        return general(value, 4)
    if low == high:
        return general(value, 6)
    decimals = min(max(ceil(-log10((high - low) / 2.0)) + 1, 0), 15)
    # Adding 0.0 turns −0 into 0.
    rounded = (round(number, decimals) + 0.0 for number in (value, low, high))
    text, least, most = (f"{number:.{decimals}f}".replace("-", "−") for number in rounded)
    return f"{text} ({least} to {most})"


def found_texts(test: Test) -> dict[Part, str]:
    """Return the numbers found, by part."""
    known = test.estimates
    texts: dict[Part, str] = {
        part: interval_text(known[part].at(SHOWN)) if part in known else "unknown"
        for part in ("multiplier", "value_scale")
    }
    if test.model.law is not None:
        texts["multiplier"] += f" × {law_text(test.model.law)}"
    if not test.model.softmax_twice:
        # A fit with a second softmax looks for neither.
        texts["softcap"] = _cap_text(known.get("softcap"))
        texts["sink"] = _sink_text(known.get("sink"))
    texts["mask"] = mask_text(test)
    return texts


def _cap_text(estimate: Estimate | None) -> str:
    """Return a cap, or that there may be none, which is like a very large cap."""
    if estimate is None:
        return "unknown"
    interval = estimate.at(SHOWN)
    if interval.value is None:
        return "none" if interval.low is None else f"none, or above {general(interval.low, 3)}"
    if interval.high is None:
        return (
            f"{general(interval.value, 4)}, or any above {general(interval.low or 0.0, 3)}, or none"
        )
    return interval_text(interval)


def _sink_text(estimate: Estimate | None) -> str:
    """Return a sink, or that there may be none, which is like a very low logit."""
    if estimate is None:
        return "unknown"
    interval = estimate.at(SHOWN)
    if interval.value is None:
        return "none" if interval.high is None else f"none, or b below {general(interval.high, 3)}"
    if not fitted_logit(interval.value):
        return "b = 0"
    if interval.low is None:
        most = "" if interval.high is None else f", or any below {general(interval.high, 3)}"
        return f"b = {general(interval.value, 4)}{most}, or none"
    return f"b = {interval_text(interval)}"


def law_text(law: Law) -> str:
    """Return how m grows with the position i, in words."""
    if law.name == "log n":
        return "ln(i + 1)"
    if law.name == "llama 4":
        return f"Llama 4's 1 + {general(law.scale)}·ln(⌊(i + 1)/{general(law.length)}⌋ + 1)"
    return f"Grok's ln i/ln {general(law.length)}"


def mask_text(test: Test) -> str:
    """Return the mask of a test, with the range of windows that fit equally well."""
    mask = test.model.mask
    length = None
    if test.window is not None and test.window[0] < test.window[1]:
        length = f" ({test.window[0]:,} to {test.window[1]:,})"
    text = rule_mask_text(mask, length or "")
    if test.sees_all and mask.kind == "causal" and not (mask.packed or mask.chunk):
        text = "causal or none"
    return f"{text}, the captured bias left out" if test.bias_left_out else text


def rule_mask_text(mask: HeadMask, length: str = "") -> str:
    """Return a mask in words: ``window of 32 keys, query 0 at key 8``."""
    text = _MASKS.get(mask.kind) or mask_name(mask, length)
    if mask.hidden:
        text += f", {keys_text(mask.hidden)} hidden"
    if mask.packed:
        text += f", {packed_text(mask)}"
    if mask.prefix:
        text += f", {keys_text((0, mask.prefix - 1))} seen by all"
    return text


def assumed_text(finding: Finding) -> str:
    """Return the assumption about a sequence in words, or an empty text."""
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
    """Return the expected numbers of a head, by part; parts that are not stated are missing."""
    expected = finding.expected or Promise()
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
    if expected.mask is not None or "mask" in finding.shape.has:
        texts["mask"] = rule_mask_text(finding.known.expected.model.mask)
    return texts


def rule_text(names: Iterable[str]) -> str:
    """Return the formula of a named multiplier, such as ``1/√d_k``, or an empty text."""
    for name in names:
        if name.startswith("fixed:a="):
            return "1/√" + name.removeprefix("fixed:a=")
        if name.startswith("per-layer:layer="):
            return f"1/(√d_k·{int(name.removeprefix('per-layer:layer=')) + 1})"
        return _RULES.get(name, name)
    return ""


def dialects(m: float) -> Iterator[str]:
    """Yield the multiplier as the configurations of common programs write it."""
    value = general(m, 4)
    yield f"transformers scaling = {value}"
    if m > 0.0:
        yield f"query_pre_attn_scalar = {general(m**-2.0, 4)} (Gemma)"
    yield f"attention_multiplier = {value} (Granite)"
    yield f"attention.scale = {value} (GGUF)"
