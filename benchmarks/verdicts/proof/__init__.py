"""Random promises and random faults, judged by an oracle that knows nothing of the doctor."""
