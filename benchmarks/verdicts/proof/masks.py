"""Which keys queries see: by a rule, with padding and packed texts, and how a mask can be wrong."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.verdicts.proof.arithmetic import Truths

Padding = tuple[int, int]
"""How many keys pad a sequence at its beginning and at its end."""


@dataclass(frozen=True)
class Rule:
    """Which keys a query sees by its position.

    Attributes:
        is_causal: Whether it sees none after its own.
        window: How many keys it sees at most, its own included, or None.
        shift: How many keys further a query stands than it should.
        is_top_left: Whether query 0 stands at key 0 though there are fewer queries than keys.
    """

    is_causal: bool
    window: int | None = None
    shift: int = 0
    is_top_left: bool = False

    def seen(
        self,
        shape: tuple[int, int],
        padding: Padding = (0, 0),
        texts: tuple[int, ...] = (),
        hidden: Padding | None = None,
    ) -> Truths:
        """Return which keys each query sees.

        Args:
            shape: How many queries and keys there are.
            padding: How many keys are padding.
            texts: The keys at which further texts of a packed sequence begin.
            hidden: How many keys no query sees; the padding if None.
        """
        keys = shape[1]
        place, key = self.places(shape, padding)[:, None], np.arange(keys)
        first, last = padding if hidden is None else hidden
        seen = np.tile((key >= first) & (key < keys - last), (shape[0], 1))
        if self.is_causal:
            seen &= key <= place
        if self.window is not None:
            seen &= key > place - self.window
        text = np.searchsorted(np.array(texts, int), np.arange(keys), "right")
        seen &= text == text[np.clip(place, 0, keys - 1)]
        return seen

    def places(self, shape: tuple[int, int], padding: Padding) -> NDArray[np.intp]:
        """Return the key at which each query stands.

        The last query stands at the last key before the padding; as many queries as keys stand at
        their own key, padding included.
        """
        queries, keys = shape
        last = keys - padding[1] if queries < keys else keys
        first = 0 if self.is_top_left else last - queries
        return np.arange(first, first + queries) + self.shift


def compared(seen: Truths, padding: Padding) -> Truths:
    """Return which rows are compared: those that see a key, without queries of padding.

    Args:
        seen: Which keys each query sees, shape (n_q, n).
        padding: The keys of padding.
    """
    queries, keys = seen.shape
    rows = np.asarray(seen.any(axis=-1))
    if queries == keys:
        rows[: padding[0]] = False
        rows[keys - padding[1] :] = False
    return rows


def explained(rule: Rule, captured: Truths) -> Padding | None:
    """Return the padding with which a rule gives a captured mask, or None if none does.

    Texts may be packed besides. Such a mask is no fault that anyone could see: no configuration
    says which keys are padding, or where texts begin.

    Args:
        rule: The promised one.
        captured: Which keys each query sees, shape (n_q, n).
    """
    visible = np.flatnonzero(captured.any(axis=0))
    if not len(visible):
        return None
    before, after = int(visible[0]), captured.shape[1] - 1 - int(visible[-1])
    for padding in ((0, 0), (before, 0), (0, after)):
        texts = _texts(captured, rule.places(captured.shape, padding))
        expected = rule.seen(captured.shape, padding, texts)
        rows = compared(expected, padding)
        is_same = bool((expected == captured)[rows].all())
        if rows.any() and is_same and compared(captured, padding).sum() == rows.sum():
            return padding
    return None


def _texts(captured: Truths, places: NDArray[np.intp]) -> tuple[int, ...]:
    """Return the keys at which texts may begin: those that no query looks across."""
    keys = captured.shape[1]
    crossed = np.zeros(keys + 1, int)
    for row, place in zip(captured, np.maximum(places, 0), strict=True):
        if row.any():
            first, last = int(np.argmax(row)), keys - 1 - int(np.argmax(row[::-1]))
            crossed[min(first, place) + 1] += 1
            crossed[min(max(last, place) + 1, keys)] -= 1
    starts = np.flatnonzero(np.cumsum(crossed[:keys]) == 0)
    return tuple(int(start) for start in starts if start > 0)
