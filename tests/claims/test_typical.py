"""Claims about typical gradients: where dividing makes them larger, and where smaller."""

from tests.claims.breaking import Broken

BROKEN: dict[str, Broken] = {}
