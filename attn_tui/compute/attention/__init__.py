"""Attention's answers: every row of a head, unscaled and under the scale."""
