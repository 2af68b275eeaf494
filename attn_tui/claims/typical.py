"""Claims about typical gradients: where dividing makes them larger, and where smaller."""
