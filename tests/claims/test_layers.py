"""Claims about whole heads and layers: rank, singular values, the first row."""

from tests.claims.breaking import Broken

BROKEN: dict[str, Broken] = {}
