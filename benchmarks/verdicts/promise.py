"""The output that a configuration promises, in float64, beside the one that was captured.

It needs no doctor: whatever the promise leaves open is taken from the capture, and nothing else.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from attn_tui.captures.capture import Capture
from attn_tui.compute.heads.head_model import LEARNED, PARTS, Alibi
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.files.models.opening import open_configured
from attn_tui.files.models.promise import Promise


@dataclass(frozen=True)
class Agreement:
    """How far the captured output of a layer is from what its configuration promises.

    Attributes:
        layer: The number of the layer in the capture.
        kind: The architecture that it is of, as the capture has it; or empty.
        stated: Whether the configuration promises all parts; False for a class that is not known.
        error: The largest error of a row, relative to the largest of its values weighted by the
            softmax; NaN if a part is open that the capture does not have either, or no row sees
            a key.
        spread: The standard deviation of the logits within rows: near 0, no multiplier shows.
        hidden: Whether a mask was captured that hides other keys than the promised one.
        open: The parts that the capture has to complete.
    """

    layer: int
    kind: str
    stated: bool
    error: float
    spread: float
    hidden: bool
    open: tuple[str, ...]


def agreements(folder: Path) -> Iterator[Agreement]:
    """Yield how each layer of a capture agrees with the config.json beside it.

    Args:
        folder: It holds ``capture.safetensors`` and ``config.json``.
    """
    paths = [str(folder / "capture.safetensors")]
    opened = open_configured(paths, config=str(folder / "config.json")).settled()
    assert opened.expectation is not None
    for layer in opened.capture.layers:
        heads = [head for head in opened.capture.heads if head.layer == layer]
        promise = opened.expectation.of(layer, opened.capture.shape(heads[0]).d_k)
        yield _of_layer(opened.capture, layer, promise)


def _of_layer(capture: Capture, layer: int, promise: Promise) -> Agreement:
    errors, spreads, hidden = [], [], False
    for head in capture.heads:
        if head.layer == layer:
            rows = capture.read(head)
            error, spread = _error(rows, promise, head.head)
            errors.append(error)
            spreads.append(spread)
            hidden |= _hides_more(rows, promise)
    parts = {"sink": promise.sink == LEARNED, "bias": promise.bias == LEARNED}
    parts |= {"mask": promise.mask_varies}
    return Agreement(
        layer,
        str(capture.config.get(f"{layer}.config", "")),
        promise.stated == frozenset(PARTS),
        float(np.max(errors)),
        float(np.median(spreads)),
        hidden,
        tuple(part for part, is_open in parts.items() if is_open),
    )


def promised_output(rows: HeadRows, promise: Promise, head: int) -> NDArray[np.float64]:
    """Return what is promised of a head, shape (r, d_v)."""
    assert rows.values is not None
    weights = _weights(rows, promise, head)
    scale = promise.model(rows, head).value_scale
    output: NDArray[np.float64] = scale * (weights @ rows.values.astype(np.float64))
    return output


def _error(rows: HeadRows, promise: Promise, head: int) -> tuple[float, float]:
    assert rows.values is not None
    assert rows.output is not None
    seen = _seen(rows, promise)
    sees = seen.any(axis=1)
    if not sees.any():
        return float("nan"), 0.0
    promised = promised_output(rows, promise, head)
    sizes = np.abs(rows.values.astype(np.float64))
    scale = np.max(_weights(rows, promise, head) @ sizes, axis=1)
    off = np.max(np.abs(rows.output - promised), axis=1) / np.maximum(scale, 1e-30)
    spread = np.where(seen, _logits(rows, promise, head), np.nan)[sees]
    return float(off[sees].max(initial=0.0)), float(np.median(np.nanstd(spread, axis=1)))


def _seen(rows: HeadRows, promise: Promise) -> NDArray[np.bool_]:
    """Return which keys rows see, shape (r, n): as captured where the input decides it."""
    if promise.mask_varies and rows.seen is not None:
        return rows.seen
    return promise.head_mask(rows).seen(rows)


def _weights(rows: HeadRows, promise: Promise, head: int) -> NDArray[np.float64]:
    shown = np.where(_seen(rows, promise), _logits(rows, promise, head), -np.inf)
    sinks = np.empty((len(shown), 0))
    if promise.sink == LEARNED:
        sinks = np.full((len(shown), 1), np.nan if rows.sink is None else rows.sink)
    return _softmax(np.hstack([shown, sinks]))[:, : rows.n_keys]


def _logits(rows: HeadRows, promise: Promise, head: int) -> NDArray[np.float64]:
    """Return the promised logits of all keys, shape (r, n)."""
    model = promise.model(rows, head)
    queries, keys = rows.queries.astype(np.float64), rows.keys.astype(np.float64)
    logits: NDArray[np.float64] = model.multiplier * (queries @ keys.T)
    if model.softcap is not None:
        logits = model.softcap * np.tanh(logits / model.softcap)
    if isinstance(model.bias, Alibi):
        logits = logits + model.bias.bias(rows, model.mask)
    if promise.bias == LEARNED and rows.bias is not None:
        logits = logits + rows.bias
    return logits


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    top = np.max(logits, axis=1, keepdims=True)
    weights = np.exp(logits - np.where(np.isfinite(top), top, 0.0))
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300))


def _hides_more(rows: HeadRows, promise: Promise) -> bool:
    if rows.seen is None or promise.mask_varies or promise.mask is None:
        return False
    return bool((promise.head_mask(rows).seen(rows) != rows.seen).any())
