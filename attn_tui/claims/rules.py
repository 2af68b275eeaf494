"""Claims about scale rules, caps, sinks and norms."""
