"""Heads as a model computed them: their rows, their masks, and their statistics."""
