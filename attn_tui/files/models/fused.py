"""Axes of a capture that hold heads·dim in one, or may be turned: which heads its model has."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from attn_tui.captures.capture import Capture
from attn_tui.captures.layer import Tensor
from attn_tui.captures.layouts import VECTORS, layout_text
from attn_tui.captures.readings import Dims
from attn_tui.captures.source import open_as
from attn_tui.compute.errors import InputError
from attn_tui.files.models.expected import Expectation, Shape

_FUSED: Mapping[int, str] = {3: "bn(hd)", 2: "n(hd)"}
"""The layout in which an axis may hold heads·dim, by how many axes there are."""


def fused_layouts(
    tensors: Mapping[str, Tensor], asked: Mapping[str, str], shape: Shape
) -> Iterator[str]:
    """Yield layouts with a model's heads, as ``--layout`` takes them, of parts that may be fused.

    Args:
        tensors: Of a layer, by part. Each file of a rank has its share of the heads.
        asked: Layouts that are given, by part.
        shape: What is said of the model.
    """
    heads = shape.heads or 1
    for part in VECTORS:
        if part in tensors:
            count = shape.kv_heads or heads if part in ("k", "v") else heads
            own = max(count // len(tensors[part].pieces), 1)
            text = asked.get(part) or _FUSED.get(len(tensors[part].shape), "")
            if text:
                yield f"{part}={text.replace('(hd)', f'({own}d)')}"


def layouts_of(capture: Capture, expectation: Expectation) -> str:
    """Return the layouts, as ``--layout`` takes them, in which a capture has a model's heads.

    It is empty where the capture has them as it is first read, and where no layout has.

    Raises:
        InputError: If the capture cannot be read any more.
    """
    shape, layer = expectation.shape, capture.layers[0]
    if shape.heads is None or not shape.d_k:
        return ""
    readings = capture.readings(layer)
    fitting = [each for each in readings if _fits(expectation, layer, each.dims)]
    if fitting:
        # What else shapes leave open, as how an output is turned, its numbers tell.
        # Fewer may be those of a rank, where nothing else tells which they are.
        whole = [each for each in capture.undecided(layer) if each.dims.heads == shape.heads]
        is_told = len(whole) == 1 and whole[0] in fitting
        fitting = whole if is_told else fitting
        named = {part: layout_text(axes) for part, axes in fitting[0].layouts if part in ("q", "k")}
        return (
            ""
            if readings[0] in fitting and not is_told
            else ",".join(f"{part}={text}" for part, text in named.items())
        )
    asked, names = capture.asked
    text = ",".join(fused_layouts(capture.tensors(layer), asked, shape))
    with suppress(InputError):
        dims = open_as(capture.paths, text, names or "").readings(layer)[0].dims
        if dims.heads == shape.heads and dims.d_k in shape.d_k:
            return text
    return ""


def _fits(expectation: Expectation, layer: int, dims: Dims) -> bool:
    with suppress(InputError):
        expectation.check([layer], dims.heads, {dims.d_k}, dims.kv_heads)
        return True
    return False
