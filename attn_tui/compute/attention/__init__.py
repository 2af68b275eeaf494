"""The answers of Attention: every row of a head, unscaled and under the scale."""
