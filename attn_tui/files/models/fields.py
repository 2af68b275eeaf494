"""The fields of a configuration: numbers, flags and nested objects, checked as they are read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from attn_tui.compute.numbers import general
from attn_tui.files.values import Values

LEAST, MOST = 1e-30, 1e30
"""The bounds of numbers other than 0 in a configuration: their squares are finite."""

HEADS = (
    "num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads",
    "attention_heads",
)  # fmt: skip
"""The names of the number of query heads, in the order of preference."""

LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "depth")
"""The names of the number of layers, in the order of preference."""

WIDTHS = ("hidden_size", "n_embd", "d_model", "dim", "embed_dim")
"""The names of the width of a layer, in the order of preference."""

KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads")
"""The names of the number of KV heads, in the order of preference."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


@dataclass(frozen=True)
class Fields(Values):
    """The fields of a configuration by name."""

    field: str = "config"

    @property
    def kind(self) -> str:
        """The name of the architecture; empty if none is named."""
        return self.text("model_type")

    @property
    def heads(self) -> int | None:
        """The number of query heads, or None if it is not said or differs by layer.

        Raises:
            InputError: With field ``"config"``, if it is no such number.
        """
        return None if self.counts(*HEADS) else self.whole(*HEADS)

    @property
    def width(self) -> int | None:
        """The width of a layer, or None if it is not said or differs by layer.

        Raises:
            InputError: With field ``"config"``, if it is no such number.
        """
        return None if self.counts(*WIDTHS) else self.whole(*WIDTHS)

    def text(self, name: str) -> str:
        """Return a field if it is a text, or an empty text."""
        value = self.of.get(name)
        return value if isinstance(value, str) else ""

    def number(self, *names: str) -> float | None:
        """Return the first present of some fields, a finite number of 0 or more, or None.

        Raises:
            InputError: With field ``"config"``, if it is no such number.
        """
        name = next((name for name in names if self.of.get(name) is not None), None)
        if name is None:
            return None
        value = self.get(name, float)
        if value and not LEAST <= value <= MOST:
            self.refuse(name, f"0, or a number from {general(LEAST)} to {general(MOST)}")
        return value

    def count(self, *names: str) -> int | None:
        """Return the first of some fields that is a whole number above 0, or None."""
        values = (self.of.get(name) for name in names)
        return next((value for value in values if type(value) is int and value > 0), None)

    def counts(self, *names: str) -> tuple[int, ...]:
        """Return the first present of some fields if it is a list of whole numbers above 0."""
        present = (self.of[name] for name in names if self.of.get(name) is not None)
        value = next(present, None)
        if not isinstance(value, list | tuple) or not value:
            return ()
        are_counts = all(type(item) is int and 0 < item < 2**31 for item in value)
        return tuple(value) if are_counts else ()

    def whole(self, *names: str) -> int | None:
        """Return the first present of some fields, a whole number above 0, or None.

        Raises:
            InputError: With field ``"config"``, if it is no such number.
        """
        value = self.number(*names)
        if value is not None and (value != int(value) or not 0 < value < 2**31):
            name = next(name for name in names if self.of.get(name) is not None)
            self.refuse(name, "a whole number above 0")
        return None if value is None else int(value)

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a field as a truth value, or the default if it is absent."""
        value = self.of.get(name)
        return default if value is None else bool(value)

    def nested(self, *names: str) -> "Fields":
        """Return the fields of the first present of some objects; empty if none is present."""
        values = (self.of.get(name) for name in names)
        objects = (value for value in values if isinstance(value, Mapping))
        return replace(self, of=next(objects, {}))

    def objects(self) -> Iterator[tuple[str, "Fields"]]:
        """Yield the names and the fields of all objects in this one."""
        for name, value in self.of.items():
            if isinstance(value, Mapping):
                yield str(name), replace(self, of=value)
