"""Claims about scale rules, caps, sinks and norms."""

from tests.claims.breaking import Broken

BROKEN: dict[str, Broken] = {}
