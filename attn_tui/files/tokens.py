"""Tokens from a file: one a line, or a JSON list."""

from attn_tui.compute.attention.settings import TOKENS
from attn_tui.files.content import opened, read_text


def read_tokens(given: str) -> tuple[str, ...]:
    """Return the tokens of a file, or those of a JSON list that stands in its place.

    Raises:
        InputError: With field ``"tokens"``, if there is no such file, or no list in it.
    """
    if given.startswith("["):
        return _listed(given)
    with opened(given, "tokens") as file:
        text = read_text(file)
    if text.lstrip().startswith("["):
        return _listed(text)
    # Blanks are part of a token, and so is an empty line.
    return tuple(text.removesuffix("\n").split("\n")) if text else ()


def _listed(text: str) -> tuple[str, ...]:
    tokens: tuple[str, ...] = TOKENS.parse("tokens", text)
    return tokens
