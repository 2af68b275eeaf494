"""Heads as a model computed them: their rows, what those see, and statistics of them."""
