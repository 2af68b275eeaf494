"""Is a head as promised, and if not, what is it?

The promised model is compared with the output of every row. Only where that fails does a search
begin, on some of the rows: for a model one change away, for what may have been done to the head,
for a model two changes away. What it finds is compared with every row again.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf, isnan, nan

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.fit.alternatives import kv_heads, one_change, tried, two_changes
from attn_tui.compute.fit.case import EXTREME, HeadCase
from attn_tui.compute.fit.choose import stepped
from attn_tui.compute.fit.comparison import Comparison, Prediction
from attn_tui.compute.fit.differences import half_ulp, ordered
from attn_tui.compute.fit.head import FitRows, Name, State
from attn_tui.compute.fit.model import (
    SHOWN,
    Candidate,
    Explanation,
    Look,
    Others,
    Reference,
    Suspect,
    Variant,
)
from attn_tui.compute.fit.power import power
from attn_tui.compute.fit.suspects import broken_of, suspect_of
from attn_tui.compute.heads.head_model import LEARNED, HeadModel, Part
from attn_tui.compute.heads.rows import HeadRows

__all__ = ["SHOWN", "Candidate", "Explanation", "Others", "Reference", "explain", "half_ulp"]

AT_POSITIONS = "queries stand where the captured positions say, not at their keys"
"""The cause if the output follows positions that are not promised."""
FAR = 8.0
"""A row is surely wrong if it is off by more than this many times what is allowed."""
CELLS = 48
"""The most numbers that describe where a residual lies along one axis."""
MOST_WRONG = 1000
"""The most numbers of wrong rows that are kept."""


def explain(
    head: HeadRows,
    reference: Reference,
    others: Others = tuple,
    search: bool = True,
    calls: Sequence[HeadRows] = (),
    variants: Sequence[Variant] = (),
    look: Look | None = None,
) -> Explanation:
    """Return whether a head is what the reference promises, or which other models explain it.

    Args:
        head: Its rows, with the mask and the bias that are promised.
        reference: The promised model.
        others: Yields the head with the keys and values of other KV heads of its layer.
        search: Whether to look for a cause if the head is not as promised.
        calls: The head with the mask or the bias that the call was given, where these differ.
        variants: The models that common mistakes make of the promised one.
        look: What another head of its layer tells of rounding paths.
    """
    with np.errstate(all="ignore"):
        case = HeadCase.of(head, reference)
        if isinstance(case, str):
            return _unexplained(reference, case)
        try:
            alike = None if look is None else _like(case, look)
            return alike or _explained(case, _Search(others, calls, variants) if search else None)
        except np.linalg.LinAlgError:
            return _unexplained(reference, EXTREME)


def _unexplained(reference: Reference, problem: str) -> Explanation:
    nothing = Candidate(reference.model, False, nan)
    return Explanation(nothing, (nothing,), problem=problem)


@dataclass(frozen=True, eq=False)
class _Search:
    """Where to look for what a head is, if it is not as promised.

    Attributes:
        others: Yields the head with the keys and values of other KV heads of its layer.
        calls: The head with the mask or the bias that the call was given, where these differ.
        variants: The models that common mistakes make of the promised one.
    """

    others: Others
    calls: Sequence[HeadRows]
    variants: Sequence[Variant]


def _explained(case: HeadCase, search: _Search | None) -> Explanation:
    """Return the explanation of a head: as promised, or else by a search."""
    is_promised = "multiplier" in case.reference.stated
    for way in case.ways() if is_promised else ():
        passing = _every_passing(way)
        if way is not case:
            # It leaves much room to single rows; all together must be as it says.
            passing = [model for model in passing if way.prediction(model).is_snug]
        if passing:
            return _as_promised(way, passing)
    if is_promised and search is None:
        return _failed(case, (), None)
    candidates, suspect = _searched(case, search)
    return _failed(case, candidates, suspect)


def _like(case: HeadCase, look: Look) -> Explanation | None:
    """Return the explanation of a head that is as promised on the paths of another, or None."""
    is_narrower = look.rounding.keys() == {*case.paths} != {*look.paths}
    if not is_narrower or "multiplier" not in case.reference.stated:
        return None
    # A path that no head of the layer took yet is tried only after all others.
    narrower = replace(case, paths=look.paths)
    passing = _every_passing(narrower)
    if not passing:
        return None
    explanation = _as_promised(narrower, passing)
    if not look.is_alike(explanation.promised):
        return None
    best = tuple(
        replace(candidate, rounding={**look.rounding, **candidate.rounding})
        for candidate in explanation.best
    )
    return replace(explanation, promised=best[0], best=best, look=look)


def _every_passing(case: HeadCase) -> list[HeadModel]:
    """Return the promised models that give every row: several if no mask is promised."""
    every = (_passing(case, base) for base in case.bases())
    return [model for model in every if model is not None]


def _passing(case: HeadCase, model: HeadModel) -> HeadModel | None:
    """Return the model that gives every row: as promised, or with m as it may be rounded; or None.

    Programs round m, or its root on q and on k, to the format of the tensors.
    """
    if _passes(case, model):
        return model
    for m in case.rounded_multipliers(model.multiplier):
        rounded = replace(model, multiplier=m)
        if _passes(case, rounded):
            return rounded
    return None


def _passes(case: HeadCase, model: HeadModel) -> bool:
    """Return whether every row is what a model gives."""
    if LEARNED in (model.sink, model.bias):
        return False
    if not len(case.seeing(model)) or case.idle(model)[1]:
        return False
    return case.comparison(model).passes and not case.is_outdone(model)


def _as_promised(case: HeadCase, models: Sequence[HeadModel]) -> Explanation:
    """Return the explanation of a head whose every row one or several promised models give."""
    model = models[0]
    prediction = case.prediction(model)
    comparison = prediction.comparison
    candidates = []
    for base in models:
        choice = stepped(case.rounding(base), case.paths, case.prediction(base).path)
        candidate = case.candidate(case.rounding(base), base, choice)
        candidates.append(replace(candidate, explains=True, changes=(), paths=choice.paths))
    shown = power(case, model, prediction)
    likely = case.rounding(model).likely(case.paths)
    look = Look(likely, candidates[0].rounding, candidates[0].chi_square)
    return replace(
        _measured(case, prediction, comparison), promised=candidates[0], best=(*candidates,),
        passes=True, coarseness=comparison.coarseness, explained=1.0,
        needed=shown.needed, fineness=shown.fineness, steps=comparison.steps, look=look,
    )  # fmt: skip


def _measured(case: HeadCase, prediction: Prediction, comparison: Comparison) -> Explanation:
    """Return the residual of a promised model, and how many of its rows were compared."""
    rows = prediction.rows
    keys = rows.seen.sum(axis=1)
    places = case.seeing(case.reference.model)
    if len(places) != len(rows.output):
        places = np.arange(len(rows.output))
    numbers = case.head.rows[places]
    hidden, odd = case.idle(case.reference.model)
    wrong = (*(int(row) for row in numbers[comparison.wrong[:MOST_WRONG]]), *odd)
    not_finite = int((~np.isfinite(rows.output).all(axis=1)).sum())
    counts = replace(
        case.counts, compared=len(rows.output), hidden=hidden, wrong=wrong,
        far=int((comparison.excess > FAR).sum()), not_finite=not_finite,
        zero=int((~rows.output.any(axis=1)).sum()),
    )  # fmt: skip
    nothing = Candidate(case.reference.model, False, nan)
    return Explanation(
        nothing, (nothing,), residual=prediction.residual, rounding=prediction.rounding,
        path=prediction.path, rows=tuple(int(row) for row in case.head.rows), counts=counts,
        keys=(int(keys.min()), int(keys.max())),
    )  # fmt: skip


def _failed(
    case: HeadCase, candidates: Sequence[Candidate], suspect: Suspect | None
) -> Explanation:
    """Return the explanation of a head that is not as promised, or whose m is not promised."""
    model = case.bases()[0]
    bare = replace(model, sink=None if model.sink == LEARNED else model.sink)
    prediction = case.prediction(replace(bare, bias=None if bare.bias == LEARNED else bare.bias))
    comparison = prediction.comparison
    lying = where(prediction.rows, prediction.state)
    measured = replace(_measured(case, prediction, comparison), where=lying)
    best = (*candidates,) or measured.best
    explanation = replace(measured, best=best, suspect=None if best[0].explains else suspect)
    if not best[0].explains:
        return explanation
    # What the head would have shown is asked of the model that explains it.
    free = replace(case, reference=replace(case.reference, model=best[0].model))
    if best[0].kv_head is not None or best[0].model.softmax_twice:
        return replace(explanation, explained=1.0)
    shown = power(free, best[0].model, free.prediction(best[0].model))
    needed = tuple(part for part in shown.needed if part in ("multiplier", "mask"))
    return replace(explanation, explained=1.0, needed=needed, fineness=shown.fineness)


def _rank(case: HeadCase, candidate: Candidate) -> tuple[bool, int, int, int, float]:
    """Return the sort key of a candidate: those that explain first, by fewest changes.

    With equally many changes, one that leaves out rows, as of padding, comes after one that
    explains all of them; then likelihood decides.
    """
    if not candidate.explains:
        return True, 0, 0, 0, inf if isnan(candidate.residual) else candidate.residual
    counted = len(case.counted(candidate))
    return False, counted, candidate.left_out, len(candidate.changes), candidate.chi_square


def _searched(
    case: HeadCase, search: _Search | None
) -> tuple[tuple[Candidate, ...], Suspect | None]:
    """Return the candidates that explain a head with the fewest changes, and a suspect.

    They are sought on some rows, and compared with all.
    """
    broken = broken_of(case)
    sample = case.sample
    if broken is not None or sample.is_empty:
        return (), broken
    tests: list[Candidate] = []

    def is_enough(stage: Iterator[Candidate], changes: float) -> bool:
        with suppress(np.linalg.LinAlgError):
            # Numbers that cannot be fitted end this stage, not the search.
            tests.extend(_completed(case, candidate) for candidate in stage)
        return any(
            candidate.explains and len(case.counted(candidate)) <= changes for candidate in tests
        )

    if is_enough(_bases(sample), 0) or search is None:
        return _best(case, tests), None
    varied = [*_varied(sample, search.variants)]
    if varied:
        return (*varied,), None
    stages = (
        (_called(case, search.calls), 1), (one_change(sample, tests), 1),
        (kv_heads(sample, search.others), 1),
    )  # fmt: skip
    suspect = None
    if not any(is_enough(stage, changes) for stage, changes in stages):
        moved = _moved(case)
        if moved is not None:
            return (moved,), None
        suspect = suspect_of(case, search.others)
        if suspect is None:
            is_enough(two_changes(sample), inf)
    return _best(case, tests), suspect


MOVED: Mapping[Name, Part] = {
    "multiplier": "multiplier", "value_scale": "value_scale", "curvature": "softcap",
    "sink": "sink",
}  # fmt: skip
"""The part of the model that each number is of."""


def _moved(case: HeadCase) -> Candidate | None:
    """Return the promised model with the number that moved, if that is all that is wrong with it.

    Each row is then what may be, and only all of them together are not.
    """
    for base in case.bases() if "multiplier" in case.reference.stated else ():
        if LEARNED in (base.sink, base.bias) or not len(case.seeing(base)) or case.idle(base)[1]:
            continue
        comparison = case.comparison(base)
        if not (comparison.excess <= 1).all():
            continue
        part = MOVED[comparison.moved[0]] if comparison.moved else "multiplier"
        for candidate in tried(case.sample, base):
            if candidate.explains:
                return replace(candidate, changes=(part,))
    return None


def _completed(case: HeadCase, candidate: Candidate) -> Candidate:
    """Return a candidate with the parts that a promise without numbers makes it differ in.

    One that explains a failed promise without a change explains nothing.
    """
    promised, model = case.reference.model, candidate.model
    if not candidate.explains:
        return candidate
    if promised.bias == LEARNED:
        model, changes = replace(model, bias=None), ordered({*candidate.changes, "bias"})
        return replace(candidate, model=model, changes=changes)
    if promised.sink == LEARNED:
        has_none = model.sink is None and "sink" not in candidate.unknown
        more: set[Part] = {"sink"} if has_none else set()
        return replace(candidate, changes=ordered({*candidate.changes, *more}))
    is_promised = "multiplier" in case.reference.stated
    return replace(candidate, explains=bool(candidate.changes) or not is_promised)


def _varied(sample: HeadCase, variants: Sequence[Variant]) -> Iterator[Candidate]:
    """Yield the models of common mistakes that give every row."""
    for variant in variants:
        model = variant.model
        rounding = sample.rounding(model)
        # Most are far off: that is seen before the likeliest path is looked for.
        if not sample.is_close(rounding.rows, rounding.state) or not _passes(sample, model):
            continue
        if sample.full is not None and not _passes(sample.full, model):
            continue
        candidate = sample.candidate(rounding, model, stepped(rounding, sample.paths))
        yield replace(
            candidate, model=model, explains=True, changes=(variant.part,), cause=variant.cause
        )


def _bases(sample: HeadCase) -> Iterator[Candidate]:
    """Yield the reference with its numbers fitted, under each plausible mask."""
    for base in sample.bases():
        yield from tried(sample, base)


def _called(case: HeadCase, calls: Sequence[HeadRows]) -> Iterator[Candidate]:
    """Yield the reference with what the call was given in its place: mask, bias or positions."""
    for head in calls:
        model = case.reference.model
        if head.bias is not None:
            model = replace(model, bias=None)
        if head.seen is not None:
            model = replace(model, mask=replace(model.mask, kind="given"))
        other = HeadCase.of(head, case.reference)
        if not isinstance(other, HeadCase) or other.sample.is_empty:
            continue
        if (case.head.positions is None) == (head.positions is None):
            yield from tried(other.sample, model)
            continue
        for candidate in tried(other.sample, replace(model, mask=model.mask.placed(head))):
            changes = ordered({*candidate.changes, "mask"})
            yield replace(candidate, changes=changes, cause=AT_POSITIONS)


def _best(case: HeadCase, tests: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates that explain the head with the fewest changes, or else the nearest."""
    if not tests:
        return ()
    ordered = sorted(tests, key=lambda candidate: _rank(case, candidate))
    best = ordered[0]
    if not best.explains:
        return (best,)
    fewest = _rank(case, best)[:4]
    alike: dict[object, Candidate] = {}
    for candidate in ordered:
        if _rank(case, candidate)[:4] == fewest:
            key = (candidate.changes, candidate.model.mask, candidate.model.law, candidate.cause)
            alike.setdefault(key, candidate)
    return (*alike.values(),)


def where(rows: FitRows, state: State) -> dict[str, tuple[float, ...]]:
    """Return the residual of a state by row, key and channel, as shares of the largest."""
    rest = np.nan_to_num(rows.output - state.output, nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.maximum(np.linalg.norm(rows.values, axis=1), 1e-30)
    by_key = np.where(rows.seen, np.abs(rest @ rows.values.T) / lengths, 0.0).mean(axis=0)
    axes = {
        "row": np.linalg.norm(rest, axis=1), "key": by_key, "channel": np.linalg.norm(rest, axis=0)
    }  # fmt: skip
    return {name: _cells(values) for name, values in axes.items()}


def _cells(values: NDArray[np.floating]) -> tuple[float, ...]:
    """Return values as at most 48 shares of the largest."""
    parts = np.array_split(values, min(len(values), CELLS))
    means = np.array([part.mean() for part in parts])
    most = float(means.max()) or 1.0
    return tuple(float(mean / most) for mean in means)
