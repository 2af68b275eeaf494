"""The promise of a head completed, and what its call was given beside it.

The arguments of a call (a mask, a bias, a scale) are never part of what is promised: a faulty call
would confirm itself. They complete the promise only with what no configuration can know.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.differences import half_ulp
from attn_tui.compute.fit.noise import coarsest
from attn_tui.compute.heads.head_model import LEARNED, Alibi, HeadModel, Part
from attn_tui.compute.heads.mask import HeadMask, upper_triangle
from attn_tui.compute.heads.rows import HeadRows, Reals
from attn_tui.compute.numbers import general
from attn_tui.compute.text import counted
from attn_tui.doctor.difference import Difference
from attn_tui.doctor.names import Miss
from attn_tui.doctor.padding import Padding, padding_text, placed
from attn_tui.doctor.standing import standing
from attn_tui.files.models.promise import NONE, Promise
from attn_tui.report.masks import mask_name

WEAK = -9_000.0
"""A mask that adds more than this to a logit does not hide the key."""
MOST_OFF = 2.0
"""A captured bias may be this many units of its format off the promised one."""
IS_CAUSAL = "is_causal=True"
"""What a call was given that asks for a causal mask."""
SAME = 1e-6
"""The relative difference of two numbers that a call was given and that are the same."""

SlopeMistake = tuple[Alibi, str]
"""A slope that a mistake makes of the promised one, and the mistake."""


@dataclass(frozen=True, eq=False)
class Comparable:
    """A head and the model that it is to be compared with.

    Attributes:
        model: The promised model, with the usual value in parts that are not stated.
        stated: The parts that are stated.
        has_bias: Whether a captured bias is what is promised.
        differences: How the call differs from the promise.
        completions: What the capture completed the promise with, in phrases.
        obstacle: Why nothing can be told whatever the output, or empty.
        has_mask: Whether a mask was captured, which says what is padding and what is not.
    """

    model: HeadModel
    stated: frozenset[Part]
    has_bias: bool = False
    differences: tuple[Difference, ...] = ()
    completions: tuple[str, ...] = ()
    obstacle: str = ""
    has_mask: bool = False


@dataclass(frozen=True, eq=False)
class PromisedHead:
    """The tensors of a head as they are promised, and as its call was given them.

    Attributes:
        comparable: The model that they are to be compared with.
        rows: The rows, with the mask and the bias that are promised.
        calls: The rows with the mask, the bias or the positions that the call was given, where
            these differ.
    """

    comparable: Comparable
    rows: HeadRows
    calls: tuple[HeadRows, ...] = ()


def promised_head(
    promise: Promise,
    call: Promise,
    rows: HeadRows,
    head: int,
    padding: Padding,
    is_one_row: bool,
    usual: Sequence[Miss] = (),
) -> PromisedHead:
    """Return a head with its promise completed from the capture, and how its call differs.

    Args:
        promise: What is promised of its layer.
        call: The arguments of its call, as far as they were captured.
        rows: The rows, as captured.
        head: The number of the head.
        padding: The padding and packed texts of its sequence.
        is_one_row: Whether its captured mask has one row for all queries.
        usual: The multipliers that common mistakes make of the promised one.
    """
    is_open = promise.sink in (LEARNED, None) or "sink" in promise.unless_captured
    if is_open and rows.sink is not None:
        promise = replace(promise, sink=rows.sink)
    if "bias" in promise.unless_captured and rows.bias is not None and _bends(rows.bias):
        promise = replace(promise, bias=None)
    captured = standing(rows, promise.mask != NONE)
    rows = captured.rows
    model, stated = promise.model(rows, head), promise.stated
    model = replace(model, mask=placed(padding.of(model.mask), rows))
    mask = _mask(promise, model, rows, padding, is_one_row)
    bias = _bias(promise, mask.model, rows, head)
    differences = (*mask.differences, *bias.differences, *_arguments(promise, call, rows, usual))
    if call.multiplier is not None and "multiplier" not in stated:
        mask = replace(mask, model=replace(mask.model, multiplier=call.multiplier))
    model = replace(mask.model, bias=bias.model)
    more: set[Part] = {"mask"} if model.mask.kind == "given" else set()
    if bias.captured is not None and promise.bias is None:
        more.add("bias")
    promised = replace(rows, seen=mask.seen, bias=bias.captured)
    calls = []
    if mask.differences:
        calls.append(replace(promised, seen=rows.seen))
    if bias.differences:
        calls.append(replace(promised, bias=rows.bias))
    if mask.differences and bias.differences:
        calls.append(rows)
    if captured.call is not None:
        calls.append(replace(promised, positions=captured.call.positions))
    comparable = Comparable(
        model, stated | more, bias.captured is not None, differences,
        (*mask.completions, *bias.completions, *captured.completions), mask.obstacle,
        rows.seen is not None,
    )  # fmt: skip
    return PromisedHead(comparable, promised, tuple(calls))


@dataclass(frozen=True, eq=False)
class _Mask:
    """The promised mask.

    Attributes:
        model: The promised model with it.
        seen: The captured mask, if that is what is promised; else None.
        differences: How the captured mask differs.
        completions: What the captured mask completed the promise with.
        obstacle: Why nothing can be told of the mask.
    """

    model: HeadModel
    seen: NDArray[np.bool_] | None = None
    differences: tuple[Difference, ...] = ()
    completions: tuple[str, ...] = ()
    obstacle: str = ""


def _mask(
    promise: Promise, model: HeadModel, rows: HeadRows, padding: Padding, is_one_row: bool
) -> _Mask:
    """Return the promised mask of a head, and how the captured one differs."""
    completions = tuple(_completions(padding, rows))
    captured = rows.seen
    if captured is None:
        return _Mask(model, completions=completions)
    if is_one_row:
        # It states padding; the rest is as promised, or to be found.
        if padding.hidden is None and not captured.all():
            shown = captured & model.mask.seen(rows)
            return _Mask(model, differences=(_other_mask(rows, model, shown),))
        return _Mask(model, completions=completions)
    captured_model = replace(model, mask=HeadMask("given"))
    if promise.mask is None or promise.mask_varies:
        return _Mask(captured_model, captured)
    seen = model.mask.seen(rows)
    kept = _compared(rows, model.mask)
    if np.array_equal(captured[kept], seen[kept]):
        weak = _weak(rows)
        differences = () if weak is None or promise.bias != NONE else (weak,)
        return _Mask(model, differences=differences, completions=completions)
    if rows.n_queries == 1 and promise.mask == "window" and _is_shorter(captured[0], seen[0]):
        obstacle = "the captured mask hides more keys than the window: padding, or another window?"
        return _Mask(captured_model, captured, obstacle=obstacle)
    difference = _weak(rows) or _other_mask(rows, model, captured)
    return _Mask(model, differences=(difference,), completions=completions)


def _is_shorter(captured: NDArray[np.bool_], seen: NDArray[np.bool_]) -> bool:
    """Return whether a query sees a run of the keys that it is promised to see, and not all."""
    shown = np.flatnonzero(captured)
    is_run = len(shown) > 0 and shown[-1] - shown[0] + 1 == len(shown)
    return bool(is_run and not (captured & ~seen).any())


def _compared(rows: HeadRows, mask: HeadMask) -> NDArray[np.bool_]:
    """Return the rows that are not those of padding queries, shape (r,)."""
    if mask.hidden is None or rows.n_queries != rows.n_keys:
        return np.ones(len(rows.rows), bool)
    first, last = mask.hidden
    return np.asarray((rows.rows < first) | (rows.rows > last))


def _completions(padding: Padding, rows: HeadRows) -> Iterator[str]:
    """Yield what a captured mask completed the promise with."""
    if padding.hidden is not None:
        yield padding_text(padding.hidden, rows.n_keys, "mask")
    if padding.packed:
        yield f"{counted(len(padding.packed) + 1, 'text')} packed into one sequence"


def _weak(rows: HeadRows) -> Difference | None:
    """Return that a mask adds too little to hide a key, if what is added has two values."""
    if rows.bias is None:
        return None
    values = np.unique(rows.bias)
    is_mask = len(values) == 2 and values[1] == 0.0 and WEAK < values[0] < 0.0
    if not is_mask:
        return None
    cause = f"it is filled with {general(values[0], 3)}, which hides nothing"
    return Difference("mask", "keys hidden", "hides no key", cause=cause, side="call")


def _other_mask(rows: HeadRows, model: HeadModel, captured: NDArray[np.bool_]) -> Difference:
    """Return how a captured mask differs from the promised one, by its effect."""
    kept = _compared(rows, model.mask)
    seen, captured = model.mask.seen(rows)[kept], captured[kept]
    promised = mask_name(model.mask)
    observed, cause = _described(replace(rows, rows=rows.rows[kept]), model.mask, captured, seen)
    return Difference("mask", promised, observed, cause=cause, side="call")


def _described(
    rows: HeadRows, mask: HeadMask, captured: NDArray[np.bool_], seen: NDArray[np.bool_]
) -> tuple[str, str]:
    """Return a captured mask in words, and what usually leads to it."""
    if captured.all():
        return "hides no key", ""
    if not captured.any():
        return "hides every key", ""
    if np.array_equal(captured, ~seen):
        return "inverted", "it marks the keys to hide"
    if np.array_equal(captured, upper_triangle(mask).seen(rows)):
        return "the upper triangle", UPPER
    if rows.positions is not None:
        rows = replace(rows, positions=rows.positions[: len(rows.rows)])
    longest = int(captured.sum(axis=1).max())
    for other, cause in _similar_masks(rows, mask, longest):
        if np.array_equal(other.seen(rows), captured):
            return mask_name(other), cause
    more, fewer = int((captured & ~seen).sum()), int((seen & ~captured).sum())
    shows = f"shows {counted(more, 'score')} that it should hide"
    if not more:
        return f"hides {counted(fewer, 'score')} that it should show", ""
    return f"{shows}, and hides {counted(fewer, 'other')}" if fewer else shows, ""


UPPER = "triu in place of tril, diagonal kept?"
"""What usually leads to a mask of the keys from the query's own on."""


