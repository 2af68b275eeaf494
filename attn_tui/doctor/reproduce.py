"""One row of a head as a five-line script for a bug report: expected and captured output."""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.fit.case import parameters_of
from attn_tui.compute.fit.head import compute, rows_of, taken
from attn_tui.compute.heads.head_model import LEARNED, Alibi, HeadModel
from attn_tui.compute.heads.rows import HeadRows

MOST_KEYS, MOST_ROWS = 32, 256
"""The most keys of the printed row, if any row sees as few, and the most rows to try."""


def place_of(text: str) -> tuple[int, int]:
    """Return the layer and the head named by ``3.7``.

    Raises:
        InputError: With field ``"reproduce"``.
    """
    layer, dot, head = text.strip().partition(".")
    if not (dot and all(part.isascii() and part.isdecimal() for part in (layer, head))):
        raise InputError(
            "reproduce", f"{inert(text.strip())} is no head", "LAYER.HEAD, such as 3.7"
        )
    return int(layer), int(head)


def reproduce(called: str, head: HeadRows, model: HeadModel) -> Iterator[str]:
    """Yield the lines of a script that needs only NumPy.

    It computes the row and the channel that miss the expected output by most, among rows that see
    few keys.

    Args:
        called: The name of the head, in words.
        head: All of its rows, with values and output.
        model: The expected model; a sink of unknown logit is left out.

    Raises:
        InputError: With field ``"reproduce"``, if values or output were not captured.
    """
    if head.values is None or head.output is None:
        raise InputError("reproduce", f"{called} has no v or no out", "both")
    counts = model.mask.seen(head).sum(axis=1)
    # Rows that see more than one key, if any do; with few keys, or else with the fewest.
    some = np.flatnonzero(counts > (counts.max(initial=0) > 1))
    if not len(some):
        raise InputError("reproduce", "no row sees a key", "a row that sees some")
    head = taken(head, some[counts[some] <= max(MOST_KEYS, counts[some].min())][:MOST_ROWS])
    if isinstance(model.bias, Alibi):
        head = replace(head, bias=model.bias.bias(head, model.mask))
    parameters = parameters_of(replace(model, sink=None) if model.sink == LEARNED else model)
    rows = rows_of(head, model.mask)
    apart = np.nan_to_num(np.abs(compute(rows, parameters).output - rows.output), nan=np.inf)
    row, channel = divmod(int(apart.argmax()), rows.values.shape[1])
    keys = np.flatnonzero(rows.seen[row])
    cap, sink = model.softcap, parameters.sink_logit
    z = f"{model.multiplier!r} * np.array({_text(rows.scores[row, keys])})"
    if cap is not None:
        z = f"{cap!r} * np.tanh({z} / {cap!r})"
    if rows.bias is not None:
        z += f" + np.array({_text(rows.bias[row, keys])})"
    sum_ = "np.exp(z - z.max()).sum()"
    if isfinite(sink):
        sum_ = f"({sum_} + np.exp({sink!r} - z.max()))"
    times = "" if model.value_scale == 1.0 else f"{model.value_scale!r} * "
    which = f"keys {keys[0]} to {keys[-1]}"
    if len(keys) < keys[-1] - keys[0] + 1:
        which = f"{len(keys)} keys from {keys[0]} to {keys[-1]}"
    yield "import numpy as np\n"
    yield f"z = {z}  # {called}, row {head.rows[row]}: logits of {which}\n"
    values = _text(rows.values[keys, channel])
    yield f"v = np.array({values})  # channel {channel} of their values\n"
    yield f"p = np.exp(z - z.max()) / {sum_}\n"
    yield f'print("expected", {times}(p @ v), "got", {float(rows.output[row, channel])!r})\n'


def _text(numbers: NDArray[np.floating]) -> str:
    return f"[{', '.join(f'{number:.9g}' for number in numbers.tolist())}]"
