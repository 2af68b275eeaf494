"""The doctor makes the inputs: a function is called with them, and what it returns examined."""
