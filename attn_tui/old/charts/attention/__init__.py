"""The maps and tables of Attention."""
