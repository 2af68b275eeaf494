"""The parts that the screens of all instruments share."""
