"""What differs between two captures of one model, and whether attention does."""
