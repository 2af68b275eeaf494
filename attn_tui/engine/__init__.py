"""Works off the heads of a capture block by block: on threads, on a cluster, or in shards."""
