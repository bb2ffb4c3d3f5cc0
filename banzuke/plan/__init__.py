"""Pure functions that plan cases: which ones, of what size, on how many ranks and threads."""
