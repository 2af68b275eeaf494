"""What captured scores are: q·k as it is, scaled, or scaled and capped, and what they mask."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.diagnosis import Diagnosis, Path, Temperature
from attn_tui.compute.fit.model import Floats, Name, Parameters, Rows, State, bend
from attn_tui.compute.fit.noise import coarsest, format_of, score_paths, score_variance
from attn_tui.compute.fit.regress import Regression, multiplier_and_cap, regressed, simplest
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows

MASKED = -1e4
"""Scores at or below this are masked: models add −10,000, or the least of their format."""


def from_scores(head: HeadRows, rows: Rows, found: Diagnosis) -> Diagnosis:
    """Complete a diagnosis from captured scores alone, a regression on q·k.

    What is found says what was done to q·k before they were captured. Scores that are q·k as it is
    say nothing of what comes after, so that no multiplier is given.

    Args:
        head: With scores.
        rows: The same in float64.
        found: With what is known of the rows.
    """
    assert head.scores is not None
    data = head.scores.astype(np.float64)
    counts = np.isfinite(data) & (data > MASKED)
    spacing = format_of(coarsest(head.scores[counts], head.formats.get("scores", "float32")))
    biased = rows.bias is not None and bool(counts.any())
    held = np.where(counts, data, 0.0)
    rounding = np.square(spacing.spacing(held)) / 12
    rows = rows.under(counts)

    def fit(path: Path, names: tuple[Name, ...], start: Parameters, rows: Rows) -> Regression:
        def model(state: State, names: tuple[Name, ...]) -> tuple[Floats, Floats, Floats]:
            at = state.parameters
            z = state.logits if rows.bias is None else state.logits + rows.bias
            variance = rounding + score_variance(rows, state, spacing, path)
            parts = []
            for name in names:
                along = rows.scores * state.slope
                if name == "curvature":
                    x = at.multiplier * rows.scores
                    along = bend(x, state.logits, state.slope, at.curvature)
                parts.append(np.where(counts, along, 0.0))
            left = np.where(counts, held - z, 0.0)
            return left, np.stack(parts), np.where(counts, variance, np.inf)

        return regressed(rows, start, names, model, size, path)

    size = float(np.sqrt(np.square(held[counts]).mean())) if counts.any() else 0.0
    square = float(np.square(rows.scores[counts]).sum())
    if not size or not square:
        return replace(found, undetermined=(("multiplier", "no score is other than 0"),))
    paths = score_paths(spacing)
    fits = []
    for there in (rows, replace(rows, bias=None)) if biased else (rows,):
        slope = float((rows.scores[counts] * held[counts]).sum()) / square
        for path in paths:
            plain = fit(path, ("multiplier",), Parameters(slope), there)
            near = replace(plain.fit.parameters, curvature=1e-12)
            fits += [plain, fit(path, ("multiplier", "curvature"), near, there)]
    best, well = simplest(fits)
    found = replace(found, residual=best.off, fits=well, path=best.fit.path)
    lost = [(name, "only scores were captured") for name in ("value_scale", "sink")]
    if not well:
        why = "the scores are not q·k times a number, nor that capped"
        return replace(found, undetermined=(("multiplier", why), ("softcap", why), *lost))
    known = best.numbers
    m, capped = known["multiplier"], "curvature" in known
    plain_scores = not capped and abs(m.value - 1) < 1e-3 and m.tail(1.0) > 1e-6
    mask = _mask(head, counts)
    if plain_scores:
        why = "the scores are q·k as it is: captured before a multiplier, or there is none"
        return replace(found, mask=mask, undetermined=(("multiplier", why), *lost))
    note = f"The captured scores are q·k times {m.value:.6g}" + (", capped." if capped else ".")
    multiplier, cap = multiplier_and_cap(fits, best, spacing)
    return replace(
        found, multiplier=multiplier, softcap=cap, mask=mask,
        temperature=Temperature("constant"), undetermined=tuple(lost), notes=(*found.notes, note),
    )  # fmt: skip


def _mask(head: HeadRows, counts: NDArray[np.bool_]) -> HeadMask | None:
    """Return the mask that scores show; scores that mask nothing show none."""
    if head.seen is not None:
        return HeadMask("given")
    for corner in dict.fromkeys((head.n_keys - head.n_queries, 0)):
        mask = HeadMask("causal", corner)
        if np.array_equal(mask.seen(head), counts):
            return mask
        own = mask.own(head)
        window = int((own - counts.argmax(axis=1)).max()) + 1
        mask = HeadMask("window", corner, max(window, 1))
        if np.array_equal(mask.seen(head), counts):
            return mask
    return None
