"""Claims about models, decided by what their configurations say."""
