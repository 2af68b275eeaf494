"""Claims about how q·k is distributed: its law, its tails, dice and coins."""
