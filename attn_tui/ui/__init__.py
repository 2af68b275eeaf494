"""What the screens of all instruments share."""
