"""Which keys a layer sees: by its type in ``layer_types``, or by the default of its class."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from attn_tui.files.models.fields import Fields

LayerKind = Literal["full", "sliding", "chunked", "varied", "other", ""]
"""How much a layer sees: every key that it may, a window, a chunk, or what depends on the input;
``other`` has no attention by softmax, and an empty text is unknown."""

TYPES: Mapping[str, LayerKind] = {
    "full_attention": "full", "hybrid": "full", "attention": "full", "global": "full",
    "sliding_attention": "sliding", "hybrid_sliding": "sliding", "local": "sliding",
    "chunked_attention": "chunked",
    "indexed_attention": "varied", "compressed_sparse_attention": "varied",
    "heavily_compressed_attention": "varied", "reference_sliding_attention": "varied",
    "minimax_m3_sparse": "varied",
    "linear_attention": "other", "conv": "other", "mamba": "other", "recurrent": "other",
    "moe": "other", "mlp": "other",
}  # fmt: skip

Default = Callable[[Fields, int, int], LayerKind]
"""Returns the type of a layer, given the fields, its number and the number of layers."""


def every(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that all layers have the window, if there is one."""
    return "sliding"


def full(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that no layer has a window unless layer_types says so."""
    return "full"


def periodic(period: int, *names: str, last: bool = False) -> Default:
    """Return the rule by which the last layer of each period is full.

    Args:
        period: The period by default.
        *names: Fields that say the period, in the order of preference.
        last: Whether the last layer of the model is full as well.
    """

    def rule(fields: Fields, layer: int, count: int) -> LayerKind:
        length = fields.count(*names) or period
        is_full = (layer + 1) % length == 0 or (last and layer == count - 1)
        return "full" if is_full else "sliding"

    return rule


def leading(period: int, *names: str) -> Default:
    """Return the rule by which the first layer of each period is full."""

    def rule(fields: Fields, layer: int, count: int) -> LayerKind:
        return "sliding" if layer % (fields.count(*names) or period) else "full"

    return rule


def deep(default: int) -> Default:
    """Return the rule by which layers from max_window_layers on have the window."""

    def rule(fields: Fields, layer: int, count: int) -> LayerKind:
        first = fields.number("max_window_layers")
        return "sliding" if layer >= (default if first is None else first) else "full"

    return rule


def shallow(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that every other layer below max_window_layers has the window, as in Qwen2-MoE."""
    first = fields.number("max_window_layers")
    below = 28 if first is None else first
    return "sliding" if (layer + 1) % 2 and layer < below else "full"


def exaone(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return the type by sliding_window_pattern, a number, or a text such as ``LLLG``."""
    pattern = fields.text("sliding_window_pattern")
    if pattern and layer < count - 1:
        return "sliding" if pattern[layer % len(pattern)] == "L" else "full"
    return "full" if pattern else periodic(4, "sliding_window_pattern")(fields, layer, count)


def without_rope(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that layers without RoPE are full, and those with RoPE see chunks, as in Llama 4."""
    plan = fields.of.get("no_rope_layers")
    has_rope = bool((layer + 1) % (fields.count("no_rope_layer_interval") or 4))
    if isinstance(plan, list) and layer < len(plan):
        has_rope = bool(plan[layer])
    return "chunked" if has_rope else "full"


def smollm3(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that layers without RoPE have the window, as in SmolLM3."""
    return "full" if without_rope(fields, layer, count) == "chunked" else "sliding"


def lfm3(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that one layer of four is full, one has the window, and two are convolutions."""
    kinds: dict[int, LayerKind] = {0: "sliding" if layer else "other", 2: "full"}
    return kinds.get(layer % 4, "other")


def cohere2_moe(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return the type by the pattern of dense layers first, and then by that of the others."""
    dense = fields.count("first_k_dense_replace") or 0
    if layer < dense:
        return periodic(1, "prefix_dense_sliding_window_pattern")(fields, layer, count)
    return periodic(4, "sliding_window_pattern")(fields, layer - dense, count)


def mimo(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that the first layer, and the last of each six, are full, as in MiMo-V2."""
    return "full" if layer == 0 or (layer + 1) % 6 == 0 else "sliding"


def flint(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that layers 0 and 1, the last, and one of four are full, as in Flint."""
    is_full = layer < 2 or layer % 4 == 1 or layer == count - 1
    return "full" if is_full else "sliding"


def dots3(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that layers 0 and 1, and one of four, are not windowed, as in Dots 3."""
    return "full" if layer < 2 or layer % 4 == 1 else "sliding"


def varied(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that the input decides what layers see, unless layer_types says otherwise."""
    return "varied"


def from_end(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return that one layer of four is full, counted from the last, as in Muse."""
    return "sliding" if (count - 1 - layer) % 4 else "full"


def gpt_neo(fields: Fields, layer: int, count: int) -> LayerKind:
    """Return the type by attention_layers or attention_types; by default every other is local."""
    plan = fields.of.get("attention_layers")
    if not isinstance(plan, list):
        types = fields.of.get("attention_types")
        plan = [*_expanded(types)] if isinstance(types, list) else ["global", "local"] * count
    name = plan[layer] if layer < len(plan) else None
    return TYPES.get(str(name), "")


def _expanded(types: list[object]) -> list[object]:
    """Return the types of layers from pairs of a list and how often it is repeated."""
    layers: list[object] = []
    for entry in types:
        match entry:
            case [list() as names, int() as times] if 0 < times <= _MOST_REPEATS:
                layers += names * times
    return layers


_MOST_REPEATS: Final = 1_000


@dataclass(frozen=True)
class Windows:
    """How the layers of a class have windows.

    Attributes:
        default: The type of a layer where layer_types is absent.
        field: The name of the window's length.
        length: The window where the field is absent; None for no window then.
        doubled: A field that is twice the window's length, where the other is absent.
        spread: The factor from the field to the window over both sides, where queries see later
            keys: 2 if the field is how far they see.
        is_free: Whether the window reaches to both sides where attention is bidirectional.
        switch: A field that has to be true for windows, and its default.
        has_types: Whether the class knows layer_types.
    """

    default: Default
    field: str = "sliding_window"
    length: int | None = None
    doubled: str = ""
    spread: float = 1.0
    is_free: bool = False
    switch: tuple[str, bool] = ("", True)
    has_types: bool = True

    def window(self, fields: Fields) -> int | None:
        """Return the length of the window, or None if layers have none."""
        name, default = self.switch
        # Whoever lists sliding layers has a window, unless it is switched off.
        is_on = default or bool(self._types(fields))
        if name and not fields.flag(name, is_on):
            return None
        if self.field not in fields.of:
            twice = fields.whole(self.doubled) if self.doubled else None
            return self.length if twice is None else max(twice // 2, 1)
        return fields.whole(self.field) if fields.of[self.field] else None

    def type(self, fields: Fields, layer: int, count: int) -> LayerKind:
        """Return the type of a layer, apart from whether there is a window."""
        types = self._types(fields)
        if layer < len(types):
            return TYPES.get(str(types[layer]), "")
        return self.default(fields, layer, count)

    def _types(self, fields: Fields) -> list[object]:
        types = fields.of.get("layer_types", fields.of.get("layers_block_type"))
        return types if self.has_types and isinstance(types, list) else []
