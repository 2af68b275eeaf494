"""From the rows of a head to what it was computed with."""

from dataclasses import replace
from math import inf, isfinite, nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.by_row import temperature
from attn_tui.compute.fit.choose import chosen, explains, undecided
from attn_tui.compute.fit.diagnosis import Diagnosis, Estimate, Stretch, Temperature
from attn_tui.compute.fit.errors import numbers as numbers_of
from attn_tui.compute.fit.estimates import Cap, Number, Sink, Whole
from attn_tui.compute.fit.from_scores import from_scores
from attn_tui.compute.fit.from_sums import from_sums
from attn_tui.compute.fit.from_weights import from_weights
from attn_tui.compute.fit.model import compute, rows_of
from attn_tui.compute.fit.noise import TF32, Format, coarsest, format_of
from attn_tui.compute.fit.odd_keys import contradiction, without_odd_keys
from attn_tui.compute.fit.odd_rows import odd_rows
from attn_tui.compute.fit.search import Attempt, search, unwindowed
from attn_tui.compute.fit.solve import refine, relative_residual
from attn_tui.compute.fit.suspects import suspects, twice_in_weights
from attn_tui.compute.fit.usable import taken, unusable, usable, weights_of
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

WIDE = 0.5
"""A multiplier whose 95 % interval reaches so far, as a share of it, is not known."""
MOST_VALUES = 512
"""Numbers of a row of the output that are fitted; time grows with the cube of how many."""
LARGEST = float(np.finfo(np.float32).max)
"""Heads with larger numbers are left out: fits take fourth powers, which float64 has to hold."""
SATURATED = 0.99
"""Where logits that have weight are alike, the largest weight is above this, or far below."""


def diagnose(head: HeadRows, *, start: Diagnosis | None = None, deep: bool = True) -> Diagnosis:
    """Find what a head was computed with, from its queries, keys, values and output.

    Args:
        head: Some of its rows; 8 to 64 are usual.
        start: What another head of the same model was computed with: tried first.
        deep: Whether to search where that does not fit; without a start masks alone are tried.

    Returns:
        The diagnosis; if nothing fits, without a multiplier.
    """
    with np.errstate(all="ignore"):
        large = _too_large(head)
        if large:
            return nothing(f"{large} holds numbers beyond float32: too large to be fitted")
        try:
            return _diagnosed(head, start, deep)
        except np.linalg.LinAlgError:
            return nothing("its numbers are too large or too small to be fitted")


def _too_large(head: HeadRows) -> str:
    """Return the name of a tensor that holds a number beyond `LARGEST`, or nothing."""
    tensors = {
        "q": head.queries, "k": head.keys, "v": head.values,
        "out": head.output, "weights": head.weights, "lse": head.log_sum_exp,
    }  # fmt: skip
    for name, tensor in tensors.items():
        if tensor is not None:
            size = np.abs(tensor)
            if ((size > LARGEST) & (size < inf)).any():
                return name
    return ""


def _diagnosed(head: HeadRows, start: Diagnosis | None, deep: bool) -> Diagnosis:
    captured = head
    head, clear = without_odd_keys(head)
    kept, notes = usable(captured, clear)
    odd: tuple[int, ...] = ()
    if not len(kept):
        return nothing(unusable(captured), notes)
    head = taken(head, kept)
    if head.output is None or head.values is None:
        return _told_mask(_without_output(head, start, notes, deep), head)
    spacing = format_of(coarsest(head.output, head.formats.get("out", "float32")))
    if not head.values.any():
        return nothing("all values are 0", notes)
    if (d_v := head.values.shape[1]) > MOST_VALUES:
        some = np.linspace(0, d_v - 1, MOST_VALUES).astype(int)
        head = replace(head, values=head.values[:, some], output=head.output[:, some])
        notes = (*notes, f"Of each row of the output {MOST_VALUES} of {d_v:,} numbers tell.")
    attempt = search(head, spacing, start, deep)
    if not attempt.fits and deep:
        head, attempt, said = _less(head, attempt, spacing)
        notes = (*notes, *said)
    if not attempt.fits and deep and (rest := _others(head, spacing, start)) is not None:
        few, attempt = rest
        odd = tuple(map(int, head.rows[few]))
        kept, head = kept[~few], taken(head, np.flatnonzero(~few))
    kept = kept[np.isin(head.rows, attempt.head.rows)]
    head, fit = attempt.head, attempt.choice.fit
    keys = attempt.rows.seen.sum(axis=1)
    paths = attempt.choice.paths if attempt.fits else ()
    found = Diagnosis(
        None, None, None, None, None, None, None,
        relative_residual(attempt.rows, fit.state), attempt.choice.rounding(attempt.rows),
        paths[0] if len(paths) == 1 else None, attempt.fits,
        tuple(int(i) for i in head.rows), (int(keys.min()), int(keys.max())), notes=notes,
        paths=paths, odd=odd,
    )  # fmt: skip
    if not attempt.fits:
        why = "nothing fits"
        names = ("multiplier", "value_scale", "softcap", "sink", "mask")
        tested = suspects(head, spacing) if deep else ()
        lost = tuple((name, why) for name in names)
        return replace(found, undetermined=lost, suspects=tested)
    found = replace(found, notes=(*notes, *_unused(taken(captured, kept), attempt.mask)))
    known = _told_mask(_known(head, attempt, found, spacing), head)
    if len(kept) + len(odd) < len(captured.rows) and (
        why := contradiction(captured, attempt.mask, kept)
    ):
        others = tuple(each for each in known.undetermined if each[0] != "multiplier")
        left = (("multiplier", why), *others)
        known = replace(known, multiplier=None, temperature=None, undetermined=left)
    return known


