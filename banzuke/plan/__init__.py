"""Which cases, what sizes, how many ranks and threads: pure functions."""
