"""Claims about softmax of one row: its derivatives, where it saturates, worked examples."""
