"""What the doctor says of captures whose fault, if they have one, is known."""
