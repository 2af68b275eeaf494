"""An open capture: the heads it has, and the rows of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from attn_tui.captures.fingerprint import Fingerprint
from attn_tui.captures.layer import Layer, Tensor, row_mask
from attn_tui.captures.layouts import Layout, layout_words
from attn_tui.captures.readings import Reading
from attn_tui.captures.statements import readings_text
from attn_tui.captures.stored import Raw, widened
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.rows import HeadRows, Reals
from attn_tui.compute.text import first_few

MOST_POSITIONS = 2**24
"""The bound of query positions, in keys on either side of the first."""

States = Callable[[Mapping[int, Reading]], tuple[str, ...]]
"""Returns sentences on what was recognised, given how the output says some layers are read."""


def _are_moderate(positions: Raw) -> bool:
    return int(positions.max()) < MOST_POSITIONS and int(positions.min()) > -MOST_POSITIONS


@dataclass(frozen=True, order=True)
class HeadId:
    """One head of one sequence.

    Attributes:
        batch: The number of the sequence.
        layer: The number of the layer in the model.
        head: The number of the query head.
    """

    batch: int
    layer: int
    head: int


@dataclass(frozen=True)
class HeadShape:
    """The size of a head.

    Attributes:
        n_queries: The number of queries, n_q.
        n_keys: The number of keys, n.
        d_k: The length of a query.
        d_v: The length of a value; 0 without values.
        kv_head: The number of the KV head whose keys and values it has.
        has: The parts that were captured: ``q``, ``k``, ``v``, ``out`` …
        left_out: How many queries and keys stand after these, which captured lengths leave out.
    """

    n_queries: int
    n_keys: int
    d_k: int
    d_v: int
    kv_head: int
    has: frozenset[str]
    left_out: tuple[int, int] = (0, 0)


class CaptureFiles(NamedTuple):
    """How a capture was opened: enough to open it again, and to check that it is the same.

    Attributes:
        paths: The paths of the files.
        layout: The axes of tensors, as typed.
        names: The names of tensors, as typed.
        fingerprint: Tells this version of the files from others.
    """

    paths: tuple[str, ...]
    layout: str
    names: str
    fingerprint: Fingerprint


@dataclass(frozen=True, eq=False)
class Capture:
    """Tensors of a model in files; only headers have been read.

    Attributes:
        asked: The files, and how they are read.
        states: Returns sentences on what was recognised.
        config: What the metadata says about the model: claims, which shapes may contradict.
    """

    asked: CaptureFiles
    states: States
    config: Mapping[str, Any]
    _layers: Mapping[int, Layer]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files."""
        return self.asked.paths

    @property
    def fingerprint(self) -> Fingerprint:
        """The fingerprint of this version of the files."""
        return self.asked.fingerprint

    @cached_property
    def stated(self) -> tuple[str, ...]:
        """Sentences on what was recognised from headers alone."""
        return self.states({})

    @property
    def layers(self) -> tuple[int, ...]:
        """The numbers of the layers that have heads, rising."""
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
        """Return the captured tensors of a layer, by part.

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
        """Return the readings of a layer that nothing tells apart; empty if one is known.

        Raises:
            InputError: If there is no such layer.
        """
        return self._layer(layer).undecided

    def settled(self, layers: Sequence[int] | None = None) -> "Capture":
        """Return itself after checking that it is known how layers are read.

        Args:
            layers: The numbers of the layers to be read; None for all.

        Raises:
            InputError: With field ``"layout"``, if nothing tells how one of them is read.
        """
        for number, layer in self._layers.items():
            is_wanted = layers is None or number in layers
            if is_wanted and (undecided := layer.undecided):
                ways = " or ".join(layout_words(reading.layout("q")) for reading in undecided)
                problem = f"q of layer {number} is {ways}, and no output tells which"
                raise InputError("layout", problem, readings_text(undecided))
        return self

    def of_layers(self, layers: Sequence[int]) -> "Capture":
        """Return the capture with some of its layers alone, under the numbers that they have.

        Raises:
            InputError: If there is no such layer.
        """
        return replace(self, _layers={number: self._layer(number) for number in sorted(layers)})

    def part(self, layer: int, part: str) -> tuple[Tensor, Layout]:
        """Return a mask, bias or the like of a layer, with its axes.

        Raises:
            InputError: If there is no such layer.
        """
        of_layer = self._layer(layer)
        return of_layer.tensors[part], of_layer.aside[part]

    def with_parts(self, layer: int, parts: Mapping[str, tuple[Tensor, Layout]]) -> "Capture":
        """Return the capture with other masks, biases or the like in a layer.

        Args:
            layer: The number of the layer.
            parts: Tensors with their axes, by part.

        Raises:
            InputError: If there is no such layer.
        """
        of_layer = self._layer(layer)
        tensors = {part: tensor for part, (tensor, _) in parts.items()}
        axes = {part: layout for part, (_, layout) in parts.items()}
        changed = replace(
            of_layer, tensors={**of_layer.tensors, **tensors}, aside={**of_layer.aside, **axes}
        )
        return replace(self, _layers={**self._layers, layer: changed})

    def shape(self, head: HeadId, reading: Reading | None = None) -> HeadShape:
        """Return the size of a head.

        Raises:
            InputError: If there is no such head.
        """
        layer, reading = self._located(head, reading)
        dims = reading.dims
        queries, keys = layer.spans(head.batch, dims)
        left_out = (0, 0)
        if layer.lengths and not layer.is_packed:
            left_out = (dims.queries - queries.stop, dims.keys - keys.stop)
        return HeadShape(
            queries.stop - queries.start,
            keys.stop - keys.start,
            dims.d_k,
            dims.d_v,
            reading.kv_head(head.head),
            frozenset(layer.tensors),
            left_out,
        )

    def read(
        self,
        head: HeadId,
        rows: Sequence[int] | None = None,
        reading: Reading | None = None,
        neighbour: HeadRows | None = None,
    ) -> HeadRows:
        """Return rows of a head with all of its keys and values; nothing else is read.

        Args:
            head: The head.
            rows: The numbers of queries, rising; None for all.
            reading: How tensors are read; None for the likeliest reading.
            neighbour: Rows of a head with the same KV head, whose keys and values are not read
                again.

        Raises:
            InputError: If there is no such head or row, or a file has changed or cannot be read.
        """
        layer, reading = self._located(head, reading)
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
        q = reals("q")
        k, v = (reals("k"), reals("v")) if neighbour is None else (neighbour.keys, neighbour.values)
        assert q is not None
        assert k is not None
        sink, positions = raw("sink"), raw("positions")
        bias = seen = None
        for part in ("mask", "bias"):
            numbers = raw(part)
            if numbers is None:
                continue
            # A mask may add to logits, and a bias may mask keys.
            unmasked, added = row_mask(np.broadcast_to(numbers, (len(chosen), len(k))))
            if added is not None:
                bias = added if bias is None else bias + added
            if part == "mask" or not unmasked.all():
                seen = unmasked if seen is None else seen & unmasked
        if positions is not None and len(positions) and not _are_moderate(positions):
            name, ends = layer.tensors["positions"].name, (positions.min(), positions.max())
            problem = f"{inert(name)} holds {ends[0]:,} to {ends[1]:,}"
            raise InputError("capture", problem, f"whole numbers below {MOST_POSITIONS:,}")
        head_rows = HeadRows(
            rows=chosen,
            n_queries=n_queries,
            queries=q,
            keys=k,
            values=v,
            output=reals("out"),
            weights=reals("weights"),
            bias=bias,
            seen=seen,
            sink=None if sink is None else float(sink[0]),
            positions=None if positions is None else positions.astype(np.intp),
            formats={part: tensor.format for part, tensor in layer.tensors.items()},
        )
        self._check(layer)
        return head_rows

    def vectors(
        self, head: HeadId, part: str, reading: Reading | None = None, rows: range | None = None
    ) -> Reals:
        """Return rows of one tensor of a head as floats, shape (r, d); otherwise like `stored`."""
        return widened(self.stored(head, part, reading, rows))

    def stored(
        self, head: HeadId, part: str, reading: Reading | None = None, rows: range | None = None
    ) -> Raw:
        """Return rows of one tensor of a head in the format they are stored in.

        Args:
            head: The head.
            part: A captured part: ``"q"``, ``"k"``, ``"v"``, ``"out"`` …
            reading: How tensors are read; None for the likeliest reading.
            rows: A run of positions; None for all.

        Raises:
            InputError: If there is no such head, or a file has changed or cannot be read.
        """
        layer, reading = self._located(head, reading)
        self._check(layer)
        queries, keys = layer.spans(head.batch, reading.dims)
        is_key = part in ("k", "v")
        along = keys if is_key else queries
        if rows is not None:
            along = slice(along.start + rows.start, along.start + rows.stop)
        index = reading.kv_head(head.head) if is_key else head.head
        numbers = layer.numbers(part, reading, head.batch, index, along, keys)
        assert numbers is not None
        return numbers

    def _check(self, layer: Layer) -> None:
        paths = {piece.path for tensor in layer.tensors.values() for piece in tensor.pieces}
        for mark in self.fingerprint.files:
            if mark.path in paths:
                mark.check()

    def _layer(self, number: int) -> Layer:
        if number not in self._layers:
            first = first_few(self.layers, 20)
            expected = first if len(self.layers) == 1 else f"one of {first}"
            raise InputError("layer", f"there is no layer {number}", expected)
        return self._layers[number]

    def _located(self, head: HeadId, reading: Reading | None) -> tuple[Layer, Reading]:
        layer = self._layer(head.layer)
        reading = reading or layer.readings[0]
        for name, index, count in (
            ("batch", head.batch, layer.batch),
            ("head", head.head, reading.dims.heads),
        ):
            if not 0 <= index < count:
                expected = "0" if count == 1 else f"one from 0 to {count - 1}"
                raise InputError(name, f"there is no {name} {index}", expected)
        return layer, reading
