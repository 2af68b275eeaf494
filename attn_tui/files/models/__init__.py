"""What configurations expect of models, and captures opened with the configuration of theirs."""
