"""The charts and tables of Dot products."""