def _unused(captured: HeadRows, mask: HeadMask) -> tuple[str, ...]:
    """Say that a mask was captured and another used, if that is so."""
    if captured.seen is None or np.array_equal(captured.seen, mask.seen(captured)):
        return ()
    used = "none" if mask.kind == "none" else "a causal one"
    if mask.window is not None:
        used = f"a window of {mask.window} keys"
    return (f"A mask was captured, and the output was computed with {used}.",)


def _less(
    head: HeadRows, attempt: Attempt, spacing: Format
) -> tuple[HeadRows, Attempt, tuple[str, ...]]:
    """Try a head that nothing fits without the captured mask, or bias, or both."""
    for less in ({"seen": None}, {"bias": None}, {"seen": None, "bias": None}):
        if any(getattr(head, each) is None for each in less):
            continue
        other = replace(head, **less)  # type: ignore[arg-type]
        again = search(other, spacing)
        if again.fits:
            said = ("The captured bias was not used.",) if "bias" in less else ()
            return other, again, said
    return head, attempt, ()


def _others(
    head: HeadRows, spacing: Format, start: Diagnosis | None
) -> tuple[NDArray[np.bool_], Attempt] | None:
    """Return which rows are odd, shape (r,), as few as can be, and what fits all others."""
    few = odd_rows(head)
    if few is None:
        return None
    attempt = search(taken(head, np.flatnonzero(~few)), spacing, start)
    if not attempt.fits:
        return None
    for row in np.flatnonzero(few) if attempt.factors is None else ():
        fewer = few & (np.arange(len(few)) != row)
        if fewer.any():
            # A sink may stretch one row, too, and be needed for that alone.
            rows = rows_of(taken(head, np.flatnonzero(~fewer)), attempt.mask)
            choice = chosen(rows, attempt.choice.fit.parameters, spacing)
            if choice.fits:
                few, attempt = fewer, replace(attempt, rows=rows, choice=choice)
    return few, attempt


def _without_output(
    head: HeadRows, start: Diagnosis | None, notes: tuple[str, ...], deep: bool
) -> Diagnosis:
    """Return what weights, log-sum-exp or scores tell, whichever were captured, in this order."""
    masks = list(unwindowed(head))
    if start is not None and start.sight is not None and start.sight not in masks:
        masks.append(start.sight)
    rows = rows_of(head, masks[0])
    keys = rows.seen.sum(axis=1)
    blank = nothing("neither output, weights, log-sum-exp nor scores were captured", notes)
    found = replace(
        blank, residual=0.0, used=tuple(int(i) for i in head.rows),
        keys=(int(keys.min()), int(keys.max())),
    )  # fmt: skip
    weights = weights_of(head)
    if weights is not None and head.weights is None:
        note = "The captured scores are weights: softmax has been taken of them."
        found = replace(found, notes=(*notes, note))
    if weights is not None:
        told = from_weights(replace(head, weights=weights), rows, found)
        if told.fits or not deep:
            return told
        spacing = format_of(coarsest(weights, head.formats.get("weights", "float32")))
        twice = twice_in_weights(head, weights.astype(np.float64), spacing)
        return replace(told, suspects=(twice,))
    if head.log_sum_exp is not None:
        return from_sums(head, rows, tuple(masks), found)
    return found if head.scores is None else from_scores(head, rows, found)


