from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from attn_tui.compute.errors import inert
from attn_tui.compute.text import clusters, visible
from attn_tui.report.rows import cells

JOINED = [
    "👩\u200d🔬",
    "👨\u200d👩\u200d👧\u200d👦",
    "👩🏽\u200d❤\ufe0f\u200d💋\u200d👨🏿",
    "🏳\ufe0f\u200d🌈",
    "🇩🇪",
    "👍🏽",
    "❤\ufe0f",
    "1\ufe0f\u20e3",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
]
UNSEEN = (
    *(chr(number) for number in (*range(32), *range(127, 160))),
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029",
    *"\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u061c\u180e\u034f\u3164\ufe0f",
    *"\U000e0041\U000e0100\ud800\udc9b\ue000",
)


def test_joined_emoji_stay_and_take_two_cells() -> None:
    for emoji in JOINED:
        assert visible(f"a{emoji}b") == f"a{emoji}b"
        assert clusters(f"a{emoji}b") == ["a", emoji, "b"]
        assert cells(emoji) == cell_len(emoji) == 2


def test_what_can_be_seen_stays() -> None:
    for text in ["größe", "注意", "e\u0301", "한국어", "∂p/∂s", "❤☎🔬", "नमस्ते"]:
        assert visible(text) == text


def test_what_cannot_be_seen_is_spelled_out() -> None:
    for character in UNSEEN:
        safe = visible(f"a{character}b")
        assert safe.isascii()
        assert safe.isprintable()
        assert safe == visible(safe)
        assert inert(f"a{character}b") == f"'{safe}'"


@given(
    st.text(st.sampled_from("👩🔬\u200d\ufe0f🏽🇩🇪1\u20e3☎注a\x1b") | st.characters(), max_size=20)
)
def test_what_is_visible_is_so_and_no_character_is_lost(text: str) -> None:
    safe = visible(text)
    assert visible(safe) == safe
    assert "".join(clusters(text)) == text
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or 0xD800 <= ord(c) < 0xE000 for c in safe)


def test_what_is_quoted_is_short() -> None:
    assert inert("x" * 41) == f"'{'x' * 39}…'"
    assert inert("x" * 40) == f"'{'x' * 40}'"
    assert inert("it's") == '"it\'s"'
