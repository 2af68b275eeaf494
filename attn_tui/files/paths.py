"""Paths as people type, paste and drop them."""

import os
import re
import shlex
from urllib.parse import unquote, urlsplit

_HERE = ("", "localhost")
"""The hosts of a file:// URL that are this machine."""

_ESCAPED = re.compile(r"\\([^\w\\])")
"""A backslash before a character that shells would take for something else."""


def typed_path(text: str) -> str:
    """Return the path that a text stands for, as terminals write a file that is dropped on them.

    A terminal puts quotes around a name or backslashes before its blanks, and a blank behind it;
    a file manager writes a URL. A text that names a file as it stands is that path.

    Args:
        text: One line.

    Returns:
        The path; empty if the text is blank.
    """
    text = text.strip()
    if os.path.lexists(os.path.expanduser(text)):
        return text
    if text.startswith("file://"):
        return _of_url(text)
    if text[:1] in ("'", '"'):
        return _unquoted(text)
    return _ESCAPED.sub(r"\1", text)


def _of_url(text: str) -> str:
    """Return the path of a file:// URL; the text itself if the file is on another machine."""
    try:
        url = urlsplit(text, allow_fragments=False)
    except ValueError:
        return text
    if url.netloc not in _HERE:
        return text
    query = f"?{url.query}" if url.query else ""
    return unquote(f"{url.path}{query}")


def _unquoted(text: str) -> str:
    """Return a text without the quotes around it; as it is if it is not one quoted word."""
    try:
        words = shlex.split(text)
    except ValueError:
        return text
    return words[0] if len(words) == 1 else text
