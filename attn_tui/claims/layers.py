"""Claims about whole heads and layers: rank, singular values, the first row."""
