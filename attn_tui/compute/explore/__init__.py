"""Explore's answers: from score vectors to weights and their gradient."""
