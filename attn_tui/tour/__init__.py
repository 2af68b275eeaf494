"""The tour: steps that each ask something of an instrument, ours and those that teachers write."""
