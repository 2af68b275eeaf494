"""From text and files to an Experiment, and back."""
