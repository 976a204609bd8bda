"""The layers of memory: session, task, and later distilled experience."""
