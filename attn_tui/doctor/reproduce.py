"""One row of a head as a script of five lines, for a bug report: what was expected, what came."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.heads.mask import HeadMask
from attn_tui.compute.heads.rows import HeadRows
from attn_tui.files.models.expected import NONE, Expected

MOST_KEYS = 32
"""Keys of a row whose numbers are printed, if there is a row that sees as few."""

Floats = NDArray[np.float64]


def place_of(text: str) -> tuple[int, int]:
    """Return layer and head of ``3.7``.

    Raises:
        InputError: With field ``"reproduce"``.
    """
    layer, dot, head = text.strip().partition(".")
    if not (dot and all(each.isascii() and each.isdecimal() for each in (layer, head))):
        raise InputError(
            "reproduce", f"{inert(text.strip())} is no head", "LAYER.HEAD, such as 3.7"
        )
    return int(layer), int(head)


def reproduce(called: str, head: HeadRows, expected: Expected) -> Iterator[str]:
    """Yield the lines of a script, which needs NumPy alone.

    It is of the row and the channel that miss most of what is expected, among rows of few keys.

    Args:
        called: The head, in words.
        head: All of its rows, with values and output.
        expected: What it should do; what is not said is as in most models.

    Raises:
        InputError: With field ``"reproduce"``, if values or output were not captured.
    """
    if head.values is None or head.output is None:
        raise InputError("reproduce", f"{called} has no v or no out", "both")
    m = expected.multiplier or float(head.d_k) ** -0.5
    products = head.queries.astype(np.float64) @ head.keys.astype(np.float64).T
    values, got = head.values.astype(np.float64), head.output.astype(np.float64)
    scale = 1.0 if expected.value_scale is None else expected.value_scale
    cap, sink = (_number(each) for each in (expected.softcap, expected.sink))
    seen = _seen(head, expected)
    apart = np.full(got.shape, -1.0)
    for row in _rows(seen):
        bias = None if head.bias is None else head.bias[row].astype(np.float64)
        weights = _weights(products[row], seen[row], m, cap, sink, bias)
        apart[row] = np.nan_to_num(np.abs(scale * (weights @ values) - got[row]), nan=np.inf)
    row, channel = divmod(int(apart.argmax()), values.shape[1])
    keys = np.flatnonzero(seen[row])
    z = f"{m!r} * np.array({_text(products[row, keys])})"
    if cap is not None:
        z = f"{cap!r} * np.tanh({z} / {cap!r})"
    if head.bias is not None:
        z += f" + np.array({_text(head.bias[row, keys])})"
    sum_ = "np.exp(z - z.max()).sum()"
    if sink is not None:
        sum_ = f"({sum_} + np.exp({sink!r} - z.max()))"
    times = "" if scale == 1.0 else f"{scale!r} * "
    yield "import numpy as np\n"
    yield f"z = {z}  # {called}, row {head.rows[row]}: logits of {_runs(keys)}\n"
    yield f"v = np.array({_text(values[keys, channel])})  # channel {channel} of their values\n"
    yield f"p = np.exp(z - z.max()) / {sum_}\n"
    yield f'print("expected", {times}(p @ v), "got", {float(got[row, channel])!r})\n'


def _rows(seen: NDArray[np.bool_]) -> Sequence[int]:
    """Return rows of few keys, but of more than one if there are such."""
    counts = seen.sum(axis=1)
    several = np.flatnonzero(counts > 1)
    some = several if len(several) else np.flatnonzero(counts)
    few = some[counts[some] <= MOST_KEYS]
    found = few if len(few) else some[counts[some] == counts[some].min(initial=len(seen[0]))]
    if not len(found):
        raise InputError("reproduce", "no row sees a key", "a row that sees some")
    return [*map(int, found)]


def _seen(head: HeadRows, expected: Expected) -> NDArray[np.bool_]:
    if head.seen is not None:
        return head.seen
    kind, corner = expected.mask, head.corner
    if kind == "none":
        return HeadMask("none").seen(head)
    if kind == "window":
        return HeadMask("window", corner, expected.window).seen(head)
    return HeadMask("causal", corner).seen(head)


def _number(part: float | str | None) -> float | None:
    """Return a cap or a sink that is known, or None for none."""
    return None if part in (None, NONE) or isinstance(part, str) else float(part)


def _weights(
    products: Floats,
    seen: NDArray[np.bool_],
    m: float,
    cap: float | None,
    sink: float | None,
    bias: Floats | None,
) -> Floats:
    z = m * products if cap is None else cap * np.tanh(m * products / cap)
    z = np.where(seen, z if bias is None else z + bias, -np.inf)
    weights = np.exp(z - z.max())
    more = 0.0 if sink is None else np.exp(sink - z.max())
    return np.asarray(weights / (weights.sum() + more))


def _text(numbers: NDArray[np.floating]) -> str:
    return f"[{', '.join(f'{each:.9g}' for each in numbers.tolist())}]"


def _runs(keys: NDArray[np.intp]) -> str:
    if len(keys) == keys[-1] - keys[0] + 1:
        return f"keys {keys[0]} to {keys[-1]}"
    return f"{len(keys)} keys from {keys[0]} to {keys[-1]}"
