"""Dot products: where the variance d_k comes from, and what dividing does to it."""
