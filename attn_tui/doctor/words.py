"""The numbers that were observed of a head, and the promised ones, in words."""

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite

from attn_tui.compute.fit.estimates import Estimate, Interval
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.model import SHOWN, Candidate
from attn_tui.compute.heads.head_model import (
    LEARNED,
    SCALARS,
    Alibi,
    HeadModel,
    Part,
    PositionLaw,
    fitted_logit,
)
from attn_tui.compute.heads.mask import HeadMask, upper_triangle
from attn_tui.compute.numbers import brief_general, general, with_interval
from attn_tui.compute.scale import as_root
from attn_tui.doctor.difference import STORED
from attn_tui.doctor.finding import Finding, assumption_of
from attn_tui.files.models.promise import NONE
from attn_tui.report.masks import keys_text, mask_name, packed_text, texts_text

WORDS: Mapping[str, str] = {
    "multiplier": "m",
    "value_scale": "value scale",
    "softcap": "soft cap",
    "sink": "sink",
    "mask": "mask",
    "bias": "bias",
    "law": "m by position",
    "softmax_twice": "softmax",
    "kv_head": "KV head",
    "output": "output",
}
"""The name of each part."""

NUMBERS: tuple[Part, ...] = ("multiplier", "value_scale", "softcap", "sink", "mask", "bias")
"""The parts that have a line of their own."""

ROUNDED: Mapping[Path, str] = {
    "float32": "float32", "flash": "flash", "eager": "eager", "stepwise": "stepwise",
    "scaled": "scaled", "tf32": "TF32",
}  # fmt: skip
"""The name of each rounding path."""

FEW = 3
"""The most things to name one by one."""

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
    """Return a number with as many digits as its interval justifies, and the interval if known."""
    value, low, high = interval.value, interval.low, interval.high
    if value is None:
        return "unknown"
    if low is None or high is None or not (isfinite(low) and isfinite(high)):
        return general(value, 4)
    return with_interval(value, low, high)


def observed_texts(candidate: Candidate) -> dict[Part, str]:
    """Return the numbers of a candidate, by part."""
    estimates = candidate.estimates
    texts: dict[Part, str] = {
        part: interval_text(estimates[part].at(SHOWN)) if part in estimates else "unknown"
        for part in ("multiplier", "value_scale")
    }
    if candidate.model.multiplier == 0.0:
        texts["multiplier"] = "0"
    if candidate.model.law is not None:
        texts["multiplier"] += f" × {law_text(candidate.model.law)}"
    if not candidate.model.softmax_twice:
        # A fit with a second softmax looks for neither.
        texts["softcap"] = _cap_text(estimates.get("softcap"))
        texts["sink"] = _sink_text(estimates.get("sink"))
    texts["mask"] = mask_text(candidate)
    if candidate.model.bias is not None or "bias" in candidate.changes:
        texts["bias"] = bias_text(candidate.model.bias)
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


def bias_text(bias: object) -> str:
    """Return a bias in words."""
    if isinstance(bias, Alibi):
        return f"slope {general(bias.slope * bias.factor, 4)}"
    return "a learned one" if bias == LEARNED else "none"


def law_text(law: PositionLaw) -> str:
    """Return how m grows with the position i, in words."""
    if law.name == "log n":
        return "ln(i + 1)"
    if law.name == "llama 4":
        return f"Llama 4's 1 + {general(law.scale)}·ln(⌊(i + 1)/{general(law.length)}⌋ + 1)"
    return f"Grok's ln i/ln {general(law.length)}"


def mask_text(candidate: Candidate) -> str:
    """Return the mask of a candidate, with the range of windows that fit equally well."""
    mask = candidate.model.mask
    length = None
    if candidate.window is not None and candidate.window[0] < candidate.window[1]:
        length = f" ({candidate.window[0]:,} to {candidate.window[1]:,})"
    text = rule_mask_text(mask, length or "")
    if candidate.sees_all and mask.kind == "causal" and not (mask.packed or mask.chunk):
        return "causal or none"
    return text


