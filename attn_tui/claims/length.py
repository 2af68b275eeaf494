"""Claims about the number of keys: what fades as there are more of them."""
