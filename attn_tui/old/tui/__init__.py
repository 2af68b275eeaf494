"""The terminal interface, built on Textual."""
