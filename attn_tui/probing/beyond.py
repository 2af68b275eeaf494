"""What one call cannot show: leaks from hidden keys, heads that mix, outputs that change."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.stored import Raw, widened
from attn_tui.compute.arrays import Truths, limits
from attn_tui.compute.text import counted
from attn_tui.diagnosis.call import CallShape

ROUNDING = 4.0
"""An output that changes by more than so many units of its format has changed."""
LOUD = 64.0
"""How large the values are that take the place of others: a small share of them is seen."""

Call = Callable[[Mapping[str, Raw]], Raw | None]
"""Calls the function with q, k and v; returns None where it fails."""


@dataclass(frozen=True)
class Replaced:
    """Numbers of an input that are replaced, though part of the output should not change with them.

    Attributes:
        parts: The inputs: ``"kv"`` or ``"q"``.
        places: The index of what is replaced, as it is written between brackets.
        kept: The index of the output that should stay as it is.
        seed: What the other numbers are drawn from.
    """

    parts: str
    places: str
    kept: str
    seed: int


@dataclass(frozen=True)
class Fault:
    """Something that a function does wrong.

    Attributes:
        text: What it does, in a phrase.
        is_sure: Whether it is a cause of its own: another one that is known does not explain it.
        shows: What shows it in one call: numbers that are replaced, or another such way.
        kind: What faults of other sizes share that are the same; the text if it is empty.
        rows: The index of the rows that show it.
        explains: Whether it is all that is wrong.
    """

    text: str
    is_sure: bool = True
    shows: Replaced | Literal["writes", "unsteady", "gradient", "rows"] = "rows"
    kind: str = ""
    rows: str = ":"
    explains: bool = False

    @property
    def shared(self) -> str:
        """What the same fault of other sizes shares."""
        return self.kind or self.text


def leaks(
    arrays: Mapping[str, Raw], out: Raw, seen: Truths, shape: CallShape, call: Call
) -> Iterator[Fault]:
    """Yield that rows change with keys that they do not see.

    Args:
        arrays: q, k and v, [batch, heads, n, d].
        out: What they gave, [batch, heads, n_q, d_v].
        seen: Which keys each query sees, shape (batch or 1, heads or 1, n_q, n).
        shape: The sizes.
        call: Calls the function again.
    """
    hidden = np.asarray(~seen.any(axis=(0, 1)))
    # A row that sees no key may be the mean of V, hidden values with it.
    sees = np.asarray(seen.any(axis=3)).all(axis=(0, 1))
    for first in dict.fromkeys((shape.queries // 2, shape.queries - 2)):
        if first < 0:
            continue
        rows = np.arange(shape.queries) <= first
        # The keys that none of these rows sees in any head.
        keys: Truths = np.asarray(hidden[rows].all(axis=0))
        if not keys.any():
            continue
        other = call(_replaced(arrays, "kv", (slice(None), slice(None), keys), shape.keys))
        wrong = np.zeros(shape.queries, bool) if other is None else _changed(out, other)
        wrong &= rows & sees
        if wrong.any():
            text = _leak(np.flatnonzero(wrong), np.flatnonzero(keys), shape)
            later, earlier = _index(keys), _index(wrong)
            shows = Replaced("kv", f":, :, {later}", f":, :, {earlier}", shape.keys)
            yield Fault(text, False, shows, kind=text.partition(" at n")[0])
            return


def _index(places: Truths) -> str:
    """Return an index of places as it is written: a range where they are one."""
    at = np.flatnonzero(places).tolist()
    if at == [*range(at[0], at[-1] + 1)]:
        return f"{at[0]}:{at[-1] + 1}"
    return str(at)


def _leak(rows: NDArray[np.intp], keys: NDArray[np.intp], shape: CallShape) -> str:
    """Return in words that rows change with keys that they do not see."""
    which = f"key {keys[0]:,}" if len(keys) == 1 else f"keys {keys[0]:,} to {keys[-1]:,}"
    changing = f"row {rows[0]:,} changes with {which}, which it does not see"
    if len(rows) > 1:
        changing = (
            f"{len(rows):,} rows to row {rows[-1]:,} change with {which}, which they do not see"
        )
    is_later = keys[0] - (shape.keys - shape.queries) > rows[-1]
    called = "a leak from the future" if is_later else "a leak of hidden keys"
    return f"{called} at n = {shape.keys:,}: {changing}"


def mixing(arrays: Mapping[str, Raw], out: Raw, shape: CallShape, call: Call) -> Iterator[Fault]:
    """Yield that a sequence or a head changes with another one."""
    seed = shape.keys + 1
    if shape.batch > 1:
        for name, words in (("kv", "keys and values"), ("q", "queries")):
            other = call(_replaced(arrays, name, (slice(0, 1),), seed))
            if other is not None and _changed(out[1:], other[1:]).any():
                yield Fault(
                    f"sequences mix: the output of another sequence changes with the {words} of "
                    "sequence 0",
                    False,
                    Replaced(name, ":1", "1:", seed),
                    "sequences mix",
                )
                return
    if shape.kv_heads > 1:
        group = shape.heads // shape.kv_heads
        for name, words, others in (
            ("kv", f"the keys and values of KV head 0, which heads 0 to {group - 1} have", group),
            ("q", "the queries of head 0", 1),
        ):
            if group == 1 and name == "kv":
                words = "the keys and values of head 0"
            other = call(_replaced(arrays, name, (slice(None), slice(0, 1)), seed))
            if other is not None and _changed(out[:, others:], other[:, others:]).any():
                # KV heads given in another order change this, too; the doctor names it then.
                yield Fault(
                    f"heads mix: the output of other heads changes with {words}",
                    False,
                    Replaced(name, ":, :1", f":, {others}:", seed),
                    "heads mix",
                )
                return


def unsteady(arrays: Mapping[str, Raw], out: Raw, call: Call) -> Iterator[tuple[str, bool]]:
    """Yield that the same inputs give other bits a second time, and whether other numbers."""
    other = call(arrays)
    if other is None or other.tobytes() == out.tobytes():
        return
    rows = int(_changed(out, other).sum())
    if rows:
        yield (
            (
                f"the same inputs give another output the second time, in {counted(rows, 'row')}: "
                "is dropout left on?"
            ),
            True,
        )
        return
    yield (
        "The same inputs twice do not give the same bits, but the same numbers to rounding.",
        False,
    )


def hidden_rows(out: Raw, seen: Truths, values: Raw, meant: str) -> Iterator[Fault]:
    """Yield that rows without a key are not what they are meant to be.

    Args:
        out: The output, [batch, heads, n_q, d_v].
        seen: Which keys each query sees, shape (batch or 1, heads or 1, n_q, n).
        values: V, [batch, kv_heads, n, d_v].
        meant: ``"zero"``, ``"nan"`` or ``"mean"``, of V.
    """
    wide = widened(out)
    without = np.broadcast_to(~seen.any(axis=-1), wide.shape[:3])
    if not without.any():
        return
    rows = wide[without]
    if meant == "zero":
        fits = not rows.any()
    elif meant == "nan":
        fits = bool(np.isnan(rows).all())
    else:
        mean = widened(values).astype(np.float64).mean(axis=2, keepdims=True)
        every = np.repeat(mean, wide.shape[1] // mean.shape[1], axis=1)
        expected = np.broadcast_to(every, wide.shape)[without]
        unit = float(limits(out.dtype).eps)
        fits = bool((np.abs(rows - expected) <= 8 * unit * (1 + np.abs(expected))).all())
    if not fits:
        words = {"zero": "0", "nan": "NaN", "mean": "the mean of V"}[meant]
        hidden = _index(np.asarray(without.any(axis=(0, 1))))
        yield Fault(f"rows that see no key are not {words}, as hidden_rows says", rows=hidden)


def _replaced(
    arrays: Mapping[str, Raw], parts: str, places: tuple[slice | Truths, ...], seed: int
) -> dict[str, Raw]:
    """Return q, k and v with loud numbers in some places of some of them."""
    rng = np.random.default_rng(seed)
    changed = dict(arrays)
    for name in parts:
        array = arrays[name].copy()
        array[places] = (LOUD * rng.standard_normal(array[places].shape)).astype(array.dtype)
        changed[name] = array
    return changed


def _changed(out: Raw, other: Raw) -> Truths:
    """Return which rows, by number, differ by more than rounding in any sequence or head."""
    one, two = (widened(array).astype(np.float64) for array in (out, other))
    unit = ROUNDING * float(limits(out.dtype).eps)
    size = np.nan_to_num(np.abs(one), nan=0.0, posinf=0.0).max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        same = (np.abs(one - two) <= unit * size) | (one == two) | (np.isnan(one) & np.isnan(two))
    return np.asarray(~same.all(axis=(0, 1, 3)))