def _similar_masks(rows: HeadRows, mask: HeadMask, longest: int) -> Iterator[tuple[HeadMask, str]]:
    """Yield masks that are often taken for another, and why."""
    offset = rows.n_keys - rows.n_queries
    plain = replace(mask, kind="causal", window=None, chunk=None)
    if mask.kind != "causal" or mask.chunk:
        dropped = "was the window dropped?" if mask.window else ""
        yield replace(plain, offset=offset), "were the chunks dropped?" if mask.chunk else dropped
    if offset:
        yield replace(mask, offset=0), "aligned at the top left, as is_causal does?"
    for by in (1, -1):
        start = mask.offset or 0
        yield replace(mask, offset=start + by), "one key off"
        if mask.window is not None and mask.window + by > 0:
            yield replace(mask, window=mask.window + by), "is the query's own key counted?"
    if longest:
        yield replace(plain, kind="window", window=longest), ""


@dataclass(frozen=True, eq=False)
class _Bias:
    """The promised bias.

    Attributes:
        model: The rule of the promised bias, or that it is learned, or None.
        captured: A captured bias, if that is what is promised; else None.
        differences: How the captured bias differs.
        completions: What the captured bias completed the promise with.
    """

    model: Alibi | Literal["learned"] | None
    captured: Reals | None = None
    differences: tuple[Difference, ...] = ()
    completions: tuple[str, ...] = ()


