"""Pictures of captured heads."""
