"""The doctor: compares the model of each captured head with the expected model."""
