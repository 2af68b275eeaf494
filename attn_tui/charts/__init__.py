"""Answers as rows of (text, role): the only place that imports plotext."""
