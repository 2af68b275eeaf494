"""Pictures of the screens of before."""
