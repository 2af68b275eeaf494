"""Statistics of heads in words: what a sentence calls them, and their numbers as text."""

from collections.abc import Mapping
from math import isnan

from attn_tui.captures.capture import HeadId
from attn_tui.compute.heads.partial import Value
from attn_tui.compute.heads.statistic import STATISTICS
from attn_tui.engine.making import FITS, FoundMask
from attn_tui.engine.plan import Question
from attn_tui.report.headline import percent, rounded
from attn_tui.report.numbers import in_percent, quantity, unusual

SUBJECTS: Mapping[str, str] = {
    "saturated_share": "the share of rows on one key",
    "largest_score": "the largest score",
    "float16_margin": "the room float16 leaves above the largest score",
    "max_logit": "the largest logit",
    "bfloat16_spacing": "the step of bfloat16 at the largest logit",
    "qk_clip": "the factor of QK-clip",
    "entropy": "the entropy",
    "effective_keys": "the effective number of keys",
    "first_key_mass": "the weight of the first key",
    "sink_mass": "the weight of the sink",
    "gradient_norm": "the gradient",
    "dead_gradient_share": "the share of rows with a dead gradient",
    "query_norm": "the length of queries",
    "key_norm": "the length of keys",
    "cosine": "the cosine of queries and keys",
}
"""What a sentence calls each statistic."""

SHARES = {"saturated_share", "first_key_mass", "sink_mass", "dead_gradient_share"}
"""Statistics that are shares."""


def number(name: str, value: float) -> str:
    """Return a value of a statistic as a table has it."""
    if text := unusual(value):
        return "–" if isnan(value) else text
    if name in SHARES:
        return in_percent(value)
    if 1000.0 <= abs(value) < 1e7:
        return f"{value:,.0f}".replace("-", "−")
    return quantity(value)


def said(name: str, value: float) -> str:
    """Return a value of a statistic as a sentence has it, without powers of ten."""
    if text := unusual(value):
        return "not known" if isnan(value) else text
    if name in SHARES:
        return {"almost none": "almost 0", "practically all": "practically 1"}.get(
            percent(value), percent(value)
        )
    sign, size = "−" * (value < 0.0), abs(value)
    if size >= 1e7:
        return sign + "over 10 million"
    if size < 5e-4:
        return "0" if value == 0.0 else "almost 0"
    return sign + (f"{size:,.0f}" if size >= 1000.0 else rounded(size))


def with_error(name: str, value: Value) -> str:
    """Return a value and its standard error: ``4.77 ± 0.03``; ``≥`` of rows that were drawn."""
    text = number(name, value.value)
    if value.error is None and not isnan(value.value):
        return ("≤ " if STATISTICS[name].worst == "small" else "≥ ") + text
    return text if not value.error else f"{text} ± {number(name, value.error)}"


def place(head: HeadId, batches: bool) -> str:
    """Return the name of a head: ``layer 3, head 7``."""
    sequence = f"batch {head.batch}, " if batches else ""
    return f"{sequence}layer {head.layer}, head {head.head}"


def rows_text(question: Question, sizes: set[int]) -> str:
    """Return which rows were looked at, of heads with so many."""
    least, most = min(sizes, default=0), max(sizes, default=0)
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    if question.rows is None or question.rows >= most:
        return f"all {each} of each head"
    return f"{question.rows:,} of {each} of each head, drawn with seed {question.seed}"


def mask_text(found: FoundMask) -> str:
    """Return a mask in words, with how it is known."""
    mask = found.mask
    text = {"none": "no mask", "given": "the captured mask"}.get(mask.kind, mask.kind)
    if mask.window is not None:
        text += f" of {mask.window:,} keys"
    if mask.by_position and mask.offset:
        text += f", query 0 at key {mask.offset:,}"
    known = {"asked": "as asked", "output": "as the output says", "assumed": "assumed"}
    if found.how in known:
        text += f", {known[found.how]}"
    if found.residual is None:
        return text
    miss = percent(found.residual) if found.residual < 1.0 else "all of it"
    if not found.residual < FITS:
        return f"{text}; yet P·V misses the output by {miss}: try attn-tui doctor"
    return f"{text}; P·V misses the output by {miss.replace('almost none', 'almost nothing')}"
