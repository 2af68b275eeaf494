"""Explore: score vectors to weights and their gradient, unscaled beside scaled."""
