"""Captures: files of tensors that a model computed, of which only the needed parts are read."""
