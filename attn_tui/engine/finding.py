"""How the weights of each layer are made: masks are tried on one head, and a miss is fitted."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from math import inf

from attn_tui.captures.capture import Capture, HeadId, HeadShape
from attn_tui.captures.layouts import layout_words
from attn_tui.captures.readings import Reading
from attn_tui.compute.blas import one_thread
from attn_tui.compute.errors import InputError
from attn_tui.compute.experiment import Stop, never
from attn_tui.compute.fit.explain import Explained, Question, explain
from attn_tui.compute.fit.head import Path
from attn_tui.compute.fit.model import Model
from attn_tui.compute.fit.noise import PATHS
from attn_tui.compute.fit.sink import sink_of
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.engine.found import TRIED, FoundMask, How, by_of, sampled, told
from attn_tui.engine.making import Making

_HEADS = 4
"""Heads of a layer that are fitted until one says its multiplier, or are tried with a sink."""

_SEARCHES, _VAIN = 1, 3
"""After so many layers in a row that nothing fitted, none is searched, and none is fitted."""


def found_masks(
    capture: Capture, making: Making, layers: Sequence[int], stop: Stop = never
) -> dict[int, FoundMask]:
    """Return how the weights of each layer are made, found on a few rows of one of its heads.

    Layers that were not looked at before it was stopped are missing.

    Args:
        capture: The tensors.
        making: How weights are asked to be made.
        layers: Which.
        stop: Whether to stop, which is asked between two layers.

    Raises:
        InputError: If a mask that was asked for as given was not captured.
    """
    finder = _Finder(capture, making)
    with one_thread():
        wanted = takewhile(lambda _: not stop(), layers)
        found = {layer: finder.placed(layer, finder.found(layer)) for layer in wanted}
    # A model is rounded in one way: a head that misses by what that makes needs no fit of its own.
    path: Path = max((each.path for each in found.values()), key=PATHS.index, default="float32")
    return {layer: replace(each, path=path) for layer, each in found.items()}


def assumed_mask(shape: HeadShape) -> HeadMask:
    """Return the mask that is assumed where nothing tells: causal, the last query at the last key.

    More queries than keys are those of cross attention, which has none.
    """
    offset = shape.n_keys - shape.n_queries
    return HeadMask("causal", offset) if offset >= 0 else HeadMask()


class _Finder:
    """Finds how weights are made, layer after layer, each first as the last one was.

    Args:
        capture: The tensors.
        making: How weights are asked to be made.
    """

    def __init__(self, capture: Capture, making: Making) -> None:
        self.capture, self.making, self.asked = capture, making, making
        self.vain = 0
        self.last = FoundMask(HeadMask(), "assumed")

    def found(self, layer: int) -> FoundMask:
        """Return what is known of a layer."""
        self.making = self.asked.at_layer(layer)
        heads = self._heads(layer)
        # What keys a head has is seen at the second, where it has others than the first.
        head = next((each for each in heads if each.head == 1), heads[0])
        shape = self.capture.shape(head)
        masks, how = self._masks(shape, layer)
        by, guess = by_of(shape.has), assumed_mask(shape) if how == "output" else masks[0]
        if by is None:
            return FoundMask(guess, "assumed" if how == "output" else how)
        nearest = self._nearest(head, masks, FoundMask(masks[0], how, by=by))
        nearest = replace(nearest, what_if=self.making.own_rule)
        if nearest.fits and not nearest.tells:
            head, nearest = self._telling(head, nearest)
        if nearest.fits:
            return nearest if self.making.own_rule else self._with_sinks(nearest, layer)
        if self.making.own_rule and how != "output":
            return nearest
        if how == "output":
            nearest = replace(nearest, how="nearest")
        known = self._fitted(head, nearest)
        if not known.fits and (near := self._loose(head, replace(nearest, how=how))).fits:
            return near
        if known is nearest:
            untold = how == "output" and nearest.residual is None
            return replace(nearest, mask=guess, how="assumed") if untold else nearest
        if known.fits:
            self.last = known
        return replace(known, what_if=self.making.own_rule or self.making.asks_more)

    def placed(self, layer: int, found: FoundMask) -> FoundMask:
        """Return what is known of a layer with query 0 where it was captured, if it was."""
        head = self._heads(layer)[0]
        reading = self.capture.readings(layer)[found.reading]
        if "positions" not in self.capture.tensors(layer):
            return found
        rows = self.capture.read(head, sampled(self.capture.shape(head).n_queries, TRIED), reading)
        return replace(found, mask=found.mask.placed(rows))

    def _heads(self, layer: int) -> list[HeadId]:
        return [each for each in self.capture.heads if (each.batch, each.layer) == (0, layer)]

    def _masks(self, shape: HeadShape, layer: int) -> tuple[list[HeadMask], How]:
        """Return the masks to try, and how it is known that it is one of them."""
        choice = self.making.mask
        if choice.kind == "given" and "mask" not in shape.has:
            problem = f"no mask was captured in layer {layer}"
            raise InputError("mask", problem, "auto, none, causal or window:KEYS")
        if choice.kind != "auto":
            return [choice.mask(shape)], "asked"
        if "mask" in shape.has:
            return [HeadMask("given")], "captured"
        corners = dict.fromkeys((shape.n_keys - shape.n_queries, 0))
        return [HeadMask(), *(HeadMask("causal", corner) for corner in corners)], "output"

    def _nearest(self, head: HeadId, masks: Sequence[HeadMask], found: FoundMask) -> FoundMask:
        """Return the mask and the reading that miss least, without a fit."""
        rows = sampled(self.capture.shape(head).n_queries, TRIED)
        readings = self.capture.readings(head.layer)
        tried: list[FoundMask] = []
        for at, reading in enumerate(readings):
            if reading.dims != readings[0].dims:
                # Of which heads there are the doctor asks.
                continue
            some, read_as = self.capture.read(head, rows, reading), _unlike(readings[0], reading)
            known = replace(found, reading=at, read_as=read_as, path=self.last.path)
            tried += [replace(known, mask=mask).judged(self.making, some) for mask in masks]
        return min(tried, key=lambda each: inf if each.residual is None else each.residual)

    def _loose(self, head: HeadId, found: FoundMask) -> FoundMask:
        """Return what is found of a head, as it counts where nothing misses as rounding does."""
        rows = sampled(self.capture.shape(head).n_queries, TRIED)
        reading = self.capture.readings(head.layer)[found.reading]
        return found.judged(self.making, self.capture.read(head, rows, reading), loose=True)

    def _telling(self, head: HeadId, found: FoundMask) -> tuple[HeadId, FoundMask]:
        """Return another head of the layer that would show if m were far off, or the head again."""
        heads = self._heads(head.layer)
        for at in sampled(len(heads), _HEADS):
            rows = sampled(self.capture.shape(heads[at]).n_queries)
            reading = self.capture.readings(head.layer)[found.reading]
            known = found.judged(self.making, self.capture.read(heads[at], rows, reading))
            if known.residual is not None and known.tells:
                return heads[at], known
        return head, found

    def _fitted(self, head: HeadId, nearest: FoundMask) -> FoundMask:
        """Return what a fit finds of a head or another, or the nearest again."""
        best = nearest
        others = [each for each in self._heads(head.layer) if each != head]
        for each in [head, *others][:_HEADS]:
            if self.vain >= _VAIN:
                break
            rows, explained, at = self._fit(each, nearest)
            self.vain = 0 if explained.explains else self.vain + 1
            readings = self.capture.readings(each.layer)
            read = replace(nearest, reading=at, read_as=_unlike(readings[0], readings[at]))
            known = told(self.making, rows, explained, read)
            if known is None:
                break
            best = known
            # Of a head whose rows are all on one key it may be any large number.
            if (known.fits and known.tells) or known.by_row:
                break
        return best

    def _fit(self, head: HeadId, nearest: FoundMask) -> tuple[HeadRows, Explained, int]:
        """Return rows of a head and what explains them, the likely reading first, and which."""
        readings = self.capture.readings(head.layer)
        places = sampled(self.capture.shape(head).n_queries)
        order = sorted(range(len(readings)), key=lambda index: index != nearest.reading)
        order = [at for at in order if readings[at].dims == readings[0].dims]
        best: tuple[HeadRows, Explained, int] | None = None
        for at in order:
            rows = self.capture.read(head, places, readings[at])
            m = self.making.scale.multiplier(rows.d_k, rows.n_keys)
            # A mask that the output is to tell may be any.
            is_open = nearest.how == "nearest" and rows.seen is None
            mask = HeadMask("given") if rows.seen is not None else nearest.mask
            question = Question(
                Model(m, sink=rows.sink, mask=mask), frozenset() if is_open else frozenset({"mask"})
            )
            last = at == order[-1] and self.vain < _SEARCHES
            known = explain(rows, question, search=last and len(order) == 1)
            if best is None or known.explains:
                best = rows, known, at
            if known.explains:
                break
        assert best is not None
        if not best[1].explains and len(order) > 1 and self.vain < _SEARCHES:
            rows = best[0]
            best = rows, explain(rows, question), best[2]
        return best

    def _with_sinks(self, found: FoundMask, layer: int) -> FoundMask:
        """Return what is found of a layer, with sinks where a head fits with its own alone."""
        heads = self._heads(layer)
        reading = self.capture.readings(layer)[found.reading]
        for at in sampled(len(heads), _HEADS):
            n_queries = self.capture.shape(heads[at]).n_queries
            rows = self.capture.read(heads[at], sampled(n_queries), reading)
            made = found.weighing(self.making, rows)
            asked = not self.making.captured_sink
            if made.map.sink is not None or asked or found.miss(self.making, rows).fits:
                continue
            own = replace(found, sink=sink_of(rows, made))
            if own.sink is not None and own.miss(self.making, rows).fits:
                return replace(own, how="fit" if found.how == "output" else found.how)
        return found


def _unlike(first: Reading, found: Reading) -> str:
    """Return in words what of a reading is unlike the first."""
    usual = dict(first.layouts)
    parts = [
        f"{part} {layout_words(axes)}" for part, axes in found.layouts if usual.get(part) != axes
    ]
    if found.kv_mapping != first.kv_mapping:
        kv_heads = found.dims.kv_heads
        by = {"interleaved": f"h mod {kv_heads}", "grouped": "of its neighbours"}
        parts.append(f"head h has keys and values {by[found.kv_mapping]}")
    return ", ".join(parts)
