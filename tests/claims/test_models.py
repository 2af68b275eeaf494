"""Claims about models, decided by what their configurations say."""

from tests.claims.breaking import Broken

BROKEN: dict[str, Broken] = {}
