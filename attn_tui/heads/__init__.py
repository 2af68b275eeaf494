"""Heads: which heads of a capture saturate, layer by layer, and whether it matters."""
