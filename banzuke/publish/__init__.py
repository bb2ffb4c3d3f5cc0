"""Publication of a run: its records and its machine without identifiers, in one file with a summary."""