def _bias(promise: Promise, model: HeadModel, rows: HeadRows, head: int) -> "_Bias":
    """Return the promised bias of a head, and how the captured one differs."""
    captured = rows.bias if rows.bias is not None and _bends(rows.bias) else None
    if promise.bias == LEARNED:
        # A mask alone adds 0 to what it shows.
        if rows.bias is None or not rows.bias.any():
            return _Bias(LEARNED)
        every = _everywhere(rows.bias, rows, model.mask)
        return _Bias(None, every, completions=("the bias is the captured one",))
    if promise.bias is None:
        return _Bias(None, captured)
    if promise.bias == NONE or not isinstance(model.bias, Alibi):
        if captured is None or _weak(rows) is not None:
            return _Bias(None)
        difference = Difference("bias", "none", "a captured one", side="call")
        return _Bias(None, differences=(difference,))
    if captured is None:
        return _Bias(model.bias)
    bias = model.bias.bias(rows, model.mask)
    seen = model.mask.seen(rows) if rows.seen is None else rows.seen
    # A bias in bfloat16 is often cast up before it is stored, as q, k and v are.
    named = rows.formats.get("bias", rows.formats.get("mask", "float32"))
    unit = half_ulp(1.0, coarsest(captured, named))
    centre = _centre(captured, bias, seen)
    if _agrees(captured, bias + centre, seen, unit):
        if rows.seen is not None:
            # Where a mask hides keys, it is all that was captured; the rule says what is added.
            captured = np.where(seen, captured, bias + centre).astype(captured.dtype)
        return _Bias(None, captured)
    difference = _other_slope(captured, bias, seen, rows, slope_mistakes(promise, head, rows.d_k))
    return _Bias(model.bias, differences=(difference,))


def _everywhere(bias: Reals, rows: HeadRows, mask: HeadMask) -> Reals:
    """Return a bias with numbers for hidden keys, too, where its mask says nothing else.

    In T5's decoder, keys after the query share a bucket with the query's own key.
    """
    if rows.seen is None:
        return bias
    positions = mask.positions(rows)
    has_position = (positions >= 0) & (positions < rows.n_keys)
    positions = np.where(has_position, positions, 0)[:, None]
    shown = np.take_along_axis(rows.seen, positions, 1) & has_position[:, None]
    after = np.arange(rows.n_keys) > positions
    return np.where(after & ~rows.seen & shown, np.take_along_axis(bias, positions, 1), bias)


