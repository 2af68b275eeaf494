"""What was found of a head, and what was expected, each number in words."""

from collections.abc import Iterable, Iterator, Mapping
from math import ceil, floor, isfinite, log10

from attn_tui.compute.counted import counted
from attn_tui.compute.fit.diagnosis import Diagnosis, Estimate, Interval, Path, Suspect
from attn_tui.compute.scale import as_root
from attn_tui.doctor.verdict import SHOWN
from attn_tui.files.models.expected import LEARNED, NONE, Expected
from attn_tui.report.masks import keys_text, packed_text
from attn_tui.report.numbers import fitted_logit, general

WORDS = {
    "multiplier": "m",
    "value_scale": "value scale",
    "softcap": "soft cap",
    "sink": "sink",
    "mask": "mask",
    "query_offset": "where query 0 should stand",
    "window": "window",
    "temperature": "temperature",
    "kv_head": "KV head",
    "rows": "all rows",
}
"""What each number is called."""

BY_ROW = "another for each row, from "
"""How an m begins that is not one number."""

ROUNDED: Mapping[Path, str] = {
    "float32": "float32",
    "flash": "flash",
    "eager": "eager",
    "tf32": "TF32",
}
"""What each path of rounding is called."""

_RULES = {
    "inverse-sqrt": "1/√d_k",
    "none": "1",
    "inverse": "1/d_k",
    "sqrt": "√d_k",
    "inverse-fourth-root": "1/⁴√d_k",
    "yarn": "YaRN's μ²/√d_k",
    "log-length": "ln n/(ln 512·√d_k)",
}


def interval_text(found: Interval, *, between: bool = True) -> str:
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
    value_text, low_text, high_text = (
        general(float(f"{each:.{decimals}f}"), 17) if decimals == 0 else _signed(each, decimals)
        for each in (value, low, high)
    )
    return f"{value_text} ({low_text} to {high_text})" if between else value_text


