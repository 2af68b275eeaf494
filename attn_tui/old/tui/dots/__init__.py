"""The screen of Dot products."""
