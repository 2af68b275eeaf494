"""What Attention found, as text, JSON and CSV."""
