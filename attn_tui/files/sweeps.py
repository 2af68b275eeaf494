"""Ranges, rules and statistics of a sweep as text."""

from attn_tui.compute.errors import InputError, inert
from attn_tui.compute.scale import RULES, parse_scale
from attn_tui.compute.sweep.points import STATISTICS, Statistic
from attn_tui.compute.sweep.settings import Settings
from attn_tui.compute.whole import half_width, parse_whole


def is_range(text: str) -> bool:
    """Return whether a text is meant as a range."""
    return ":" in half_width(text)


def read_range(field: str, text: str) -> tuple[int, int]:
    """Read two whole numbers such as ``1:8192``; what they may be is checked where they are used.

    Args:
        field: That of the settings: ``"n_range"`` or ``"d_k_range"``.
        text: As typed.

    Raises:
        InputError: If it is no range, or an empty one.

    >>> read_range("d_k_range", "1:8192")
    (1, 8192)
    """
    low, colon, high = half_width(text).partition(":")
    usual = range_text(getattr(Settings, field))
    expected = f"two whole numbers, the smaller first, such as {usual}"
    if not colon:
        raise InputError(field, f"{inert(text.strip())} is not a range", expected)
    try:
        ends = parse_whole(field, low), parse_whole(field, high)
    except InputError:
        raise InputError(field, f"{inert(text.strip())} will not do", expected) from None
    if ends[0] == ends[1]:
        raise InputError(field, f"{ends[0]} to {ends[1]} is empty", expected)
    return ends


def range_text(ends: tuple[int, ...]) -> str:
    """Return a range as `read_range` reads it."""
    return ":".join(map(str, ends))


def read_rules(text: str) -> tuple[str, ...]:
    """Read rules with commas between them; one of them may have parameters, with commas too.

    A comma may stand after the last. An empty text is no rules: what is compared then is none and
    the rule that all share.

    Raises:
        InputError: If one is not understood.

    >>> read_rules("none, temperature:T=4, inverse")
    ('none', 'temperature:T=4', 'inverse')
    """
    rules: list[str] = []
    listed = text.strip()
    # A comma after the last rule ends it.
    ended = listed.removesuffix(",") or listed
    for part in ended.split(",") if listed else ():
        name = part.partition(":")[0].strip()
        # A parameter of the rule before, rather than a rule of its own.
        is_value = "=" in part or part.strip().isdigit()
        if rules and ":" in rules[-1] and name not in RULES and is_value:
            rules[-1] += "," + part.strip()
        else:
            rules.append(part.strip())
    for rule in rules:
        try:
            parse_scale(rule)
        except InputError as error:
            raise InputError("rules", error.problem, error.expected) from None
    return tuple(rules)


def read_statistics(text: str) -> tuple[Statistic, ...]:
    """Read names of statistics with commas between them.

    Raises:
        InputError: If one is none, or stands twice.

    >>> read_statistics("entropy, max-weight")
    ('entropy', 'max_weight')
    """
    found: list[Statistic] = []
    for part in text.split(","):
        name = part.strip().replace("-", "_")
        known = next((each for each in STATISTICS if each == name), None)
        if known is None:
            expected = "one of " + ", ".join(STATISTICS)
            raise InputError("statistic", f"{inert(part.strip())} is not one", expected)
        if known in found:
            raise InputError("statistic", f"{known} stands twice", "each statistic once")
        found.append(known)
    return tuple(found)
