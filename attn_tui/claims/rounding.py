"""Claims about number formats: what overflows and what rounding does."""
