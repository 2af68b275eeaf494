"""Axes of a capture that hold heads·dim in one, read with the heads of a configuration."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from attn_tui.captures.capture import Capture
from attn_tui.captures.layouts import VECTORS
from attn_tui.captures.opening import open_capture
from attn_tui.captures.readings import Dims
from attn_tui.compute.errors import InputError
from attn_tui.doctor.expected import Expectation, Shape

_FUSED: Mapping[int, str] = {3: "bn(hd)", 2: "n(hd)"}
"""The layout in which an axis may hold heads·dim, by how many axes there are."""


def fused_layouts(expectation: Expectation) -> Iterator[str]:
    """Yield layouts of heads·dim in one axis, as ``--layout`` takes them, with a model's heads."""
    heads, kv_heads = expectation.shape.heads, expectation.shape.kv_heads or expectation.shape.heads
    for axes in _FUSED.values() if heads else ():
        each = {part: kv_heads if part in ("k", "v") else heads for part in VECTORS}
        yield ",".join(
            f"{part}={axes.replace('(hd)', f'({count}d)')}" for part, count in each.items()
        )


def layouts_of(capture: Capture, expectation: Expectation) -> str:
    """Return the layouts, as ``--layout`` takes them, in which a capture has a model's heads.

    It is empty where the capture has them as it is read, and where no layout has.

    Raises:
        InputError: If the capture cannot be read any more.
    """
    shape, layer = expectation.shape, capture.layers[0]
    if shape.heads is None or not shape.d_k:
        return ""
    if any(_fits(expectation, layer, each.dims) for each in capture.readings(layer)):
        return ""
    texts = dict(_with_heads(capture, layer, shape))
    with suppress(InputError):
        read = open_capture(capture.paths, layouts=texts, names=capture.asked[1])
        dims = read.readings(layer)[0].dims
        if dims.heads == shape.heads and dims.d_k in shape.d_k:
            return ",".join(f"{part}={text}" for part, text in texts.items())
    return ""


def _fits(expectation: Expectation, layer: int, dims: Dims) -> bool:
    with suppress(InputError):
        expectation.check([layer], dims.heads, {dims.d_k}, dims.kv_heads)
        return True
    return False


def _with_heads(capture: Capture, layer: int, shape: Shape) -> Iterator[tuple[str, str]]:
    """Yield parts with layouts that name how many heads each file of a rank has."""
    asked, tensors = capture.asked[0], capture.tensors(layer)
    heads = shape.heads or 1
    for part in VECTORS:
        if part in tensors:
            count = shape.kv_heads or heads if part in ("k", "v") else heads
            own = max(count // len(tensors[part].pieces), 1)
            text = asked.get(part) or _FUSED.get(len(tensors[part].shape), "")
            if text:
                yield part, text.replace("(hd)", f"({own}d)")
