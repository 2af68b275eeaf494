"""Claims about softmax of one row: its derivatives, where it saturates, worked examples."""

from tests.claims.breaking import Broken

BROKEN: dict[str, Broken] = {}