def _bends(bias: Reals) -> bool:
    """Return whether a bias differs from a constant in some row."""
    return bool((bias != bias[:, :1]).any())


def _centre(captured: Reals, bias: Reals, seen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the constant by which a captured bias exceeds a rule in each row, shape (r, 1)."""
    apart = np.where(seen, captured.astype(np.float64) - bias, np.nan)
    sees = seen.any(axis=1)
    centre = np.zeros((len(seen), 1))
    centre[sees, 0] = np.nanmedian(apart[sees], axis=1)
    return centre


def _agrees(captured: Reals, bias: Reals, seen: NDArray[np.bool_], unit: float) -> bool:
    """Return whether two biases are the same where keys are seen, to the rounding of a format."""
    apart = np.abs(np.where(seen, captured.astype(np.float64) - bias, 0.0))
    size = np.where(seen, np.maximum(np.abs(captured), np.abs(bias)), 0.0)
    room = MOST_OFF * 2 * unit * size.max(axis=1, keepdims=True, initial=0.0) + 1e-6
    return bool((apart <= room).all())


def _other_slope(
    captured: Reals,
    bias: Reals,
    seen: NDArray[np.bool_],
    rows: HeadRows,
    mistakes: Iterable[SlopeMistake],
) -> Difference:
    """Return how a captured bias differs from the promised one: by its slope, if it has one."""
    keys = np.arange(rows.n_keys, dtype=np.float64)
    weight = seen.astype(np.float64)
    count = np.maximum(weight.sum(axis=1, keepdims=True), 1.0)

    def slope(of: Reals) -> float:
        values = np.where(seen, of, 0.0).astype(np.float64)
        centred = (values - values.sum(axis=1, keepdims=True) / count) * weight
        along = (keys - (weight * keys).sum(axis=1, keepdims=True) / count) * weight
        return float((centred * along).sum() / max((along * along).sum(), 1e-300))

    observed, promised = slope(captured), slope(bias)
    cause = slope_cause(observed, promised, mistakes)
    return Difference("bias", promised, observed, cause=cause, side="call")


def slope_mistakes(promise: Promise, head: int, d_k: int) -> Iterator[SlopeMistake]:
    """Yield the slopes that common mistakes make of the promised one of a head."""
    if not isinstance(promise.bias, tuple):
        return
    count = len(promise.bias)
    rule, root = promise.bias[head % count], float(d_k) ** 0.5

    def times(factor: float) -> Alibi:
        return replace(rule, factor=rule.factor * factor)

    yield times(0.0), "no slope: was the bias dropped?"
    yield times(2.0), "the slopes are added twice"
    for by, whose in ((1, "the next head"), (count - 1, "the head before")):
        neighbour = promise.bias[(head + by) % count]
        if neighbour != rule:
            yield neighbour, f"the slope is that of {whose}"
    yield times(0.5), "the slopes are halved"
    yield times(root), "the slopes are √d_k times too large: added after the scale?"
    yield times(1 / root), "the slopes are √d_k times too small: multiplied by the scale?"


def slope_cause(observed: float, promised: float, mistakes: Iterable[SlopeMistake]) -> str:
    """Return which mistake makes a slope of the promised one, or an empty text."""
    for rule, cause in mistakes:
        slope = rule.slope * rule.factor
        if abs(observed - slope) < 0.02 * max(abs(slope), 0.1 * abs(promised)):
            return cause
    return ""


def _is_close(one: float, other: float) -> bool:
    return abs(one - other) <= SAME * abs(other)


def _arguments(
    promise: Promise, call: Promise, rows: HeadRows, usual: Sequence[Miss]
) -> Iterator[Difference]:
    """Yield the numbers that a call was given and that are not the promised ones."""
    m, scale = promise.multiplier, call.multiplier
    if m is not None and scale is not None:
        stored = rows.formats.get("q", "float32")
        if abs(scale - m) > SAME * abs(m) + half_ulp(m, stored):
            cause = next((miss.meaning for miss in usual if _is_close(miss.value, scale)), "")
            yield Difference("multiplier", m, scale, cause=cause, side="call")
    cap, call_cap = promise.softcap, call.softcap
    if cap is not None and call_cap is not None and cap != call_cap:
        yield Difference("softcap", cap, call_cap, side="call")
    if promise.mask == "none" and call.mask == "causal" and rows.n_keys > 1:
        yield Difference("mask", "none", IS_CAUSAL, side="call")
    if promise.sink == NONE and rows.sink is not None:
        yield Difference("sink", None, rows.sink, side="call")
