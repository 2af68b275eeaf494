"""The two sides of an answer: without the scale rule, and with it."""

from typing import Literal

Side = Literal["unscaled", "scaled"]
"""The first or the second side, by the field of the answer that holds it, whatever its name."""
