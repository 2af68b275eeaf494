"""An answer of Explore as sentences, text, JSON and CSV."""
