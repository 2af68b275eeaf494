"""What came of claims, as text, JSON and a page."""
