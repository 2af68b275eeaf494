"""The program in a browser: one process a visitor, which reads and writes nothing of the server."""
