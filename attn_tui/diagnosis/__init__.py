"""What the doctor says of arrays and files, as values for Python."""
