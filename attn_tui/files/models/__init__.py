"""What models are made to compute, as files beside their captures say, and these opened by it."""
