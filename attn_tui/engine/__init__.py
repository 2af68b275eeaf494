"""Works off the heads of a capture block by block: on threads, or on a cluster."""
