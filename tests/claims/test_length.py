"""Claims about the number of keys: what fades as there are more of them."""

from tests.claims.breaking import Broken

BROKEN: dict[str, Broken] = {}
