"""The mathematics: NumPy and nothing else; no terminal, no files, no global state."""
