"""The Sweep instrument on the screen."""
