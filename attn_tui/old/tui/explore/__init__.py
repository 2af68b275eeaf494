"""Explore's screen: from score vectors to weights and their gradient."""
