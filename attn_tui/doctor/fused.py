"""The configuration of a capture, and its axes that hold heads·dim in one, read as that says."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from attn_tui.captures.capture import Capture
from attn_tui.captures.layouts import VECTORS
from attn_tui.captures.opening import open_capture
from attn_tui.captures.readings import Dims
from attn_tui.captures.source import open_as
from attn_tui.compute.errors import InputError
from attn_tui.doctor.configuration import read_expectation
from attn_tui.doctor.expected import Expectation, Shape

_FUSED: Mapping[int, str] = {3: "bn(hd)", 2: "n(hd)"}
"""The layout in which an axis may hold heads·dim, by how many axes there are."""


def configured(capture: Capture, config: str = "") -> tuple[str, str]:
    """Return the path of a configuration, and the layouts in which a capture has its heads.

    Args:
        capture: The tensors.
        config: The configuration that is named; otherwise it is the config.json in the capture's
            folder, and both are empty where there is none, or it is of another model.

    Raises:
        InputError: If the capture cannot be read, or with field ``"config"`` what is named.
    """
    if config:
        return config, layouts_of(capture, read_expectation(config))
    path = os.path.join(os.path.dirname(capture.paths[0]), "config.json")
    if os.path.isfile(path):
        with suppress(InputError):
            expectation = read_expectation(path)
            read = read_as(capture, expectation)
            first = read.readings(read.layers[0])[0].dims
            expectation.check(read.layers, first.heads, {first.d_k}, first.kv_heads)
            return path, layouts_of(capture, expectation)
    return "", ""


def openable(paths: Sequence[str], layout: str, names: str, config: str) -> str:
    """Return the layouts in which files open: as given, or with the heads of a configuration.

    These are needed where shapes alone fit no layout, as those of fused queries and fewer keys.

    Raises:
        InputError: If files open in none, or the configuration cannot be read.
    """
    if layout or not config:
        return layout
    try:
        open_as(paths, "", names)
    except InputError as error:
        if error.field != "layout":
            raise
        refused = error
    else:
        return ""
    shape = read_expectation(config).shape
    heads, kv_heads = shape.heads, shape.kv_heads or shape.heads
    for axes in _FUSED.values() if heads else ():
        each = {part: kv_heads if part in ("k", "v") else heads for part in VECTORS}
        text = ",".join(
            f"{part}={axes.replace('(hd)', f'({count}d)')}" for part, count in each.items()
        )
        with suppress(InputError):
            open_as(paths, text, names)
            return text
    raise refused


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


def read_as(capture: Capture, expectation: Expectation | None) -> Capture:
    """Return a capture read in `layouts_of`, which it then states, or as it is.

    Raises:
        InputError: If the capture cannot be read any more.
    """
    text = layouts_of(capture, expectation) if expectation else ""
    if not text:
        return capture
    layouts = dict(each.split("=") for each in text.split(","))
    return stating(open_capture(capture.paths, layouts=layouts, names=capture.asked[1]), text)


def stating(capture: Capture, layouts: str) -> Capture:
    """Return a capture that states that its layouts are the configuration's."""
    said = f"The heads are those of the configuration: --layout '{layouts}'."
    return replace(capture, states=lambda chosen: (*capture.states(chosen), said))


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
