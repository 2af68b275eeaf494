"""The blocks that a question cuts the heads of a capture into, whoever works them off."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from attn_tui.captures.capture import Asked, Capture, HeadId, HeadShape
from attn_tui.compute.errors import InputError, Stop, never
from attn_tui.compute.heads.reconstruction import Reconstruction
from attn_tui.compute.heads.row_statistics import Format
from attn_tui.compute.sample import stream
from attn_tui.engine.finding import found_masks
from attn_tui.engine.making import Making

ROWS = 128
"""Rows that are sampled of each head unless asked otherwise."""

BLOCK_SECONDS, SHORT, LONG = 0.5, 0.25, 2.0
"""About how long a block takes, and a task of several: on threads, and where tasks travel."""

IN_FULL = 2**27
"""Scores, of all heads together, up to which they are worked out in float64, whatever q is."""

_READ, _EACH = 2e-9, 2e-3
"""Seconds to read a number, and what any block takes however small it is, about."""


@dataclass(frozen=True)
class Question:
    """What is asked about a capture.

    Attributes:
        rows: How many rows of each head are sampled; None for all.
        seed: Of the sample.
        layers: Which layers; None for all.
        heads: Which heads of each; None for all.
        making: How weights are made.
    """

    rows: int | None = ROWS
    seed: int = 1
    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    making: Making = Making()

    def chosen(self, capture: Capture) -> tuple[HeadId, ...]:
        """Return the heads that are asked for.

        Raises:
            InputError: With field ``"layer"`` or ``"head"``, if there is none such.
        """
        known = capture.heads
        for name, wanted in (("layer", self.layers), ("head", self.heads)):
            there = {getattr(each, name) for each in known}
            for each in wanted or ():
                if each not in there:
                    least, most = min(there), max(there)
                    expected = f"{most}" if least == most else f"one from {least} to {most}"
                    raise InputError(name, f"there is no {name} {each}", expected)
        return tuple(
            each
            for each in known
            if (self.layers is None or each.layer in self.layers)
            and (self.heads is None or each.head in self.heads)
        )

    def sample(self, n_queries: int) -> tuple[int, ...] | None:
        """Return the rows that are looked at of a head, rising; None for all.

        They are drawn without putting back, the same of all heads with so many queries.
        """
        if self.rows is None or self.rows >= n_queries:
            return None
        drawn = stream(self.seed, n_queries).choice(n_queries, self.rows, replace=False)
        return tuple(sorted(map(int, drawn)))

    def as_plain(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "rows": self.rows,
            "seed": self.seed,
            "layers": None if self.layers is None else [*self.layers],
            "heads": None if self.heads is None else [*self.heads],
            **self.making.as_plain(),
        }


@dataclass(frozen=True)
class Block:
    """Some rows of a head, whose statistics are one partial.

    Attributes:
        index: Its place among all blocks of the question.
        head: Which head.
        rows: Which rows; None for all.
        is_first: Whether it is the first of its head, in which keys count.
        seconds: About how long it takes.
    """

    index: int
    head: HeadId
    rows: Sequence[int] | None
    is_first: bool
    seconds: float


@dataclass(frozen=True)
class Task:
    """Blocks that are worked off together, and all a worker needs to find them.

    Attributes:
        blocks: At least one.
        capture: Of which they are: it is opened anew, and has to be the same.
        making: How weights are made.
        masks: Of each layer that there is in the blocks, its mask and which reading it has.
        computed_in: The dtype of scores and weights.
    """

    blocks: tuple[Block, ...]
    capture: Asked
    making: Making
    masks: Mapping[int, Reconstruction]
    computed_in: Format = "float32"


@dataclass(frozen=True, eq=False)
class Plan:
    """A question, and the blocks it comes to: a function of these and of the capture alone.

    Attributes:
        capture: The tensors.
        question: What is asked.
        masks: What is known of the mask of each layer; of all that are to be worked off.
        blocks: All blocks, by head and row.
        computed_in: The dtype of scores and weights: float64 of captures in float64, and where
            there are at most `IN_FULL` scores.
    """

    capture: Capture
    question: Question
    masks: Mapping[int, Reconstruction]
    blocks: tuple[Block, ...]
    computed_in: Format = "float32"

    @staticmethod
    def of(capture: Capture, question: Question, stop: Stop = never) -> "Plan":
        """Return the plan of a question; if it is stopped, without masks of some layers.

        Raises:
            InputError: If there are no such heads, or a file cannot be read.
        """
        chosen = question.chosen(capture)
        layers = [*dict.fromkeys(head.layer for head in chosen)]
        masks = found_masks(capture, question.making, layers, stop)
        scores = 0
        for head in chosen:
            shape = capture.shape(head)
            scores += min(question.rows or shape.n_queries, shape.n_queries) * shape.n_keys
        tensors = [capture.tensors(layer)[part] for layer in layers for part in "qk"]
        is_full = scores <= IN_FULL or any(each.format == "float64" for each in tensors)
        blocks = tuple(_blocks(capture, question, chosen))
        return Plan(capture, question, masks, blocks, "float64" if is_full else "float32")

    @cached_property
    def heads(self) -> tuple[HeadId, ...]:
        """The heads that are asked for, by sequence, layer and head."""
        return tuple(dict.fromkeys(block.head for block in self.blocks))

    @cached_property
    def places(self) -> Mapping[HeadId, int]:
        """The place of each head among all."""
        return {head: place for place, head in enumerate(self.heads)}

    @cached_property
    def n_heads(self) -> int:
        """The heads of the layer that has most."""
        return 1 + max(head.head for head in self.heads)

    @cached_property
    def n_batches(self) -> int:
        """How many sequences there are."""
        return 1 + max(head.batch for head in self.heads)

    @cached_property
    def stated(self) -> tuple[str, ...]:
        """What was recognised in the capture, in sentences, read as the output says."""
        return self.capture.states(
            {
                layer: self.capture.readings(layer)[found.reading]
                for layer, found in self.masks.items()
                if found.fits
            }
        )

    def tasks(self, seconds: float = SHORT) -> Iterator[Task]:
        """Yield tasks of about so many seconds that cover all blocks."""
        run: list[Block] = []
        for block in self.blocks:
            run.append(block)
            if sum(each.seconds for each in run) >= seconds:
                yield self.task(run)
                run = []
        if run:
            yield self.task(run)

    def task(self, blocks: Sequence[Block]) -> Task:
        """Return one task of some blocks."""
        masks = {block.head.layer: self.masks[block.head.layer] for block in blocks}
        making = self.question.making
        return Task(tuple(blocks), self.capture.asked, making, masks, self.computed_in)


def _blocks(capture: Capture, question: Question, heads: Sequence[HeadId]) -> Iterator[Block]:
    index = 0
    for head in heads:
        shape = capture.shape(head)
        sampled = question.sample(shape.n_queries)
        rows = range(shape.n_queries) if sampled is None else sampled
        at_once = max(int(BLOCK_SECONDS / _seconds(shape, 1)) // 128 * 128, 128)
        whole = sampled is None and len(rows) <= at_once
        for start in range(0, len(rows), at_once):
            part = rows[start : start + at_once]
            seconds = _EACH + _seconds(shape, len(part)) + (shape.n_keys * shape.d_k) * _READ
            yield Block(index, head, None if whole else part, start == 0, seconds)
            index += 1


def _seconds(shape: HeadShape, rows: int) -> float:
    """Return about how long statistics of so many rows take."""
    return float(rows * shape.n_keys * (1.0 + shape.d_k / 50) * 1e-9 + rows * 1e-7)
