"""Heads of one model, fitted one after the other: each first with what those before it had."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from attn_tui.compute.fit.diagnose import diagnose
from attn_tui.compute.fit.diagnosis import Diagnosis
from attn_tui.compute.heads.rows import HeadRows

_KNOWN = 6
"""Structures that a head is tried with besides the last before it is searched."""


@dataclass(frozen=True, eq=False)
class Way:
    """One way to read a head.

    Attributes:
        kind: What heads that are read alike have in common.
        read: Returns its rows.
        expected: Returns what these are expected to have; None is 1/√d_k under any mask.
    """

    kind: Hashable
    read: Callable[[], HeadRows]
    expected: Callable[[HeadRows], Diagnosis | None] = lambda _: None


@dataclass(frozen=True, eq=False)
class Fitted:
    """What was found of a head.

    Attributes:
        diagnosis: By the first way to read it that fits, else by the best.
        rows: Its rows, read so.
        way: The place of that way among those that were tried.
        searched: Whether it was searched if nothing else fitted.
    """

    diagnosis: Diagnosis
    rows: HeadRows
    way: int
    searched: bool


class Neighbours:
    """What heads of a model had, the last first.

    Args:
        searches: After so many heads in a row that nothing fits, heads are not searched.
        ask: Called before each fit; what it raises ends the head.

    Attributes:
        vain: How many heads in a row nothing has fitted.
    """

    def __init__(self, searches: int, ask: Callable[[], None] = lambda: None) -> None:
        self._searches, self._ask = searches, ask
        self._known: list[tuple[Hashable, Diagnosis]] = []
        self.vain = 0

    def fit(self, ways: Sequence[Way]) -> Fitted:
        """Return what fits a head first, and remember it; or what comes nearest.

        Ways by which neighbours were read go before others. Each is tried with what the last
        neighbour had, with what is expected, and with what others had; if nothing fits, searched.
        """
        order = [kind for kind, _ in self._known]
        places = sorted(range(len(ways)), key=lambda at: _place(order, ways[at].kind))
        searched = self.vain < self._searches
        heads: dict[int, HeadRows] = {}
        best: Fitted | None = None
        for search in (False, True) if searched else (False,):
            for at in places:
                if at not in heads:
                    heads[at] = ways[at].read()
                for start in [None] if search else self._starts(ways[at], heads[at]):
                    self._ask()
                    found = diagnose(heads[at], start=start, deep=search)
                    if best is None or _better(found, best.diagnosis):
                        best = Fitted(found, heads[at], at, searched)
                    if not found.used:
                        break
                    if found.fits:
                        self._remember(ways[at].kind, found)
                        return Fitted(found, heads[at], at, searched)
        assert best is not None
        self.vain += 1
        return best

    def _starts(self, way: Way, head: HeadRows) -> list[Diagnosis | None]:
        known = [start for kind, start in self._known if kind == way.kind]
        return [*known[:1], way.expected(head), *known[1:]]

    def _remember(self, kind: Hashable, found: Diagnosis) -> None:
        self.vain = 0
        others = [
            (other, start)
            for other, start in self._known
            if (other, _structure(start)) != (kind, _structure(found))
        ]
        self._known = [(kind, found), *others[:_KNOWN]]


def _place(order: Sequence[Hashable], kind: Hashable) -> int:
    return order.index(kind) if kind in order else len(order)


def _structure(found: Diagnosis) -> tuple[object, ...]:
    """Return what two heads have in common for which the same things are fitted."""

    def there(name: str) -> bool:
        estimate = getattr(found, name)
        return estimate is not None and estimate.at().value is not None

    by_row = found.temperature is not None and found.temperature.kind == "by row"
    return (found.sight, there("softcap"), there("sink"), by_row)


def _better(one: Diagnosis, other: Diagnosis) -> bool:
    if not (one.used and other.used):
        # Where rows of the likeliest reading cannot be used, another one has to fit.
        return one.fits
    return _worth(one) > _worth(other)


def _worth(found: Diagnosis) -> tuple[bool, bool, bool, float]:
    """Return what orders what was found: what fits, else where a suspect does, or was tested."""
    return found.fits, found.culprit is not None, bool(found.suspects), -found.residual
