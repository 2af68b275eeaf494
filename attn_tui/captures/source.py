"""A captured head as a source of scores: its queries and keys, and their mask."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.arrays import Floats, rounded
from attn_tui.compute.attention.settings import read_tokens
from attn_tui.compute.errors import InputError
from attn_tui.compute.heads.head_model import HeadModel
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.reconstruction import Reconstruction
from attn_tui.compute.heads.rows import HeadRows, Odd, Reals
from attn_tui.compute.setup import Setup
from attn_tui.compute.source import Products, Vector, Vectors, normalised

if TYPE_CHECKING:
    from attn_tui.captures.capture import Capture, HeadId
    from attn_tui.captures.fingerprint import Fingerprint
    from attn_tui.captures.readings import Reading

_BLOCK = 64
"""The number of queries that are multiplied with keys at once."""

_CAUSAL = Reconstruction(HeadModel(1.0), "assumed")


@dataclass(frozen=True, eq=False)
class Captured(Products):
    """One head of a capture, or one row of it, as its files were when it was opened.

    Two are equal only if they are the same object. The output is left out.

    Attributes:
        paths: The paths of the files, as given.
        place: The numbers of batch, layer and head.
        row: The number of the query; None for all.
        layout: The axes of tensors, as `parse_layouts` takes them; empty to recognise them.
        called: What tensors are called, as `open_capture` takes it.
        fingerprint: Tells this version of the files from others.
        seen: True where a query attends to a key, shape (vectors, n), if a mask was captured.
        positions: The key each query stands at, shape (vectors,), for a causal mask.
        bias: The numbers added to the logits, shape (vectors, n), if they were captured.
        odd: NaN and infinities in q, k, v and the bias; scores made of them are NaN.
        sink: The logit b of the sink, as in `Scale.sink`, if it was captured or a fit finds it.
        supposed: Whether positions were not captured, so that queries are taken as the last ones.
        reconstruction: How its weights are made, as far as the captured tensors tell.
    """

    paths: tuple[str, ...] = ()
    place: tuple[int, int, int] = (0, 0, 0)
    row: int | None = None
    layout: str = ""
    called: str = ""
    fingerprint: "Fingerprint | None" = None
    seen: NDArray[np.bool_] | None = None
    positions: tuple[int, ...] = ()
    bias: NDArray[np.floating[Any]] | None = None
    odd: tuple[Odd, ...] = ()
    sink: float | None = None
    supposed: bool = False
    reconstruction: Reconstruction = _CAUSAL
    kind: ClassVar = "capture"
    is_head: ClassVar = True
    MOST_SCORES: ClassVar = 2**31
    FINITE: ClassVar = False

    @property
    def mask(self) -> HeadMask | None:
        """A found mask that no setting gives, such as a window or padding; None if captured."""
        mask = self.reconstruction.mask
        is_simple = mask == HeadMask(mask.kind, mask.offset)
        return None if self.seen is not None or is_simple else mask

    @property
    def causal(self) -> bool | None:
        """Whether the head is causal; None if another mask was captured or found."""
        return None if self.is_masked else self.reconstruction.mask.kind == "causal"

    @property
    def is_masked(self) -> bool:
        """Whether a mask was captured, or found that no setting gives."""
        return self.seen is not None or self.mask is not None

    @property
    def multiplier(self) -> float | None:
        """The m that a fit found, if it reproduces what was captured."""
        return self.reconstruction.multiplier if self.reconstruction.fits else None

    @property
    def miss(self) -> float | None:
        """By how much weights of 1/√d_k miss what was captured; None if they reproduce it."""
        return (
            self.reconstruction.rule_residual
            if self.reconstruction.fits
            else self.reconstruction.residual
        )

    def together(self) -> tuple[HeadRows, HeadMask] | None:
        """Return queries and keys with their mask; None if q, k or the bias are not finite."""
        joined = super().together()
        if joined is None or any(odd.part != "v" for odd in self.odd):
            return None
        rows, mask = joined
        captured = HeadMask("given") if self.seen is not None else mask
        positions = np.array(self.positions, np.intp) if self.positions else None
        return replace(
            rows, seen=self.seen, bias=self.bias, positions=positions
        ), self.mask or captured

    def vectors(self, setup: Setup) -> Vectors:
        """Return the scores of each query, masked as captured.

        Under a causal mask, keys that no query of a block sees are masked without a product.
        """
        precision = setup.precision.vectors
        causal = setup.mask.causal or bool(self.mask and self.mask.by_position)
        return _vectors(self, setup.scale.normalises, precision, causal)


@lru_cache(maxsize=4)
def _vectors(source: Captured, qk_norm: bool, format: str, causal: bool) -> Vectors:
    queries, keys = (
        rounded(_normalised(matrix) if qk_norm else matrix, format)
        for matrix in (source.queries, source.keys)
    )
    first = 0 if source.row is None else source.row
    positions = source.positions or range(len(queries))

    @lru_cache(maxsize=2)
    def block(number: int) -> Floats:
        rows, seen = slice(number * _BLOCK, (number + 1) * _BLOCK), len(keys)
        if causal:
            seen = min(seen, max(max(positions[rows]) + 1, 0))
        # Multiplying many queries at once takes a fraction of the time of one by one.
        with np.errstate(all="ignore"):
            scores = np.asarray(queries[rows] @ keys[:seen].T)
        # An infinity is no score either: −∞ would mask a key, and ∞ − ∞ is NaN.
        scores[~np.isfinite(scores)] = np.nan
        return scores

    def vector(row: int) -> Vector:
        products = block(row // _BLOCK)[row % _BLOCK]
        scores = np.full(len(keys), -np.inf)
        scores[: products.size] = products
        bias = None if source.bias is None else source.bias[row].astype(np.float64)
        if bias is not None:
            scores[~np.isfinite(bias)] = np.nan
            bias[~np.isfinite(bias)] = 0.0
        if source.seen is not None:
            scores[~source.seen[row]] = -np.inf
        if source.mask is not None:
            index, position = np.array([row]), np.array([positions[row]])
            rows = HeadRows(index, len(queries), queries[index], keys, positions=position)
            scores[~source.mask.seen(rows)[0]] = -np.inf
        scores.setflags(write=False)
        return Vector(f"q{first + row}", scores, bias, captured=True)

    return Vectors(len(queries), len(keys), vector, source.positions)


def _normalised(rows: Floats) -> Floats:
    """Return normalised rows; a row with a number that is not finite becomes NaN."""
    return np.where(np.isfinite(rows).all(axis=1, keepdims=True), normalised(rows), np.nan)


def read_head(
    capture: "Capture",
    head: "HeadId",
    row: int | None = None,
    reading: "Reading | None" = None,
) -> Captured:
    """Read the queries and keys of one head, or one query and its keys, and nothing else.

    Args:
        capture: The capture of the head.
        head: The head.
        row: The number of a query; None for all.
        reading: How tensors are read; None for the likeliest reading.

    Raises:
        InputError: If there is no such head or row.
    """
    read = capture.read(head, None if row is None else [row], reading)
    # Unless positions say otherwise, the queries are the last ones, as with a cache of keys.
    offset = max(read.n_keys - read.n_queries, 0)
    positions = read.rows + offset if read.positions is None else read.positions
    queries, keys = _numbers(read.queries), _numbers(read.keys)
    values = None if read.values is None else _numbers(read.values)
    if read.bias is not None:
        read.bias.setflags(write=False)
    named = {"q": queries, "k": keys, "v": values, "the bias": read.bias}
    return Captured(
        queries,
        keys,
        values,
        # Rows are the tokens of the text only if they are all there, from the first one on.
        tokens=_tokens(capture.config) if row is None and not offset else (),
        paths=capture.paths,
        place=(head.batch, head.layer, head.head),
        row=row,
        layout=capture.asked.layout,
        called=capture.asked.names,
        fingerprint=capture.fingerprint,
        seen=read.seen,
        positions=tuple(positions.tolist()),
        bias=read.bias,
        odd=tuple(_odd(named, read.rows)),
        sink=read.sink,
        supposed=offset > 0 and read.positions is None,
    )


def _tokens(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the tokens that metadata names, as words or as a JSON list."""
    text = config.get("tokens")
    if not isinstance(text, str):
        return ()
    try:
        tokens = read_tokens(text)
    except (InputError, RecursionError):
        return ()
    return tokens if all(isinstance(token, str) for token in tokens) else ()


def _numbers(read: Reals) -> Floats:
    """Return rows as float64, read-only since they are shared."""
    rows = read.astype(np.float64)
    rows.setflags(write=False)
    return rows


def _odd(named: Mapping[str, Any], numbers: NDArray[np.intp]) -> Iterator[Odd]:
    """Yield NaN and infinities by tensor; `numbers` are the row numbers of q and the bias."""
    for name, rows in named.items():
        wrong = np.argwhere(~np.isfinite(rows)) if rows is not None else np.zeros((0, 2), int)
        if wrong.size:
            row, column = map(int, wrong[0])
            nan = int(np.isnan(rows).sum())
            row = row if name in ("k", "v") else int(numbers[row])
            yield Odd(name, nan, len(wrong) - nan, row, column)
