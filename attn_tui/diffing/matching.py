"""Which layer of PORT is which layer of REFERENCE: by number, or by name."""

import re
from collections.abc import Iterator, Mapping

from attn_tui.captures.capture import Capture
from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.text import first_few

NAMES = "names"
"""What is said for layers of the same name to belong together."""
EXPECTED = "names, or REFERENCE=PORT: 0=1,1=2 or layers.{layer}.attn=blk.{layer}"
MOST = 20
"""The most layers that an error names."""
_STEM = re.compile(r".*[0-9]")
_ANY = "{layer}"


def matched(reference: Capture, port: Capture, pairs: str = "") -> dict[int, int]:
    """Return the number in PORT of each layer of REFERENCE that both have.

    Args:
        reference: The tensors of REFERENCE.
        port: The tensors of PORT.
        pairs: Empty for layers of the same number; ``"names"`` for those of the same name; or
            layers that belong together, ``REFERENCE=PORT``, by number or by name, where
            ``{layer}`` stands for any number.

    Raises:
        InputError: With field ``"match"``, if a name is that of no layer, or of several, or no
            layers have the same one; with ``"port"``, if none has the same number.
    """
    if not pairs.strip():
        numbers = {layer: layer for layer in reference.layers if layer in port.layers}
        if not numbers:
            theirs, ours = (first_few(one.layers, MOST) for one in (port, reference))
            expected = f"some of {ours}, as REFERENCE has, or --match REFERENCE=PORT"
            raise InputError("port", f"it has layers {theirs}", expected)
        return numbers
    chosen: dict[int, int] = {}
    for layer, port_layer in _pairs(names_of(reference), names_of(port), pairs):
        if layer in chosen or port_layer in chosen.values():
            problem = f"it has layer {layer} or PORT's layer {port_layer} twice"
            raise InputError("match", problem, "each layer once")
        chosen[layer] = port_layer
    return dict(sorted(chosen.items()))


def names_of(capture: Capture) -> dict[int, str]:
    """Return the name of each layer.

    It is that of its module, if the capture has it, as the recipes write it; or else what stands
    before the name of a tensor, up to the number: ``model.layers.3``.
    """
    names: dict[int, str] = {}
    for layer in capture.layers:
        match = _STEM.match(capture.tensors(layer)["q"].name)
        stem = str(layer) if match is None else match[0]
        names[layer] = str(capture.config.get(f"{layer}.module") or stem)
    return names


def _pairs(
    reference: Mapping[int, str], port: Mapping[int, str], pairs: str
) -> Iterator[tuple[int, int]]:
    """Yield the layers that a text pairs, by number."""
    if pairs.strip() == NAMES:
        every = [
            (layer, other)
            for layer, name in reference.items()
            for other, same in port.items()
            if name == same
        ]
        if not every:
            theirs, ours = (first_few([*one.values()], MOST) for one in (port, reference))
            problem = f"PORT has layers {theirs}"
            raise InputError("match", problem, f"some of {ours}, as REFERENCE has")
        yield from every
        return
    for pair in filter(None, (text.strip() for text in pairs.split(","))):
        one, mark, other = (text.strip() for text in pair.partition("="))
        if not (one and mark and other) or one.count(_ANY) != other.count(_ANY):
            raise InputError("match", f"{inert(pair)} means nothing", EXPECTED)
        if _ANY not in one:
            yield _layer(one, reference, "REFERENCE"), _layer(other, port, "PORT")
            continue
        layers, others = _numbered(one, reference), _numbered(other, port)
        common = layers.keys() & others.keys()
        if not common:
            few = first_few([*(port if layers else reference).values()], MOST)
            raise InputError("match", f"{inert(pair)} names no layer of both", f"one of {few}")
        yield from ((layers[number], others[number]) for number in sorted(common))


def _numbered(pattern: str, names: Mapping[int, str]) -> dict[int, int]:
    """Return the layers whose names follow a pattern, by the number that stands in it."""
    before, _, after = pattern.partition(_ANY)
    spelled = re.compile(rf"{re.escape(before)}([0-9]+){re.escape(after)}", re.ASCII)
    matches = {layer: spelled.fullmatch(name) for layer, name in names.items()}
    return {int(match[1]): layer for layer, match in matches.items() if match is not None}


def _layer(text: str, names: Mapping[int, str], side: str) -> int:
    """Return the number of the layer that a text names."""
    if text.isascii() and text.isdecimal() and int(text) in names:
        return int(text)
    alike = [layer for layer, name in names.items() if name == text]
    if len(alike) == 1:
        return alike[0]
    few = first_few([*names.values()], MOST)
    problem = f"{side} has {'more than one' if alike else 'no'} layer {inert(text)}"
    raise InputError("match", problem, f"one of {few}")
