"""The screen of Heads."""
