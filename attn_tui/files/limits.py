"""How much is read at most."""

LARGEST = 512 * 2**20
"""Bytes of one file, of standard input, or of an .npz file's arrays together."""

MOST_SCORES = 16_000_000
"""Scores of one question, over all its vectors."""

MOST_VECTORS = 10_000
"""Vectors of one question."""

MOST_ROWS = 100_000
"""Rows of q, K and V together, as text."""
