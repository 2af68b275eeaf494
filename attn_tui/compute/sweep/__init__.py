"""The answers of Sweep: drawn vectors over d_k and n, under several rules."""
