"""What metadata says about a capture, which shapes may contradict."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from attn_tui.captures.layouts import Layout, parse_layout, parse_layouts
from attn_tui.compute.errors import InputError, inert

NAMES: Mapping[str, tuple[str, ...]] = {
    "heads": ("num_attention_heads", "num_heads", "n_heads", "n_head", "heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "kv_heads"),
    "d_k": ("head_dim", "d_head", "head_size", "d_k"),
    "d_v": ("v_head_dim", "d_v"),
}
"""What tools call the numbers and lengths of heads, by our names."""

_LONGEST = 1_000_000
"""The most characters of a text that is tried as JSON."""

_MOST = 10_000
"""The most entries that are kept."""


@dataclass(frozen=True)
class Metadata:
    """What the metadata says about one capture.

    Attributes:
        config: All of it by name, as plain values.
        numbers: The numbers and lengths of heads by our names, each with its name in the metadata.
        layouts: The axes of tensors by part.
        remarks: Sentences about what could not be read.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """The numbers by our names, without their names in the metadata."""
        return tuple((name, value) for name, (_, value) in self.numbers.items())


def metadata_of(sources: Sequence[Mapping[str, object]]) -> Metadata:
    """Return the metadata of a capture from that of its files; if two differ, the first counts."""
    config: dict[str, Any] = {}
    for entries in sources:
        for name, value in _flat(entries):
            if len(config) < _MOST:
                config.setdefault(name, value)
    numbers = {}
    for ours, names in NAMES.items():
        for name in names:
            if _is_count(config.get(name)):
                numbers[ours] = (name, config[name])
                break
    layouts, remarks = _layouts(config)
    return Metadata(config, numbers, layouts, remarks)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 < value < 2**31


def _layouts(config: Mapping[str, Any]) -> tuple[dict[str, Layout], tuple[str, ...]]:
    text = config.get("layout")
    if not isinstance(text, str):
        return {}, ()
    try:
        return {part: parse_layout(axes, part) for part, axes in parse_layouts([text]).items()}, ()
    except InputError:
        return {}, (f"The metadata's layout {inert(text)} means nothing here.",)


def _flat(metadata: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
    """Yield names and values; texts of numbers or JSON objects are parsed, and configs unpacked."""
    for name, value in metadata.items():
        plain = _plain(value)
        if isinstance(plain, dict) and name in ("config", "model_config", "capture"):
            yield from ((str(key), _plain(entry)) for key, entry in plain.items())
        else:
            yield name, plain


def _plain(value: object) -> Any:
    if isinstance(value, str) and len(value) <= _LONGEST and value[:1] in [*"{-0123456789"]:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