def rule_mask_text(mask: HeadMask, length: str = "") -> str:
    """Return a mask in words: ``window of 32 keys, query 0 at key 8``."""
    if mask.inverted:
        return "the upper triangle" if mask == upper_triangle(HeadMask()) else "inverted"
    text = _MASKS.get(mask.kind) or mask_name(mask, length)
    if mask.hidden:
        text += f", {keys_text(mask.hidden)} hidden"
    if mask.packed:
        text += f", {texts_text(mask)}"
    if mask.prefix:
        text += f", {keys_text((0, mask.prefix - 1))} seen by all"
    return text


def assumed_text(finding: Finding) -> str:
    """Return the assumption about a sequence in words, or an empty text."""
    assumes, batch = finding.judgement.assumes, finding.id.batch
    if assumes is None:
        return ""
    suspect = finding.explanation.suspect
    if assumes in STORED and suspect is not None:
        return suspect.name.replace(" stored", " are stored")
    candidate = finding.explanation.candidate
    mask = candidate.model.mask
    if assumption_of(candidate, finding.comparable) is None:
        return ""
    if mask.hidden:
        are = "is" if mask.hidden[0] == mask.hidden[1] else "are"
        return f"{keys_text(mask.hidden)} of sequence {batch} {are} padding"
    if mask.packed:
        return f"sequence {batch} is {packed_text(mask)}"
    keys = keys_text((0, mask.prefix - 1))
    return f"{keys} of sequence {batch} are a prefix that every query sees"


def promised_texts(finding: Finding) -> dict[Part, str]:
    """Return the promised numbers of a head, by part; parts that are not stated are missing."""
    promise, model = finding.promise, finding.comparable.model
    stated = finding.comparable.stated
    texts: dict[Part, str] = {}
    if promise.multiplier is not None:
        texts["multiplier"] = multiplier_text(promise.multiplier, promise.form)
    if promise.value_scale is not None:
        texts["value_scale"] = general(promise.value_scale)
    if promise.softcap is not None:
        texts["softcap"] = "none" if promise.softcap == NONE else general(float(promise.softcap))
    if "sink" in stated or model.sink is not None:
        texts["sink"] = sink_name(model.sink)
    if "mask" in stated:
        texts["mask"] = rule_mask_text(model.mask)
    if "bias" in stated and model.bias is not None:
        texts["bias"] = bias_text(model.bias)
    return texts


def sink_name(sink: float | str | None) -> str:
    """Return a sink in words."""
    if sink is None:
        return "none"
    return "a learned one" if sink == LEARNED else f"b = {general(float(sink))}"


def multiplier_text(m: float, form: str = "") -> str:
    """Return a multiplier with the root that it is: ``0.125 = 1/√64``."""
    root = form or (as_root(m) if m else "")
    return general(m) + (f" = {root}" if root and root != general(m) else "")


def _field(model: HeadModel, part: Part) -> float | str | None:
    """Return a part that is one number of a model."""
    number: float | str | None = getattr(model, part)
    return number


def promised_value(finding: Finding, part: Part) -> float | str | None:
    """Return what is promised of a part: a number, or in words."""
    model = finding.comparable.model
    if part in SCALARS:
        return _field(model, part)
    if part == "kv_head":
        return None if finding.reading is None else finding.reading.kv_head(finding.id.head)
    if part == "bias" and isinstance(model.bias, Alibi):
        return model.bias.slope * model.bias.factor
    if part == "bias" and finding.comparable.has_bias:
        return "the captured one"
    if part == "softmax_twice":
        return "once"
    if part == "law":
        return "none"
    return promised_texts(finding).get(part)


def value_of(candidate: Candidate, part: Part) -> float | str | None:
    """Return what a candidate has in a part: a number, or in words."""
    model = candidate.model
    if part in SCALARS:
        return _field(model, part)
    if part == "kv_head":
        return candidate.kv_head
    if part == "bias" and isinstance(model.bias, Alibi):
        return model.bias.slope * model.bias.factor
    if part == "softmax_twice":
        return "twice"
    if part == "law" and model.law is not None:
        return law_text(model.law)
    return observed_texts(candidate).get(part, "none")


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
    value = brief_general(m)
    yield f"scaling = {value} in transformers"
    if m > 0.0:
        yield f"query_pre_attn_scalar = {brief_general(m**-2.0)} in Gemma"
    yield f"attention_multiplier = {value} in Granite"
    yield f"attention.scale = {value} in GGUF"
