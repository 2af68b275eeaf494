"""The headline over several vectors: how many saturate on either side, and whose gradient grows."""

from collections.abc import Sequence
from math import isnan

from attn_tui.compute.explore.answer import Answer, VectorAnswer
from attn_tui.compute.logit_map import PLAIN
from attn_tui.report.headline import ALL, GRADIENTS, Factor, Headline, done


def headline(answer: Answer) -> Headline:
    """Return what is said first of all vectors together, of which there are several."""
    choosing = [each for each in answer.vectors if each.vector.n_attended > 1]
    known = [each for each in choosing if not any(isnan(side.max_weight) for side in each.sides)]
    undefined, n = len(choosing) - len(known), len(known)
    have = "has" if undefined == 1 else "have"
    odd = f" {undefined:,} {have} no weights but NaN." * (undefined > 0)
    if not known:
        text = odd.strip() or "No vector has two keys to choose from: every gradient is 0."
        return Headline(text, text)
    first, second = (
        sum(side.max_weight >= ALL for side in sides)
        for sides in zip(*(each.sides for each in known), strict=True)
    )
    whose, verb = ("its", "puts") if first < 2 else ("their", "put")
    who = _part(first, n) + " with a choice" * (n < len(answer.vectors))
    clause = f"{who} {verb} practically all {whose} weight on one key"
    brief = f"On one key: {first:,} of {n:,} unscaled, {second:,} scaled."
    maps = {each.scaled.map for each in known}
    how = done(next(iter(maps))) if len(maps) == 1 else "Scaled"
    does = {0: "none does", 1: "1 does", n: "all do"}.get(second, f"{second:,} do")
    full = f"Unscaled, {clause}. {how}, {does}"
    if first == second == 0:
        either = f"Unscaled or {how[0].lower()}{how[1:]}" if len(maps) == 1 else "Scaled or not"
        full = f"{either}, {clause}"
    if maps == {PLAIN}:
        full = f"Nothing is divided here, so both sides are the same: {clause}"
        brief = f"On one key: {first:,} of {n:,}."
    change = _change(known, GRADIENTS[known[0].wrt])
    return Headline.fitting(
        (f"{full}{change}.{odd}", f"{full}.{odd}", brief), (f"{brief}{odd}", brief)
    )


def _change(vectors: Sequence[VectorAnswer], noun: str) -> str:
    """Return for how many vectors the gradient grows and shrinks, if for any."""
    factors = [
        Factor.between(*(side.norms[each.wrt].log_frobenius for side in each.sides))
        for each in vectors
    ]
    moving = [each.log for each in factors if each.known and not each.stays]
    grow = sum(each > 0.0 for each in moving)
    counts = {"grows": grow, "shrinks": len(moving) - grow}
    ways = [
        f"{verb} for {'all' if count == len(vectors) else f'{count:,}'}"
        for verb, count in counts.items()
        if count
    ]
    return f"; the {noun} {' and '.join(ways)}" * bool(ways)


def _part(count: int, of: int) -> str:
    """Return so many of some vectors."""
    if count == of:
        return {1: "the one vector", 2: "both vectors"}.get(of, f"all {of:,} vectors")
    return f"{count:,} of {of:,} vectors" if count else "no vector"
