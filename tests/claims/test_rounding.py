"""Claims about number formats: what overflows and what rounding does."""

from tests.claims.breaking import Broken

BROKEN: dict[str, Broken] = {}
