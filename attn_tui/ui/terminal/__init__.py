"""Independent additions to Textual between an application and the terminal."""
