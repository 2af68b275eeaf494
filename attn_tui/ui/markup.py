"""Text inside of markup."""


def plain(text: str) -> str:
    r"""Return markup that shows a text as it is, whatever it holds.

    Textual's own ``escape`` lets through what only begins as a tag, such as ``[/`` in a number that
    is being typed, and its markup is refused then.

    >>> plain("[/ is no number")
    '\\[/ is no number'
    """
    return text.replace("[", r"\[")
