"""Answers written as numbers, sentences, text, JSON and CSV."""
