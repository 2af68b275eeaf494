"""The headline of Attention: how many keys a query shares its weight among, on either side."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from attn_tui.compute.attention.answer import MOVED, NAMES, Answer, log_factors, moved
from attn_tui.compute.attention.rows import Side
from attn_tui.report.headline import ALL, DIVISORS, WIDE, Factor, Headline, done, percent, rounded

_EQUAL = 0.99
"""Of so large a part of the keys it sees a query shares its weight almost equally."""

_HALF = 0.5


@dataclass(frozen=True)
class Sharing:
    """How the queries of one side share their weight.

    Attributes:
        n_queries: How many rows are known, and meet no NaN or infinity.
        choosing: How many of those have a choice.
        single: How many of those put practically all their weight on one key.
        undefined: How many have no weights, but NaN.
        typical: Whether that is what half of those do that can choose.
        effective: The median of the effective keys of those.
        largest: That of the largest weight.
        equal: Whether each shares almost equally among the keys it sees.
        key: The one key that several put practically all on, if it is one for all of these.
    """

    n_queries: int
    choosing: int
    single: int
    undefined: int
    typical: bool
    effective: float
    largest: float
    equal: bool
    key: int | None

    @classmethod
    def of(cls, answer: Answer, side: Side) -> "Sharing":
        """Count the rows that are known, but those that meet NaN or infinity."""
        there = ~answer.odd[answer.known]
        largest, rows = side.largest, answer.choosing
        undefined = np.zeros(answer.n_queries, bool)
        undefined[answer.known] = np.isnan(largest[answer.known]) & there
        chosen = rows[~undefined[rows]]
        share = side.effective_keys[chosen] / answer.attended[chosen]
        own = side.key[chosen][side.largest[chosen] >= ALL]
        return cls(
            int(there.sum()),
            int(rows.size),
            int(own.size),
            int(undefined.sum()),
            bool(chosen.size and 2 * own.size >= chosen.size),
            _median(side.effective_keys[chosen]),
            _median(side.largest[chosen]),
            bool(chosen.size and (share >= _EQUAL).all()),
            int(own[0]) if own.size > 1 and (own == own[0]).all() else None,
        )

    @property
    def clauses(self) -> tuple[str, ...]:
        """What its queries do, as a sentence without its first words, at decreasing length."""
        if self.undefined:
            subject, verb = _part(self.undefined, self.n_queries, "has", "have")
            return (f"{subject} {verb} no weights but NaN",)
        if self.typical:
            subject, verb = _part(self.single, self.choosing, "puts", "put")
            whose = "" if self.choosing == self.n_queries else " with a choice"
            their = "its" if verb == "puts" else "their"
            few = subject.replace("quer", "choosing quer") if whose else subject
            where, gives = self._where, verb.replace("put", "give")
            return (
                f"{subject}{whose} {verb} practically all {their} weight on {where}",
                f"{subject}{whose} {verb} practically all on {where}",
                f"{few} {gives} {where} practically all",
            )
        if self.equal:
            return ("every query shares its weight almost equally",)
        if self.largest >= _HALF:
            share = percent(self.largest)
            ways = (f"{share} of its weight", share)
            return tuple(f"a query typically puts {each} on one key" for each in ways)
        return (f"a query typically shares its weight among {_keys(self.effective)}",)

    @property
    def _where(self) -> str:
        return "one key" if self.key is None else f"key {self.key:,}"

    def after(self, first: "Sharing") -> tuple[str, ...]:
        """Return the same where the other side was told of before, at decreasing length.

        The blank before it is there too.
        """
        if self.typical and first.typical and not (self.undefined or first.undefined):
            return (
                (", all of these do",)
                if self.single == first.single
                else (f", {self.single:,} do",)
            )
        if self.undefined or self.typical or self.equal:
            return tuple(f", {each}" for each in self.clauses)
        if self.largest >= _HALF:
            shares = f" a query typically puts {percent(self.largest)}"
            return f"{shares} of its weight on one key", f"{shares} on one key"
        keys = _keys(self.effective)
        return (
            f" a query typically shares its weight among {keys}",
            f" a query typically uses {keys}",
        )

    @property
    def brief(self) -> str:
        """The same in as few words as can be."""
        if self.undefined:
            return f"{self.undefined:,} of {self.n_queries:,} NaN"
        if self.typical:
            return f"{self.single:,} of {self.choosing:,} on {self._where}"
        if self.equal:
            return "almost equal"
        return f"{percent(self.largest)} on one" if self.largest >= _HALF else _keys(self.effective)


def headline(answer: Answer) -> Headline:
    """Return what is said first of a head; typical is the median over queries that can choose."""
    fulls, shorts = _said(answer)
    odd = int(answer.odd[answer.known].sum())
    if odd == answer.done > 0:
        fulls = ["Every query meets NaN or infinity, and has no weights."]
        shorts = ["Every query meets NaN or infinity."]
    elif odd:
        subject, verb = _part(odd, answer.done, "meets", "meet")
        fulls = [f"{each} {subject} {verb} NaN." for each in fulls]
        shorts = [f"{each} {odd:,} {verb} NaN." for each in shorts]
    if answer.done < answer.n_queries:
        known = f"{answer.done:,} of {answer.n_queries:,}"
        fulls = [f"After {known} rows: {each[0].lower()}{each[1:]}" for each in fulls]
        shorts = [f"{known} rows. {each}" for each in shorts]
    return Headline.fitting(fulls, shorts)


def _said(answer: Answer) -> tuple[Iterable[str], Iterable[str]]:
    """Return what is said of the queries that have numbers, at two lengths, each ever shorter."""
    if not answer.attended[answer.known].any():
        text = "Every key is masked for every query: all weights and all gradients are 0."
        return (text,), ("Every key is masked: all is 0.",)
    first, second = (Sharing.of(answer, side) for side in answer.sides)
    if not (answer.choosing.size or first.undefined or second.undefined):
        text = "No query sees more than one key, which has all the weight at any scale: "
        return (f"{text}there is nothing to choose.",), ("No query sees more than one key.",)
    setup = answer.head.setup
    before, after = (side.blocks for side in answer.sides)
    if answer.pinned is not None and np.array_equal(before, after, equal_nan=True):
        same = "Pinned and now are the same"
        return [f"{same}: {each}." for each in first.clauses], (f"{same}: {first.brief}.",)
    if answer.nothing_is_done:
        why = "rule none" if setup.scale.rule == "none" else f"{setup.scale.formula} is 1"
        why = "√1 = 1" if (setup.d_k, setup.scale.rule) == (1, "inverse-sqrt") else why
        same = "so both maps are the same"
        return (
            [f"Nothing is divided here ({why}), {same}: {each}." for each in first.clauses],
            (f"Nothing is divided here: {first.brief}.",),
        )
    begins = ("Pinned: ", "Now") if answer.names == NAMES else ("Unscaled, ", _done(answer))
    short = f"{begins[0].strip(' ,:')}: {first.brief}. {begins[1]}: {second.brief}"
    shorts = [f"{short}, sink {share}." for share in _sink(answer)] + [f"{short}."]
    if answer.pinned is not None:
        shorts = [f"{short}. {moved(answer):,} of {first.n_queries:,} move.", *shorts[-1:]]
    return (
        _sentences(answer, begins, first, second), (*shorts, f"{first.brief} → {second.brief}.")
    )  # fmt: skip


def _sink(answer: Answer) -> Iterator[str]:
    """Yield what the sink typically takes, if there is one."""
    shares = answer.scaled.sink[answer.choosing]
    shares = shares[~np.isnan(shares)]
    if answer.head.setup.scale.sink is not None and shares.size:
        yield percent(_median(shares))


def _sentences(
    answer: Answer, begins: tuple[str, str], first: Sharing, second: Sharing
) -> Iterator[str]:
    """Yield one side after the other and what becomes of the gradient, ever shorter."""
    ends = [*_becomes(answer), ""]
    if answer.pinned is not None:
        ends = [*_moves(answer, first.n_queries)]
    for share in _sink(answer) if answer.pinned is None else ():
        # Three numbers are enough.
        few = [end for end in ends if not re.search("[0-9]", end)]
        ends = [f"; the sink takes {share}{end}" for end in few] + ends[-1:]
    for end in ends:
        for clause in first.clauses:
            for after in second.after(first):
                yield f"{begins[0]}{clause}. {begins[1]}{after}{end}."
    if answer.pinned is not None:
        yield f"Pinned: {first.brief}. Now: {second.brief}{ends[0]}."
    yield f"{first.brief} → {second.brief}."


def _moves(answer: Answer, known: int) -> Iterator[str]:
    """Yield in how many queries the largest weight is another than it was, ever shorter."""
    by = f"by over {100 * MOVED:.0f} points"
    if not (count := moved(answer)):
        yield f". In no query does the largest weight move {by}"
        yield f". No largest weight moves {by}"
        return
    subject, _ = _part(count, known, "", "")
    yield f". In {subject} the largest weight moves {by}"
    verb = "moves" if count == 1 else "move"
    yield f". {count:,} of {known:,} largest weights {verb} {by}"


def _becomes(answer: Answer) -> Iterator[str]:
    """Yield what becomes of the gradient, ever shorter, if that is known."""
    typical = typical_factor(answer)
    if not typical.known:
        return
    # As much, or more, becomes of it for three queries in four.
    low, high = middle_half(answer)
    least = Factor(low if typical.log > 0.0 else high)
    alike = abs(typical.log - least.log) < WIDE or typical.times == least.times
    if typical.stays or alike:
        yield f", and the gradient {typical.verb} typically {typical.word}"
        yield f"; the gradient {typical.becomes}"
    elif least.stays or (least.log > 0.0) != (typical.log > 0.0):
        logs = _changes(answer)
        up, down = int((logs > 0.0).sum()), int((logs < 0.0).sum())
        yield f", and the gradient grows for {up:,} and shrinks for {down:,}"
        yield f"; the gradient grows for {up:,}, shrinks for {down:,}"
    else:
        yield f", and most gradients are {least.at_least} {least.way}"
        yield f"; most gradients {'grow' if least.log > 0.0 else 'shrink'} {least.at_least}"


def typical_factor(answer: Answer) -> Factor:
    """Return the median of what becomes of the gradient, over queries that can choose."""
    after = _median(answer.scaled.log_gradient[answer.choosing])
    return Factor(_median(_changes(answer)), after=after)


def middle_half(answer: Answer) -> tuple[float, float]:
    """Return the ends of the middle half of the same, by the logarithm; there must be some."""
    logs = _changes(answer)
    out = (logs.size - 1) // 4
    return float(logs[out]), float(logs[-1 - out])


def _changes(answer: Answer) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    logs = log_factors(answer)
    return np.sort(logs[~np.isnan(logs)])


def _done(answer: Answer) -> str:
    """Return what was done to the scores: by one number where that is one for all rows."""
    scale, setup = answer.head.setup.scale, answer.head.setup
    ms = {*answer.scaled.multiplier[answer.choosing].tolist()}
    if len(ms) == 1:
        n = int(answer.attended[answer.choosing[0]])
        return done(scale.logit_map(setup.d_k, n))
    return f"Under {DIVISORS.get(scale.rule, scale.definition.formula)}"


def _median(values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> float:
    """Return the middle value, the lower one of two: one that there is."""
    return float(np.sort(values)[(values.size - 1) // 2]) if values.size else float("nan")


def _part(count: int, of: int, one: str, several: str) -> tuple[str, str]:
    """Return so many of the queries, and the verb that goes with them."""
    if count == of:
        every = {1: "the one query", 2: "both queries"}.get(of, f"all {of:,} queries")
        return every, one if of == 1 else several
    return f"{count:,} of {of:,} queries", one if count == 1 else several


def _keys(effective: float) -> str:
    """Return a number of keys: whole from 3 on, since less is hardly seen."""
    whole = 2.95 <= effective < 99.5
    text = f"{effective:.0f}" if whole else rounded(effective)
    return f"about {text} key{'s' * (text != '1')}"
