"""What the doctor found, as one line to paste, as text and as JSON."""
