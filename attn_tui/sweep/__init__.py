"""Sweep: what dividing does to drawn vectors, over d_k and over the number of keys."""
