"""The exact law of q·k for each law of its entries: density, tails, mean size."""
