"""Find the part of a model that each captured layer is of, and its number there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from attn_tui.captures.capture import Capture
from attn_tui.captures.readings import Dims
from attn_tui.files.models.fields import words
from attn_tui.files.models.promise import Expectation, LayerPlace

_CROSS = re.compile(r"cross_?att|encoder_attn|encdec|enc_dec|\bcross\b", re.IGNORECASE)
"""What modules of cross attention are called."""

_NUMBER = re.compile(r"(?<=\.)[0-9]+(?=\.|$)")
_STEMS = words("text vision audio video image encoder decoder visual speech")
_ALSO = {"visual": "vision", "image": "vision", "language": "text"}
"""Words in the names of modules for what configurations call otherwise."""


@dataclass(frozen=True)
class CapturedLayer:
    """What a capture says of a layer.

    Attributes:
        number: The number of the layer in the capture.
        module: The name of the module in the model; empty if the capture has none.
        kind: The architecture of the module's own configuration; empty if the capture has none.
        dims: The sizes of its tensors, by each way to read them.
    """

    number: int
    module: str
    kind: str
    dims: tuple[Dims, ...]

    @property
    def is_cross(self) -> bool:
        """Whether the module is one of cross attention."""
        return bool(_CROSS.search(self.module))

    def index_in(self, tower: Expectation) -> int | None:
        """Return the only number in the name of the module, if a tower has such a layer."""
        numbers = _NUMBER.findall(self.module)
        count = tower.shape.layers
        if len(numbers) != 1 or (count is not None and int(numbers[0]) >= count):
            return None
        return int(numbers[0])

    def fits(self, tower: Expectation, with_length: bool = True) -> bool:
        """Return whether the layer may be of a part of a model, by its heads and their lengths."""
        return not self.problem(tower, with_length)

    def problem(self, tower: Expectation, with_length: bool = True) -> str:
        """Return why no reading of the layer has a tower's heads, or an empty text if one has."""
        problems = [
            tower.problem((), dims.heads, {dims.d_k} if with_length else (), dims.kv_heads)
            for dims in self.dims
        ]
        return "" if "" in problems else problems[0]


def captured_layers(capture: Capture) -> tuple[CapturedLayer, ...]:
    """Return what a capture says of each of its layers."""

    def text(layer: int, name: str) -> str:
        value = capture.config.get(f"{layer}.{name}")
        return value if isinstance(value, str) else ""

    return tuple(
        CapturedLayer(
            layer,
            text(layer, "module"),
            text(layer, "config"),
            tuple(dict.fromkeys(reading.dims for reading in capture.readings(layer))),
        )
        for layer in capture.layers
    )


def bound(expectation: Expectation, layers: Sequence[CapturedLayer]) -> Expectation:
    """Return an expectation with the places of captured layers.

    A layer is of the part whose configuration its module has, by its name; without names, of those
    with its heads and their length, or, of an encoder with a decoder that were captured completely,
    by the order of their calls.

    Args:
        expectation: The expectation.
        layers: The captured layers.
    """
    if not expectation.towers:
        return replace(expectation, places=dict(_alone(expectation, layers)))
    towers = expectation.towers
    places = _by_order(towers, layers) or {}
    if not places:
        chosen = {layer.number: _candidates(expectation, layer) for layer in layers}
        places = {
            layer.number: LayerPlace(
                chosen[layer.number], _number(towers, chosen, layer, layers), layer.is_cross
            )
            for layer in layers
        }
    return replace(expectation, places=places)


def _alone(
    expectation: Expectation, layers: Sequence[CapturedLayer]
) -> Iterator[tuple[int, LayerPlace]]:
    """Yield the places in a model with one part, of layers whose modules say their own."""
    count = expectation.shape.layers
    for layer in layers:
        number = layer.index_in(expectation)
        # A layer that says it is of this model, beyond its last, is one that attends again.
        is_beyond = bool(layer.kind) and count is not None and layer.number >= count
        if number is None and not is_beyond:
            number = layer.number
        if number != layer.number or layer.is_cross:
            yield layer.number, LayerPlace((0,), number, layer.is_cross)


def _candidates(expectation: Expectation, layer: CapturedLayer) -> tuple[int, ...]:
    """Return the numbers of the towers that a layer may be of."""
    towers = expectation.towers
    numbers = tuple(range(len(towers)))
    if layer.kind:
        wanted = _bare(layer.kind)
        numbers = tuple(number for number in numbers if _bare(towers[number].kind) == wanted)
    if layer.module:
        stems = _stems(layer.module)
        named = [number for number in numbers if _stems(towers[number].name) & stems]
        numbers = tuple(named) or numbers
    fitting = tuple(number for number in numbers if layer.fits(towers[number]))
    # Zeros may pad queries to another length.
    return fitting or tuple(number for number in numbers if layer.fits(towers[number], False))


def _number(
    towers: Sequence[Expectation],
    chosen: Mapping[int, tuple[int, ...]],
    layer: CapturedLayer,
    layers: Sequence[CapturedLayer],
) -> int | None:
    """Return the number of a layer in its tower: by its module, or in their order."""
    if len(chosen[layer.number]) != 1:
        return None
    index = layer.index_in(towers[chosen[layer.number][0]])
    if index is not None:
        return index
    alike = [
        other
        for other in layers
        if chosen[other.number] == chosen[layer.number] and other.is_cross == layer.is_cross
    ]
    return alike.index(layer)


def _by_order(
    towers: Sequence[Expectation], layers: Sequence[CapturedLayer]
) -> dict[int, LayerPlace]:
    """Return the places in an encoder with its decoder, of which every call was captured."""
    counts = [tower.shape.layers for tower in towers]
    if [tower.name for tower in towers] != ["encoder", "decoder"] or None in counts:
        return {}
    if any(layer.module for layer in layers):
        return {}
    first, second = (count or 0 for count in counts)
    if [layer.number for layer in layers] != [*range(first + 2 * second)]:
        return {}
    places = {number: LayerPlace((0,), number) for number in range(first)}
    for number in range(2 * second):
        # A layer of the decoder attends to itself, and then to the encoder.
        places[first + number] = LayerPlace((1,), number // 2, bool(number % 2))
    return places


def _bare(kind: str) -> str:
    return kind.removesuffix("_model").removesuffix("_text")


def _stems(name: str) -> frozenset[str]:
    """Return the words in a name that tell parts of models apart."""
    parts = re.split("[._]", _CROSS.sub("", name.lower()))
    return frozenset(_ALSO.get(part, part) for part in parts) & (_STEMS - _ALSO.keys())