def _signed(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")


def multiplier_text(found: Diagnosis) -> str:
    """Return what is known of m."""
    if found.temperature is not None and found.temperature.kind == "by row":
        values = [each.at(SHOWN).value for _, each in found.temperature.rows]
        known = [value for value in values if value is not None]
        if not known:
            return "another for each row"
        return f"{BY_ROW}{general(min(known), 4)} to {general(max(known), 4)}"
    return "unknown" if found.multiplier is None else interval_text(found.multiplier.at(SHOWN))


def cap_text(found: Estimate | None) -> str:
    """Return what is known of a soft cap: one that is larger does less."""
    return "unknown" if found is None else _or_none(found.at(SHOWN), False, "above", "at least")


def sink_text(found: Estimate | None) -> str:
    """Return what is known of a sink: one with a smaller b does less."""
    return "unknown" if found is None else _or_none(found.at(SHOWN), True, "b below", "at most")


def _or_none(at: Interval, less_is_none: bool, beyond: str, no_more: str) -> str:
    """Return a number that may be none, of which the end towards none is open then."""
    open_end, bound = (at.low, at.high) if less_is_none else (at.high, at.low)
    name = "b = " * less_is_none
    if at.value is None:
        return "none" if bound is None else f"none, or {beyond} {general(bound, 3)}"
    if less_is_none and not fitted_logit(at.value):
        return f"{name}0"
    if open_end is None:
        limit = "" if bound is None else f", {general(bound, 3)} {no_more}"
        return f"{name}{general(at.value, 4)}{limit}, or none"
    return name + interval_text(at)


def narrow_texts(found: Diagnosis) -> dict[str, str]:
    """Return what was found with how sure that is, by name, where there is little room."""
    numbers = {"multiplier": found.multiplier, "value_scale": found.value_scale}
    texts = {name: about_text(each.at(SHOWN)) for name, each in numbers.items() if each is not None}
    if found.stretch is not None and found.scale is not None:
        beside = "with sink" if found.stretch.with_sink else "no sink"
        texts["value_scale"] = f"{general(found.scale.at(SHOWN).value or 0.0, 3)}, {beside}"
    if found.softcap is not None:
        texts["softcap"] = _narrow(found.softcap.at(SHOWN), less_is_none=False)
    if found.sink is not None:
        texts["sink"] = _narrow(found.sink.at(SHOWN), less_is_none=True)
    return texts


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


def _narrow(at: Interval, less_is_none: bool) -> str:
    open_end, bound = (at.low, at.high) if less_is_none else (at.high, at.low)
    if at.value is not None and open_end is not None:
        return about_text(at)
    end = "" if bound is None else general(bound, 3)
    if at.value is None:
        return f"none or {'<' if less_is_none else '>'}{end}" if end else "none"
    limit = f"{'≤' if less_is_none else '≥'}{end}" if end else general(at.value, 3)
    return f"{limit} or none"


def mask_text(found: Diagnosis, placed: bool = False) -> str:
    """Return which keys are seen, and by where query 0 stands if that was found."""
    mask = found.mask
    if mask is None:
        return "causal or none" if found.sees_all else "unknown"
    if mask.kind == "given":
        return "the captured one"
    shown = mask.by_position and mask.offset is not None and (placed or mask.offset)
    offset = f", query 0 at key {mask.offset:,}" if shown else ""
    if mask.hidden:
        offset += f", {keys_text(mask.hidden)} hidden"
    if mask.packed:
        offset += f", {packed_text(mask)}"
    if mask.kind == "window":
        window = found.window.at(SHOWN) if found.window is not None else None
        length = f"window of {counted(mask.window, 'key')}" if mask.window is not None else "window"
        if window is not None and window.low is not None and window.high is not None:
            least, most = round(window.low), round(window.high)
            length += f" ({least:,} to {most:,})" if least < most else ""
        return length + offset
    return mask.kind + offset


def found_texts(found: Diagnosis, placed: bool = False) -> dict[str, str]:
    """Return what was found, by name; where query 0 stands, if that was found too."""
    return {
        "multiplier": multiplier_text(found),
        "value_scale": _scale_text(found),
        "softcap": cap_text(found.softcap),
        "sink": sink_text(found.sink),
        "mask": mask_text(found, placed),
    }


def _scale_text(found: Diagnosis) -> str:
    """Return what is known of the value scale: where a sink does the same, what it is beside it."""
    if found.scale is None:
        return "unknown"
    text = interval_text(found.scale.at(SHOWN), between=found.stretch is None)
    if found.stretch is None:
        return text
    return text + (" with the captured sink" if found.stretch.with_sink else " without a sink")


def expected_texts(expected: Expected | None) -> dict[str, str]:
    """Return what was expected of a head, by name; what is not said is empty."""
    if expected is None:
        return {}
    m, cap, sink = expected.multiplier, expected.softcap, expected.sink
    texts: dict[str, str] = {}
    if m is not None:
        root = expected.form or as_root(m)
        texts["multiplier"] = general(m) + (f" = {root}" if root else "")
    if expected.value_scale is not None:
        texts["value_scale"] = general(expected.value_scale)
    if cap is not None:
        texts["softcap"] = "none" if cap == NONE else general(float(cap))
    if sink is not None:
        learned = "a learned one" if sink == LEARNED else ""
        texts["sink"] = learned or ("none" if sink == NONE else f"b = {general(float(sink))}")
    if expected.mask is not None:
        window = (
            f"window of {counted(expected.window, 'key')}" if expected.window is not None else ""
        )
        texts["mask"] = window if expected.mask == "window" and window else expected.mask
        if expected.offset is not None and expected.mask != "none":
            texts["mask"] += f", query 0 at key {expected.offset:,}"
    return texts


def suspect_text(tested: Suspect) -> str:
    """Return what was tested where nothing fits, and what came of it.

    >>> suspect_text(Suspect("softmax twice", "no", "the output does not fit it", 0.25))
    'softmax twice: no, the output does not fit it; 25 % of the output is left'
    """
    text = f"{tested.name}: {tested.verdict}, {tested.found}"
    if tested.left is None:
        return text
    share = 100.0 * tested.left
    left = f"{share:.0f} %" if share > 10.0 else f"{share:.2g} %"
    return f"{text}; {left} of the output is left"


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


def joined(parts: Iterable[str]) -> str:
    """Return things one after the other: ``m, sink and mask``."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
