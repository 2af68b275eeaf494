"""Where nothing fits: what may have been captured in place of what attention was given."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import inf

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.counted import counted
from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.fit.diagnosis import Suspect
from attn_tui.compute.fit.usable import taken
from attn_tui.compute.heads.rows import HeadRows, Reals
from attn_tui.doctor.report import Finding

BASES = (1e4, 5e5, 1e6)
"""Bases of RoPE that most models have."""
_OTHERS = "output after o_proj, of other heads, or a missing prefix"
_BEFORE = "k before RoPE"
_ROWS = 12
_OUTSIDE = 0.1
"""A row is no mixture of its values if so large a part of it is none."""


def suspects(head: HeadRows, readings: int) -> tuple[Suspect, ...]:
    """Return what was tested, and what came of it.

    Args:
        head: Rows that nothing fits.
        readings: In how many ways its axes were read.
    """
    return tuple(_suspects(head, readings))


def _suspects(head: HeadRows, readings: int) -> Iterator[Suspect]:
    if head.positions is not None and (last := int(head.positions.max())) >= head.n_keys:
        found = f"a query stands at key {last:,}, but there are {counted(head.n_keys, 'key')}"
        yield Suspect("K lacks the prefix", "may be", found)
    if readings > 1:
        found = f"of {readings} ways to read the axes none fits"
        yield Suspect("another layout", "no", found)
    inside = mixes(head)
    if inside is False:
        yield Suspect(_OTHERS, "may be", "first rows hold more than values of keys up to their own")
        yield Suspect(_BEFORE, "not tested", "for no rotation of k changes that")
        return
    if inside:
        yield Suspect("output after o_proj", "no", "its first rows are mixtures of their values")
    turned = rotated(head)
    yield Suspect(_BEFORE, "yes" if turned else "no", turned or "of usual rotations none fits")


def cleared(findings: tuple[Finding, ...], layer: int) -> tuple[Finding, ...]:
    """Return findings without suspicion of how a layer was captured where a sequence of it fits.

    What was done to q, k or the output was done to all sequences; a mask is one's own.

    Args:
        findings: Of heads, some of this layer.
        layer: The layer.
    """
    here = [each for each in findings if each.id.layer == layer]
    fitting = sorted({each.id.batch for each in here if each.diagnosis.fits})
    if not fitting or all(each.diagnosis.fits for each in here):
        return findings
    return tuple(
        _cleared(each, next((batch for batch in fitting if batch != each.id.batch), None))
        if each.id.layer == layer
        else each
        for each in findings
    )


def _cleared(finding: Finding, fitting: int | None) -> Finding:
    found = finding.diagnosis
    if fitting is None or found.fits or not found.used or found.culprit is not None:
        return finding
    own = tuple(each for each in found.suspects if each.name == "padding")
    mask = Suspect("a mask of its own", "may be", f"sequence {fitting} of this layer fits")
    return replace(finding, diagnosis=replace(found, suspects=(mask, *own)))


def mixes(head: HeadRows) -> bool | None:
    """Return whether output rows that see few keys are mixtures of these, or None if none does.

    Where fewer keys are seen than a value has numbers, most vectors are no mixture of values.
    """
    if head.output is None or head.values is None:
        return None
    own = head.rows + head.n_keys - head.n_queries if head.positions is None else head.positions
    outside = []
    for at, row in zip(own, head.output, strict=True):
        seen = head.values[: at + 1].astype(np.float64)
        size = float(np.linalg.norm(row))
        tells = 0 <= at < head.values.shape[1] // 2 and 0.0 < size < inf
        if tells and np.isfinite(seen).all():
            weights = np.linalg.lstsq(seen.T, row.astype(np.float64), rcond=None)[0]
            outside.append(float(np.linalg.norm(row - weights @ seen)) / size)
    return max(outside) < _OUTSIDE if outside else None


def rotated(head: HeadRows) -> str:
    """Return with which rotation a head fits, or nothing."""
    if head.d_k % 2 or not (np.isfinite(head.keys).all() and np.isfinite(head.queries).all()):
        return ""
    some = np.unique(np.linspace(0, len(head.rows) - 1, min(_ROWS, len(head.rows))).astype(int))
    part = taken(head, some)
    own = part.rows + part.n_keys - part.n_queries if part.positions is None else part.positions
    for base, halves, both in product(BASES, (True, False), (False, True)):
        keys = rope(part.keys, np.arange(part.n_keys), base, halves)
        queries = rope(part.queries, own, base, halves) if both else part.queries
        if diagnose(replace(part, keys=keys, queries=queries), deep=False).fits:
            which = "q and k were" if both else "k was"
            pairs = "halves" if halves else "neighbours"
            return f"{which} captured before a rotation of {pairs} by base {base:,.0f}"
    return ""


def rope(rows: Reals, positions: NDArray[np.intp], base: float, halves: bool) -> Reals:
    """Return rows rotated by their positions, in float64.

    Args:
        rows: Shape (r, d), of an even d.
        positions: Shape (r,).
        base: Of the wavelengths.
        halves: Whether number i is turned with number i + d/2; else neighbours are.
    """
    half = rows.shape[1] // 2
    angles = positions[:, None] * base ** (-np.arange(half) / half)
    cos, sin = np.cos(angles), np.sin(angles)
    left, right = (
        (slice(0, half), slice(half, None)) if halves else (slice(0, None, 2), slice(1, None, 2))
    )
    turned = np.empty(rows.shape)
    turned[:, left] = rows[:, left] * cos - rows[:, right] * sin
    turned[:, right] = rows[:, right] * cos + rows[:, left] * sin
    return turned
