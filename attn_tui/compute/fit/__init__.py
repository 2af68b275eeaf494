"""The fit that tells which multiplier, cap, sink and mask a head was computed with."""
