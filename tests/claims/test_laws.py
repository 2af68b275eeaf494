"""Claims about how q·k is distributed: its law, its tails, dice and coins."""

from tests.claims.breaking import Broken

BROKEN: dict[str, Broken] = {}
