"""A capture that is open: which heads it has, and rows of any of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from attn_tui.captures.fingerprint import Fingerprint
from attn_tui.captures.layer import Layer, Tensor, row_mask
from attn_tui.captures.layouts import layout_words
from attn_tui.captures.readings import Reading
from attn_tui.captures.statements import readings_text
from attn_tui.captures.stored import Raw, widened
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.rows import HeadRows, Reals
from attn_tui.compute.text import first_few

MOST_POSITIONS = 2**24
"""Keys that a query may stand behind."""

States = Callable[[Mapping[int, Reading]], tuple[str, ...]]
"""What was recognised, in sentences, where the output says how some layers are read."""


def _is_near(positions: Raw) -> bool:
    return int(positions.max()) < MOST_POSITIONS and int(positions.min()) > -MOST_POSITIONS


@dataclass(frozen=True, order=True)
class HeadId:
    """One head of one sequence.

    Attributes:
        batch: Which sequence.
        layer: By the model's number.
        head: Of the queries.
    """

    batch: int
    layer: int
    head: int


@dataclass(frozen=True)
class HeadShape:
    """How large a head is.

    Attributes:
        n_queries: Queries n_q.
        n_keys: Keys n.
        d_k: The length of a query.
        d_v: The length of a value; 0 without any.
        kv_head: Which keys and values it has.
        has: Parts that were captured: ``q``, ``k``, ``v``, ``out`` …
    """

    n_queries: int
    n_keys: int
    d_k: int
    d_v: int
    kv_head: int
    has: frozenset[str]


class Asked(NamedTuple):
    """What was opened, and how: all it takes to open it again, and to know that it is the same.

    Attributes:
        paths: Of the files.
        layout: The axes of tensors, as typed.
        names: What they are called, as typed.
        fingerprint: What tells this version of the files from another.
    """

    paths: tuple[str, ...]
    layout: str
    names: str
    fingerprint: Fingerprint


@dataclass(frozen=True, eq=False)
class Capture:
    """Tensors of a model, in files of which only headers have been read.

    Attributes:
        asked: The files, and how they are read.
        states: What says what was recognised.
        config: What metadata says of the model: claims, which shapes may deny.
    """

    asked: Asked
    states: States
    config: Mapping[str, Any]
    _layers: Mapping[int, Layer]

    @property
    def paths(self) -> tuple[str, ...]:
        """The files."""
        return self.asked.paths

    @property
    def fingerprint(self) -> Fingerprint:
        """What tells this version of the files from another."""
        return self.asked.fingerprint

    @cached_property
    def stated(self) -> tuple[str, ...]:
        """What was recognised, in sentences."""
        return self.states({})

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers that have heads, rising."""
        return tuple(self._layers)

    @cached_property
    def heads(self) -> tuple[HeadId, ...]:
        """All heads, by sequence, layer and head."""
        return tuple(
            sorted(
                HeadId(batch, number, head)
                for number, layer in self._layers.items()
                for batch in range(layer.batch)
                for head in range(layer.readings[0].dims.heads)
            )
        )

    def tensors(self, layer: int) -> Mapping[str, Tensor]:
        """Return what was captured of a layer, by part.

        Raises:
            InputError: If there is no such layer.
        """
        return self._layer(layer).tensors

    def readings(self, layer: int) -> tuple[Reading, ...]:
        """Return the ways to read a layer's tensors, the likeliest first.

        Raises:
            InputError: If there is no such layer.
        """
        return self._layer(layer).readings

    def undecided(self, layer: int) -> tuple[Reading, ...]:
        """Return the readings of a layer that nothing tells apart; none where one is known.

        Raises:
            InputError: If there is no such layer.
        """
        return self._layer(layer).undecided

    def settled(self, layers: Sequence[int] | None = None) -> "Capture":
        """Return itself.

        Args:
            layers: Those that are to be read; None for all.

        Raises:
            InputError: With field ``"layout"``, if nothing tells how one of them is read.
        """
        for number, layer in self._layers.items():
            asked = layers is None or number in layers
            if asked and (found := layer.undecided):
                ways = " or ".join(layout_words(each.layout("q")) for each in found)
                problem = f"q of layer {number} is {ways}, and no output tells which"
                raise InputError("layout", problem, readings_text(found))
        return self

    def shape(self, head: HeadId, reading: Reading | None = None) -> HeadShape:
        """Return how large a head is.

        Raises:
            InputError: If there is no such head.
        """
        layer, reading = self._found(head, reading)
        dims = reading.dims
        queries, keys = layer.spans(head.batch, dims)
        return HeadShape(
            queries.stop - queries.start,
            keys.stop - keys.start,
            dims.d_k,
            dims.d_v,
            reading.kv_head(head.head),
            frozenset(layer.tensors),
        )

    def read(
        self, head: HeadId, rows: Sequence[int] | None = None, reading: Reading | None = None
    ) -> HeadRows:
        """Return rows of a head with all of its keys and values; nothing else is read.

        Args:
            head: Which.
            rows: Queries, rising; None for all.
            reading: How tensors are read; None for the likeliest.

        Raises:
            InputError: If there is no such head or row, or a file has changed or cannot be read.
        """
        layer, reading = self._found(head, reading)
        queries, keys = layer.spans(head.batch, reading.dims)
        n_queries = queries.stop - queries.start
        chosen = np.arange(n_queries) if rows is None else np.asarray(rows, np.intp)
        if len(chosen) and not (chosen[0] >= 0 and chosen[-1] < n_queries):
            problem = f"there is no row {chosen[0] if chosen[0] < 0 else chosen[-1]}"
            raise InputError("row", problem, f"a row from 0 to {n_queries - 1}")
        along = queries if rows is None else chosen + queries.start
        kv = reading.kv_head(head.head)

        def raw(part: str) -> Raw | None:
            if part in ("k", "v"):
                return layer.numbers(part, reading, head.batch, kv, keys, keys)
            return layer.numbers(part, reading, head.batch, head.head, along, keys)

        def reals(part: str) -> Reals | None:
            numbers = raw(part)
            return None if numbers is None else widened(numbers)

        self._check(layer)
        q, k = reals("q"), reals("k")
        assert q is not None
        assert k is not None
        sink, positions = raw("sink"), raw("positions")
        bias = seen = None
        for part in ("mask", "bias"):
            numbers = raw(part)
            if numbers is None:
                continue
            # Either may hold both.
            unmasked, added = row_mask(np.broadcast_to(numbers, (len(chosen), len(k))))
            if added is not None:
                bias = added if bias is None else bias + added
            if part == "mask" or not unmasked.all():
                seen = unmasked if seen is None else seen & unmasked
        if positions is not None and len(positions) and not _is_near(positions):
            name, ends = layer.tensors["positions"].name, (positions.min(), positions.max())
            problem = f"{inert(name)} holds {ends[0]:,} to {ends[1]:,}"
            raise InputError("capture", problem, f"whole numbers below {MOST_POSITIONS:,}")
        found = HeadRows(
            rows=chosen,
            n_queries=n_queries,
            queries=q,
            keys=k,
            values=reals("v"),
            output=reals("out"),
            weights=reals("weights"),
            bias=bias,
            seen=seen,
            sink=None if sink is None else float(sink[0]),
            positions=None if positions is None else positions.astype(np.intp),
            formats={part: tensor.format for part, tensor in layer.tensors.items()},
        )
        self._check(layer)
        return found

    def vectors(
        self, head: HeadId, part: str, reading: Reading | None = None, rows: range | None = None
    ) -> Reals:
        """Return rows of one tensor of a head and nothing else, shape (r, d); as `stored` says."""
        return widened(self.stored(head, part, reading, rows))

    def stored(
        self, head: HeadId, part: str, reading: Reading | None = None, rows: range | None = None
    ) -> Raw:
        """Return rows of one tensor of a head in the format they are stored in.

        Args:
            head: Which.
            part: ``"q"``, ``"k"``, ``"v"``, ``"out"`` …, which was captured.
            reading: How tensors are read; None for the likeliest.
            rows: Which positions, one after another; None for all.

        Raises:
            InputError: If there is no such head, or a file has changed or cannot be read.
        """
        layer, reading = self._found(head, reading)
        self._check(layer)
        queries, keys = layer.spans(head.batch, reading.dims)
        is_key = part in ("k", "v")
        along = keys if is_key else queries
        if rows is not None:
            along = slice(along.start + rows.start, along.start + rows.stop)
        at = reading.kv_head(head.head) if is_key else head.head
        numbers = layer.numbers(part, reading, head.batch, at, along, keys)
        assert numbers is not None
        return numbers

    def _check(self, layer: Layer) -> None:
        paths = {piece.path for tensor in layer.tensors.values() for piece in tensor.pieces}
        for mark in self.fingerprint.files:
            if mark.path in paths:
                mark.check()

    def _layer(self, number: int) -> Layer:
        if number not in self._layers:
            known = first_few(self.layers, 20)
            expected = known if len(self.layers) == 1 else f"one of {known}"
            raise InputError("layer", f"there is no layer {number}", expected)
        return self._layers[number]

    def _found(self, head: HeadId, reading: Reading | None) -> tuple[Layer, Reading]:
        layer = self._layer(head.layer)
        reading = reading or layer.readings[0]
        for name, at, count in (
            ("batch", head.batch, layer.batch),
            ("head", head.head, reading.dims.heads),
        ):
            if not 0 <= at < count:
                expected = "0" if count == 1 else f"one from 0 to {count - 1}"
                raise InputError(name, f"there is no {name} {at}", expected)
        return layer, reading
