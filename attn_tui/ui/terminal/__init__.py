"""What Textual lacks between an application and a terminal, each by itself."""
