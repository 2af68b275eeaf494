"""Paths as people type, paste and drop them, and as a text names them."""

import json
import os
import re
import shlex
from urllib.parse import unquote, urlsplit

from attn_tui.compute.text import visible

_HERE = ("", "localhost")
"""The hosts of a file:// URL that are this machine."""

_ESCAPED = re.compile(r"\\([^\w\\])")
"""A backslash before a character that shells would take for something else."""


def path_text(path: str) -> str:
    r"""Return a path as a text names it: in quotes, as JSON, if it would not stand there as it is.

    >>> path_text("a b.npy"), path_text("a" + chr(10) + ".npy")
    ('a b.npy', '"a\\n.npy"')
    """
    is_plain = visible(path) == path.strip() and not path.startswith('"')
    return path if is_plain else json.dumps(path)


def path_of(text: str) -> str:
    """Return the path that a text names: the inverse of `path_text`."""
    text = text.strip()
    if text.startswith('"'):
        try:
            path = json.loads(text)
        except ValueError:
            return text
        return str(path)
    return text


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
