"""Which layer of PORT is which layer of REFERENCE: by number, or by name."""

import re
from collections.abc import Mapping

from attn_tui.captures.capture import Capture
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.text import first_few

EXPECTED = "REFERENCE=PORT with commas between, such as 0=1,1=2 or layers.3=blk.3"
MOST = 20
"""The most layers that an error names."""
_STEM = re.compile(r".*[0-9]")
_ENDS = "./_"


def matched(reference: Capture, port: Capture, pairs: str = "") -> dict[int, int]:
    """Return the number in PORT of each layer of REFERENCE that both have.

    Args:
        reference: The tensors of REFERENCE.
        port: The tensors of PORT.
        pairs: Layers that belong together, by number or by the name before that of a tensor;
            empty for those of the same number.

    Raises:
        InputError: With field ``"match"``, if a name is that of no layer, or of several; with
            ``"port"``, if no layer has the same number.
    """
    if not pairs.strip():
        numbers = {layer: layer for layer in reference.layers if layer in port.layers}
        if not numbers:
            theirs, ours = (first_few(one.layers, MOST) for one in (port, reference))
            expected = f"some of {ours}, as REFERENCE has, or --match REFERENCE=PORT"
            raise InputError("port", f"it has layers {theirs}", expected)
        return numbers
    chosen: dict[int, int] = {}
    for pair in filter(None, (text.strip() for text in pairs.split(","))):
        one, mark, other = (text.strip() for text in pair.partition("="))
        if not (one and mark and other):
            raise InputError("match", f"{inert(pair)} means nothing", EXPECTED)
        layer, port_layer = _layer(one, reference, "REFERENCE"), _layer(other, port, "PORT")
        if layer in chosen or port_layer in chosen.values():
            raise InputError("match", f"{inert(pair)} has a layer twice", "each layer once")
        chosen[layer] = port_layer
    return dict(sorted(chosen.items()))


def names_of(capture: Capture) -> Mapping[int, str]:
    """Return the name of each layer: what stands before the name of a tensor of it.

    It ends with the number of the layer: ``model.layers.3``.
    """
    names: dict[int, str] = {}
    for layer in capture.layers:
        match = _STEM.match(capture.tensors(layer)["q"].name)
        names[layer] = str(layer) if match is None else match[0]
    return names


def _layer(text: str, capture: Capture, side: str) -> int:
    """Return the number of the layer that a text names."""
    if text.isascii() and text.isdecimal() and int(text) in capture.layers:
        return int(text)
    names = names_of(capture)
    alike = [
        layer
        for layer, name in names.items()
        if name == text or any(name.endswith(f"{mark}{text}") for mark in _ENDS)
    ]
    if len(alike) == 1:
        return alike[0]
    few = first_few([*names.values()], MOST)
    problem = f"{side} has {'no' if not alike else 'more than one'} layer {inert(text)}"
    raise InputError("match", problem, f"one of {few}")
