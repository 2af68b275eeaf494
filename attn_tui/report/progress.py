"""How far a long computation is, and how long it will still take."""


def left(seconds: float) -> str:
    """Return how long something still takes, in words.

    >>> left(0.2), left(41.3), left(200.0), left(9000.0)
    ('less than 1 s left', '42 s left', '4 min left', '2.5 h left')
    """
    if seconds < 1.0:
        return "less than 1 s left"
    if seconds < 100.0:
        return f"{-int(-seconds // 1)} s left"
    if seconds < 6000.0:
        return f"{-int(-seconds // 60)} min left"
    return f"{seconds / 3600:.3g} h left"


def bar(share: float, width: int) -> str:
    """Return a bar of a width in characters, filled up to a share."""
    filled = round(min(max(share, 0.0), 1.0) * width)
    return "━" * filled + "─" * (width - filled)
