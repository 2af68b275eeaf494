"""What usually leads to a part that is not as promised."""

from attn_tui.compute.fit.model import SHOWN, Candidate
from attn_tui.compute.heads.head_model import Part
from attn_tui.compute.heads.mask import HeadMask, upper_triangle
from attn_tui.doctor.call import UPPER, slope_cause, slope_mistakes
from attn_tui.doctor.difference import Difference
from attn_tui.doctor.finding import Finding
from attn_tui.doctor.words import promised_value, value_of

IGNORED = "the captured mask is not applied"
INVERTED = "each query sees the keys that it should not"
PADDING_IGNORED = "the padding of the captured mask is not applied"
BLOCKS = (128, 64, 32, 16)
"""How many keys kernels look at together."""
VALUE_SCALES = {0.5**0.5: "a scale of v too many", 2.0**0.5: "a scale of v dropped"}
"""The usual causes of a value scale, by its ratio to the promised one."""


def cause_of(finding: Finding, part: Part, candidate: Candidate) -> str:
    """Return what usually leads to a candidate that differs in a part, or an empty text."""
    if part == "multiplier":
        return _of_multiplier(finding)
    if part == "mask":
        return _of_mask(finding, candidate)
    if part == "kv_head":
        return _of_kv_head(finding)
    if part == "softmax_twice":
        return "softmax is taken of the weights again (as in llama3 155)"
    if part == "law":
        return "does q carry it already?"
    if part == "softcap" and candidate.model.softcap is None:
        return "dropped? (as in sglang 33915)"
    if part == "sink" and candidate.model.sink is None:
        return "dropped? (as in transformers 42736)"
    if part == "value_scale":
        return _of_value_scale(finding, candidate)
    if part == "bias":
        return _of_bias(finding, candidate)
    return ""


def _of_multiplier(finding: Finding) -> str:
    """Return the mistake that a multiplier usually comes from."""
    if not finding.misses:
        return ""
    miss = finding.misses[0]
    thread = f" (as in {miss.thread})" if miss.thread else ""
    return f"{miss.meaning}?{thread}"


def _of_value_scale(finding: Finding, candidate: Candidate) -> str:
    """Return what scales values by a usual factor."""
    ratio = candidate.model.value_scale / finding.comparable.model.value_scale
    for usual, meaning in VALUE_SCALES.items():
        if abs(ratio / usual - 1.0) < 2e-3:
            return f"{meaning}? (as in Megatron-Bridge 4155)"
    if abs(ratio * finding.shape.d_k**0.5 - 1.0) < 2e-3:
        return "the scale stands after the softmax?"
    return ""


def _of_bias(finding: Finding, candidate: Candidate) -> str:
    """Return how slopes are related."""
    promised, observed = promised_value(finding, "bias"), value_of(candidate, "bias")
    if isinstance(promised, float) and isinstance(observed, float):
        mistakes = slope_mistakes(finding.promise, finding.number, finding.shape.d_k)
        return slope_cause(observed, promised, mistakes)
    return "was the bias dropped?" if observed == "none" else ""


def _of_kv_head(finding: Finding) -> str:
    """Return how heads are given KV heads, if not as promised."""
    reading = finding.reading
    if reading is None or reading.kv_mapping == "interleaved":
        return "h mod n_kv, promised h // (n_heads / n_kv): tiled, not repeated?"
    return "in another order?"


def _of_mask(finding: Finding, candidate: Candidate) -> str:
    """Return what usually leads to a mask in place of another."""
    mask, promised = candidate.model.mask, finding.comparable.model.mask
    if mask == upper_triangle(promised):
        return UPPER
    if mask.inverted:
        return INVERTED
    if promised.kind == "given":
        return IGNORED
    dropped = _dropped_block(mask, finding.shape.n_keys)
    if dropped and promised.hidden is None:
        return dropped
    is_as_promised = "mask" not in finding.comparable.stated or mask.kind == promised.kind
    if promised.hidden and not mask.hidden and is_as_promised:
        return PADDING_IGNORED
    is_first = mask.kind == "causal" and mask.offset == 0 and not mask.window
    if is_first and promised.by_position and promised.offset:
        return "aligned at the top left, as is_causal does?"
    if mask.kind == "none" and not mask.hidden:
        return "was no mask given to the function that computed it?"
    if mask.kind == "causal" and promised.kind == "window" and mask.window is None:
        return "was the window dropped?"
    if mask.kind == "local" and promised.kind == "window":
        return "is it the window without causal, to both sides?"
    if mask.window and promised.window and abs(mask.window - promised.window) == 1:
        return "is the query's own key counted?"
    if mask.kind == promised.kind and mask.offset is not None and promised.offset is not None:
        by = mask.offset - promised.offset
        if by == 1:
            return "each query sees one key ahead"
        if by == -1:
            return "the query's own key is hidden"
    return ""


def _dropped_block(mask: HeadMask, n_keys: int) -> str:
    """Return that keys after the last whole block are hidden, or an empty text."""
    if mask.hidden is None or mask.hidden[1] != n_keys - 1:
        return ""
    first = mask.hidden[0]
    for block in BLOCKS:
        if first and first % block == 0 and n_keys - first < block:
            return f"the last block is dropped, where n is no multiple of {block}?"
    return ""


def difference_of(finding: Finding, candidate: Candidate, part: Part) -> Difference:
    """Return the difference in a part between a candidate and the promise."""
    promised, observed = promised_value(finding, part), value_of(candidate, part)
    low = high = None
    estimate = candidate.estimates.get(part)
    if estimate is not None:
        interval = estimate.at(SHOWN)
        low, high = interval.low, interval.high
    cause = candidate.cause or cause_of(finding, part, candidate)
    return Difference(part, promised, observed, low, high, cause)
