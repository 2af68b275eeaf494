"""The mathematics, on NumPy alone: no terminal, no files, no global state."""
