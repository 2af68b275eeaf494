"""The two sides of an answer: without the scale rule, and with it."""

from typing import Literal

Side = Literal["unscaled", "scaled"]
"""The first or the second side, by the field of the answer that holds it, whatever its name."""


ROLES = {"now": "scaled"}
"""The roles of sides that have none of their own name."""


def role_of(name: str) -> str:
    """Return the role in which what belongs to the side of a name is shown."""
    return ROLES.get(name, name)
