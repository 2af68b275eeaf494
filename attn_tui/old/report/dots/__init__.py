"""What Dot products found, as text, JSON and CSV."""
