"""What the commands of all instruments share: options, the question they ask, and its answer."""
