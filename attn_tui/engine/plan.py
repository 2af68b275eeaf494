"""A question about a capture, and the blocks and tasks its work is cut into."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from attn_tui.captures.capture import Capture, CaptureFiles, HeadId, HeadShape
from attn_tui.compute.errors import InputError, Stop, never
from attn_tui.compute.heads.reconstruction import Reconstruction
from attn_tui.compute.heads.row_statistics import FloatFormat
from attn_tui.compute.sample import stream
from attn_tui.engine.reconstruction import reconstructions
from attn_tui.engine.request import Request

ROWS = 128
"""Rows sampled of each head by default."""

BLOCK_SECONDS, SHORT, LONG = 0.5, 0.25, 2.0
"""About how many seconds a block takes, a task of blocks on threads, and one on a cluster."""

IN_FULL = 2**27
"""The most scores, over all heads, that are computed in float64 whatever the dtype of q."""

_READ, _PER_BLOCK = 2e-9, 2e-3
"""About how many seconds it takes to read a number, and the least that a block takes."""


@dataclass(frozen=True)
class Selection:
    """A question about a capture.

    Attributes:
        rows: How many rows of each head are sampled; None for all.
        seed: The seed of the sample.
        layers: The layers to take; None for all.
        heads: The heads to take of each layer; None for all.
        request: What is asked of the weights.
    """

    rows: int | None = ROWS
    seed: int = 1
    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    request: Request = Request()

    def chosen(self, capture: Capture) -> tuple[HeadId, ...]:
        """Return the heads that the question is about.

        Raises:
            InputError: With field ``"layer"`` or ``"head"``, if the capture does not have one.
        """
        heads = capture.heads
        for name, wanted in (("layer", self.layers), ("head", self.heads)):
            numbers = {getattr(head, name) for head in heads}
            for number in wanted or ():
                if number not in numbers:
                    least, most = min(numbers), max(numbers)
                    expected = f"{most:,}" if least == most else f"one from {least:,} to {most:,}"
                    raise InputError(name, f"there is no {name} {number}", expected)
        return tuple(
            head
            for head in heads
            if (self.layers is None or head.layer in self.layers)
            and (self.heads is None or head.head in self.heads)
        )

    def sample(self, n_queries: int) -> tuple[int, ...] | None:
        """Return the rows to take of a head, rising; None for all.

        They are drawn without replacement, the same for all heads with as many queries.
        """
        if self.rows is None or self.rows >= n_queries:
            return None
        drawn = stream(self.seed, n_queries).choice(n_queries, self.rows, replace=False)
        return tuple(sorted(map(int, drawn)))

    def as_plain(self) -> dict[str, Any]:
        """Return the question as plain values for JSON."""
        return {
            "rows": self.rows,
            "seed": self.seed,
            "layers": None if self.layers is None else [*self.layers],
            "heads": None if self.heads is None else [*self.heads],
            **self.request.as_plain(),
        }


@dataclass(frozen=True)
class Block:
    """Some rows of a head, whose statistics make one partial.

    Attributes:
        index: Its place among all blocks of the selection.
        head: The head.
        rows: The numbers of the rows; None for all.
        is_first: Whether it is the first block of its head, which also takes in the keys.
        seconds: About how many seconds it takes.
    """

    index: int
    head: HeadId
    rows: Sequence[int] | None
    is_first: bool
    seconds: float


@dataclass(frozen=True)
class Task:
    """Blocks that are computed together, and all that a worker needs for them.

    Attributes:
        blocks: The blocks, at least one.
        capture: The capture of the blocks; a worker opens it anew, and it must be the same.
        request: What is asked of the weights.
        masks: How the weights of each layer in the blocks are made, with its reading.
        computed_in: The dtype of scores and weights.
    """

    blocks: tuple[Block, ...]
    capture: CaptureFiles
    request: Request
    masks: Mapping[int, Reconstruction]
    computed_in: FloatFormat = "float32"


@dataclass(frozen=True, eq=False)
class Plan:
    """A question and the blocks of its work, which follow from it and the capture alone.

    Attributes:
        capture: The tensors.
        selection: The selection.
        masks: How the weights of each layer are made, for all layers with blocks.
        blocks: All blocks, by head and row.
        computed_in: The dtype of scores and weights: float64 for captures in float64, and for at
            most `IN_FULL` scores.
    """

    capture: Capture
    selection: Selection
    masks: Mapping[int, Reconstruction]
    blocks: tuple[Block, ...]
    computed_in: FloatFormat = "float32"

    @staticmethod
    def of(capture: Capture, selection: Selection, stop: Stop = never) -> "Plan":
        """Return the plan of a question; if it is stopped, the masks of some layers are missing.

        Raises:
            InputError: If the capture lacks a wanted head, or a file cannot be read.
        """
        chosen = selection.chosen(capture)
        layers = [*dict.fromkeys(head.layer for head in chosen)]
        masks = reconstructions(capture, selection.request, layers, stop)
        scores = 0
        for head in chosen:
            shape = capture.shape(head)
            scores += min(selection.rows or shape.n_queries, shape.n_queries) * shape.n_keys
        tensors = [capture.tensors(layer)[part] for layer in layers for part in "qk"]
        is_full = scores <= IN_FULL or any(tensor.format == "float64" for tensor in tensors)
        blocks = tuple(_blocks(capture, selection, chosen))
        return Plan(capture, selection, masks, blocks, "float64" if is_full else "float32")

    @cached_property
    def heads(self) -> tuple[HeadId, ...]:
        """The heads of the selection, by sequence, layer and head."""
        return tuple(dict.fromkeys(block.head for block in self.blocks))

    @cached_property
    def places(self) -> Mapping[HeadId, int]:
        """The index of each head in `heads`."""
        return {head: place for place, head in enumerate(self.heads)}

    @property
    def n_heads(self) -> int:
        """How many heads the layer with the most has."""
        return 1 + max(head.head for head in self.heads)

    @cached_property
    def n_batches(self) -> int:
        """How many sequences there are."""
        return 1 + max(head.batch for head in self.heads)

    @property
    def stated(self) -> tuple[str, ...]:
        """Sentences on what was recognised in the capture, with layers read as the output says."""
        return self.capture.states(
            {
                layer: self.capture.readings(layer)[mask.reading]
                for layer, mask in self.masks.items()
                if mask.fits
            }
        )

    def tasks(self, seconds: float = SHORT) -> Iterator[Task]:
        """Yield tasks of about the given number of seconds that cover all blocks."""
        run: list[Block] = []
        for block in self.blocks:
            run.append(block)
            if sum(block.seconds for block in run) >= seconds:
                yield self.task(run)
                run = []
        if run:
            yield self.task(run)

    def task(self, blocks: Sequence[Block]) -> Task:
        """Return a task made of some blocks."""
        masks = {block.head.layer: self.masks[block.head.layer] for block in blocks}
        request = self.selection.request
        return Task(tuple(blocks), self.capture.asked, request, masks, self.computed_in)


def _blocks(capture: Capture, selection: Selection, heads: Sequence[HeadId]) -> Iterator[Block]:
    index = 0
    for head in heads:
        shape = capture.shape(head)
        sampled = selection.sample(shape.n_queries)
        rows = range(shape.n_queries) if sampled is None else sampled
        at_once = max(int(BLOCK_SECONDS / _seconds(shape, 1)) // 128 * 128, 128)
        is_single = sampled is None and len(rows) <= at_once
        for start in range(0, len(rows), at_once):
            part = rows[start : start + at_once]
            seconds = _PER_BLOCK + _seconds(shape, len(part)) + (shape.n_keys * shape.d_k) * _READ
            yield Block(index, head, None if is_single else part, start == 0, seconds)
            index += 1


def _seconds(shape: HeadShape, rows: int) -> float:
    """Return about how many seconds the statistics of some rows take."""
    return float(rows * shape.n_keys * (1.0 + shape.d_k / 50) * 1e-9 + rows * 1e-7)
