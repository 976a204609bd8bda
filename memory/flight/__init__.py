"""What an operator sees of a run: its steps, one after the other."""
