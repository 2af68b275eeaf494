"""Dot products' answers: draws of q·k, and what they say beside the exact law."""
