"""Numbers of things, and several things, in words."""

from collections.abc import Sequence


def counted(count: int, noun: str, several: str = "") -> str:
    """Return how many things there are, with the noun that goes with the number.

    >>> counted(1, "head"), counted(2000, "head"), counted(0, "query", "queries")
    ('1 head', '2,000 heads', '0 queries')

    Args:
        count: How many.
        noun: What one is called.
        several: What several are called; with an s unless given.
    """
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def first_few(names: Sequence[object], most: int) -> str:
    """Return names with commas between them, and an ellipsis for those beyond so many.

    >>> first_few([0, 1, 2], 2)
    '0, 1, …'
    """
    texts = [str(name) for name in names[:most]]
    if len(names) > most:
        texts.append("…")
    return ", ".join(texts)


def listed(parts: Sequence[str]) -> str:
    """Return things one after the other.

    >>> listed(["q", "k", "v"])
    'q, k and v'
    """
    return " and ".join((", ".join(parts[:-1]), parts[-1]) if parts[1:] else parts)
