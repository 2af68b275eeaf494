"""Answers as numbers, sentences, text, JSON and CSV."""
