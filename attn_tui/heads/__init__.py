"""Heads: the heads of a capture, layer by layer: which saturate, and whether that matters."""
