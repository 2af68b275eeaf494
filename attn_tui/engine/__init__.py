"""Statistics of the heads of a capture, computed block by block on threads or on a cluster."""
