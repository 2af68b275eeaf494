"""What a sweep found, as sentences, text, JSON and CSV."""
