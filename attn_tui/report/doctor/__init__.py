"""The doctor's report: one line to paste, text, JSON and JUnit XML."""
