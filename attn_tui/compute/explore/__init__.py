"""The answers of Explore: from score vectors to weights and their gradient."""
