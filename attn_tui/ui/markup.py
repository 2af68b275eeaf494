"""Plain text inside markup."""


def plain(text: str) -> str:
    r"""Return markup that shows a text as it is, whatever it contains.

    Textual's own ``escape`` misses the start of an unfinished tag, such as ``[/`` in a number that
    is being typed, and Textual then rejects the markup.

    >>> plain("[/ is no number")
    '\\[/ is no number'
    """
    return text.replace("[", r"\[")
