"""Captures: files of tensors that a model computed, opened without reading them whole."""
