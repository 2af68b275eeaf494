"""The answers of Dot products: draws of q·k and their statistics, beside the exact law."""
