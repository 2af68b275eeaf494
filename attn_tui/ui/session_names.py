"""The names of sessions."""

ENDING = ".session"
"""How the name of a session ends."""
