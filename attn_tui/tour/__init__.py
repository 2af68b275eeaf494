"""Tours of questions to instruments: our own, and those that teachers write."""
