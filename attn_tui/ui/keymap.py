"""The keys that somebody has chosen for actions, and which of them can be."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import punctuation

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_ALIASES, Keys, format_key
from textual.widget import Widget

Keymap = Mapping[str, str]
"""Keys, with commas between, by the id of a binding."""

MODIFIERS = ("ctrl", "shift", "alt", "super", "hyper", "meta")

NAMES = frozenset(
    {
        *(key.value for key in Keys),
        *KEY_ALIASES,
        *(
            binding.key
            for binding in Binding.make_bindings([Binding(c, "") for c in punctuation if c != ","])
        ),
        "comma",
    }
)
"""The names of keys that are more than one character long."""


def shown_key(widget: Widget, binding: str, default: str) -> str:
    """Return the key of a binding as it is shown: the first that somebody has chosen, or else ours.

    Args:
        widget: A widget of the application that knows what was chosen.
        binding: The id of the binding.
        default: Its key, as it is shown.
    """
    if not widget.is_attached:
        return default
    keys: Keymap = getattr(widget.app, "chosen_keys", {})
    return format_key(keys[binding].split(",")[0].strip()) if binding in keys else default


def is_key(text: str) -> bool:
    """Return whether a text names a key: u, f2, ctrl+s or question_mark."""
    *modifiers, key = text.split("+") if text != "+" else [text]
    if any(modifier not in MODIFIERS for modifier in modifiers) or not key:
        return False
    return len(key) == 1 or key in NAMES


def bindings_of(place: type[DOMNode]) -> Iterator[Binding]:
    """Yield the bindings of a class and of those that it inherits from, one for each key."""
    for owner in place.__mro__:
        declared = owner.__dict__.get("BINDINGS", ())
        yield from Binding.make_bindings(declared)


def keys_by_id(places: Iterable[type[DOMNode]]) -> dict[str, list[str]]:
    """Return the default keys of every binding that has an id."""
    keys: dict[str, list[str]] = {}
    for place in places:
        for binding in bindings_of(place):
            if binding.id:
                found = keys.setdefault(binding.id, [])
                if binding.key not in found:
                    found.append(binding.key)
    return keys


def clashes(
    keymap: Keymap, places: Sequence[Sequence[type[DOMNode]]]
) -> Iterator[tuple[str, str, str]]:
    """Yield two ids and the key that both have at once, of which somebody has chosen one.

    Args:
        keymap: What was chosen, with keys by their names in Textual.
        places: Classes whose bindings work at the same time.
    """
    for together in places:
        defaults = keys_by_id(together)
        owners: dict[str, list[str]] = {}
        for name, default in defaults.items():
            for key in keymap[name].split(",") if name in keymap else default:
                owners.setdefault(key, []).append(name)
        for key, names in owners.items():
            chosen = [name for name in names if name in keymap]
            others = [name for name in names if name != (chosen or [""])[0]]
            if chosen and others:
                yield chosen[0], others[0], key
