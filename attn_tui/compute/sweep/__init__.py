"""Sweep's answers: drawn vectors over d_k and n, under several rules."""