def _known(head: HeadRows, attempt: Attempt, found: Diagnosis, spacing: Format) -> Diagnosis:
    """Add what a structure that fits says, and what it leaves open."""
    choice, fit = attempt.choice, attempt.choice.fit
    numbers = choice.numbers
    undetermined: list[tuple[str, str]] = []
    confounded: list[tuple[str, ...]] = []
    m, c = numbers["multiplier"], numbers["value_scale"]
    cap: Estimate | None = Cap(numbers["curvature"], "curvature" in fit.names)
    sink: Estimate | None = Sink(numbers["sink"], fit.parameters.level, "sink" in fit.names)
    multiplier: Estimate | None = undecided(choice, "multiplier")
    if (reason := _unknown(attempt, m, spacing)) is not None:
        multiplier, cap = None, None
        undetermined += [("multiplier", reason), ("softcap", reason)]
    elif (cap_too := choice.beside.get("curvature")) and cap_too.takes("multiplier", m):
        confounded.append(("multiplier", "softcap"))
    scale: Estimate | None = undecided(choice, "value_scale")
    stretch: Stretch | None = None
    sink_too = choice.beside.get("sink")
    if numbers["sink"].error == inf or (sink_too and sink_too.takes("value_scale", c)):
        scale, sink, stretch = None, None, Stretch(c, _beside_sink(head, attempt, spacing))
        confounded.append(("sink", "value_scale"))
        undetermined.append(("sink", "it stretches all rows alike, as a value scale does"))
        undetermined.append(("value_scale", "it stretches all rows alike, as a sink does"))
    held: Temperature | None = None
    if attempt.factors is not None:
        held = temperature(attempt.rows, fit, head.rows, attempt.factors)
        multiplier = None
        undetermined.append(("multiplier", "each row has its own"))
        # An m of each row takes up what tells one way of rounding from another.
        found = replace(found, path=None, paths=())
    elif multiplier is not None and len(head.rows) > 1:
        held = Temperature("constant")
    window: Estimate | None = None
    if attempt.mask.window is not None:
        window = Whole(attempt.mask.window, *(attempt.alike or (attempt.mask.window,) * 2))
    elif attempt.alike is not None and attempt.alike[0] < attempt.alike[1]:
        least, most = attempt.alike
        note = f"Query 0 may stand at any of keys {least:,}–{most:,}."
        found = replace(found, notes=(*found.notes, note))
    return replace(
        found, multiplier=multiplier, value_scale=scale, softcap=cap, sink=sink,
        mask=attempt.mask, window=window, temperature=held, undetermined=tuple(undetermined),
        confounded=tuple(confounded), stretch=stretch,
    )  # fmt: skip


def _beside_sink(head: HeadRows, attempt: Attempt, spacing: Format) -> Number | None:
    """Return c where the captured sink has its part, or None."""
    fit = attempt.choice.fit
    if head.sink is None or not isfinite(head.sink):
        return None
    near = replace(fit.parameters, sink=1.0, level=head.sink)
    held = tuple(name for name in fit.names if name != "sink")
    again = refine(attempt.rows, compute(attempt.rows, near), held, spacing, fit.path)
    return numbers_of(again)["value_scale"] if explains(again) else None


def _told_mask(found: Diagnosis, head: HeadRows) -> Diagnosis:
    """Return a diagnosis with its mask where the head's positions have it.

    Where rows see all keys by a causal one and by none it has no mask.
    """
    if found.mask is None:
        return found
    mask = found.mask.placed(head)
    if not mask.seen(head).all():
        return replace(found, mask=mask)
    found = replace(found, sees_all=True)
    if not any(each.kind == "causal" and each.seen(head).all() for each in unwindowed(head)):
        return replace(found, mask=mask)
    open_mask = ("mask", "every row used sees all keys, causal or not")
    return replace(found, mask=None, undetermined=(*found.undetermined, open_mask))


def _spread(attempt: Attempt) -> float:
    """Return the standard deviation of a row's logits, weighed by its weights: the median one."""
    state = attempt.choice.fit.state
    p, z = state.weights, np.where(attempt.rows.seen, state.logits, 0.0)
    total = np.maximum(p.sum(axis=1, keepdims=True), 1e-300)
    z = z - (p * z).sum(axis=1, keepdims=True) / total
    several = attempt.rows.seen.sum(axis=1) > 1
    return float(np.median(np.sqrt((p * z * z).sum(axis=1) / total[:, 0])[several]))


def _unknown(attempt: Attempt, m: Number, spacing: Format) -> str | None:
    """Return why a multiplier cannot be known, or None."""
    rows = attempt.rows
    if int(rows.seen.sum(axis=1).max()) < 2:
        return "every row used sees one key"
    low = np.where(rows.seen, rows.scores, inf).min(axis=1)
    high = np.where(rows.seen, rows.scores, -inf).max(axis=1)
    if (high - low <= 1e-6 * rows.norms[0] * rows.norms[1].max()).all():
        return "the keys that a row sees are equal"
    used = rows.values[rows.seen.any(axis=0)]
    if np.ptp(used, axis=0).max() <= 1e-6 * np.abs(used).max():
        return "the values are equal"
    digits = TF32.bits if attempt.choice.fit.path == "tf32" else spacing.bits
    if digits < 24 and _spread(attempt) < 2 * 2.0**-digits:
        several = rows.seen.sum(axis=1) > 1
        if np.median(attempt.choice.fit.state.weights[several].max(axis=1)) > SATURATED:
            return "rows are saturated: in most that were used the largest weight is practically 1"
        return "the logits of a row differ by less than weights may have been rounded to"
    if m.half(0.95) <= WIDE * abs(m.value):
        return None
    interval = m.at()
    if interval.low is None or interval.high is None:
        return "the output does not depend on it"
    return f"its 95 % interval is wide: {interval.low:.3g} to {interval.high:.3g}"


def nothing(reason: str, notes: tuple[str, ...] = ()) -> Diagnosis:
    """Return the diagnosis of a head of which nothing can be said."""
    names = ("multiplier", "value_scale", "softcap", "sink", "mask")
    return Diagnosis(
        None, None, None, None, None, None, None, nan, {}, None, False,
        (), (0, 0), tuple((name, reason) for name in names), notes=notes,
    )  # fmt: skip
