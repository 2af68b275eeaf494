"""docs/keys.md has every key of the new screens, and of no other."""

from pathlib import Path

from attn_tui.commands.key_table import KEY_TABLE, PLACES, bindings

KEYS = Path(__file__).parents[2] / "docs" / "keys.md"


def test_every_key_is_documented() -> None:
    """Renewed by ``python -m attn_tui.commands.key_table docs/keys.md``."""
    document = KEYS.read_text("utf-8")
    assert KEY_TABLE.put(document) == document
    for _, owner in PLACES:
        for keys, binding in bindings(owner.BINDINGS):
            assert binding.description, keys
            assert f"`{keys}` {binding.tooltip or binding.description}" in document
