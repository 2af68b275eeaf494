"""Statistics of heads in words: what a sentence calls them, and their numbers as text."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import inf

from attn_tui.captures.capture import HeadId
from attn_tui.compute.counted import counted
from attn_tui.compute.heads.statistic import OF_SEVERAL_KEYS, STATISTICS
from attn_tui.engine.found import FoundMask
from attn_tui.engine.plan import Question
from attn_tui.report.masks import mask_name
from attn_tui.report.miss import MISSES, RULE, SAID, Made, doubt_text, miss_text
from attn_tui.report.numbers import general


def statistic_text(name: str) -> str:
    """Return what a statistic is, and of which rows."""
    rows = ", of rows with a choice" if name in OF_SEVERAL_KEYS else ""
    return STATISTICS[name].words + rows


def place(head: HeadId, batches: bool) -> str:
    """Return the name of a head: ``layer 3, head 7``."""
    sequence = f"batch {head.batch}, " if batches else ""
    return f"{sequence}layer {head.layer}, head {head.head}"


def rows_text(question: Question, sizes: set[int]) -> str:
    """Return which rows were looked at, of heads with so many."""
    least, most = min(sizes, default=0), max(sizes, default=0)
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    if question.rows is None or question.rows >= most:
        return f"all {each} of each head" if most > 1 else "the one of each head"
    return f"{question.rows:,} of {each} of each head, drawn with seed {question.seed}"


def ranges(numbers: Iterable[int], most: float = inf) -> str:
    """Return rising numbers as ranges, of more than so many the first and the last.

    >>> ranges([0, 1, 2, 5, 7, 8])
    '0–2, 5, 7–8'
    """
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ]
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]
    return ", ".join(texts if len(texts) <= most else [*texts[: int(most) - 1], "…", texts[-1]])


def runs_text(name: str, numbers: Sequence[int]) -> str:
    """Return layers or heads as runs: ``layers 0–2, 5``."""
    return f"{name}{'s' * (len(numbers) != 1)} {ranges(numbers)}"


def made(found: FoundMask) -> Made:
    """Return how the weights of a layer are made, as far as its output says."""
    return Made(
        mask_name(found.mask),
        found.softcap,
        found.sink,
        found.multiplier,
        found.missed,
        found.value_scale,
        found.drops_sink,
        found.by,
        found.by_row,
        found.stretch,
    )


def own_text(multipliers: Sequence[float]) -> str:
    """Return that heads have multipliers of their own, and which.

    >>> own_text([0.1, 0.8])
    '2 heads have an m of their own, found by fits: 0.1 to 0.8'
    """
    least, most = (general(each, 3) for each in (min(multipliers), max(multipliers)))
    which = least if least == most else f"{least} to {most}"
    if len(multipliers) == 1:
        return f"one head has an m of its own, found by a fit: {which}"
    return f"{len(multipliers):,} heads have an m of their own, found by fits: {which}"


def loose_text(heads: int) -> str:
    """Return that weights of so many heads are taken for those in use, though not as surely."""
    miss = "misses" if heads == 1 else "miss"
    one_per_cent = "no more than an m that is off by 1 % would"
    return f"{counted(heads, 'head')} {miss} it by more than rounding makes, but {one_per_cent}"


def mask_text(found: FoundMask) -> str:
    """Return in words how the weights of a layer are made, with how that is known."""
    text = made(found).text
    known = {
        "fit": "found by the doctor's fit of one head",
        "asked": "as asked",
        "output": f"as {SAID[found.by]}",
        "assumed": "assumed",
    }
    if found.how == "nearest":
        text += " is nearest, and does not explain the output"
    elif found.how in known:
        text += f", {known[found.how]}"
        if found.how == "fit" and found.sink is not None:
            text += ", each head's own sink by its output"
    if found.residual is None:
        return text
    miss = miss_text(found.residual)
    if not found.fits:
        yet = "" if found.how == "nearest" else "yet "
        yet = "with one m " if found.by_row else yet
        return f"{text}; {yet}{MISSES[found.by]} by {miss}: try attn-tui doctor"
    doubt = doubt_text(found.doubt)
    text += f"; {doubt}" * found.is_untold
    text += f"; {MISSES[found.by]} by {miss.replace('almost none', 'almost nothing')}"
    text += ", more than rounding makes" * found.loose
    if doubt and not found.is_untold:
        text += f", so that {doubt}"
    return text + (f", with m = {RULE} by {miss_text(found.missed)}" if found.missed else "")
