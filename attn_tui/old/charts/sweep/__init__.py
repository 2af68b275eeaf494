"""The charts of Sweep: curves and the map."""
