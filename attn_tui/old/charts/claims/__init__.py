"""Pictures of what came of claims."""
