"""Reports of statistics of heads, and of two captures side by side."""
