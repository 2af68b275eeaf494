"""From where on a gradient counts as dead."""

DEAD = 1e-3
"""A gradient is dead if its Frobenius norm, which by logits may be 1/2, is below this."""
