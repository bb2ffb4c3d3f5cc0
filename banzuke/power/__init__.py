"""Energy of the timed parts of cases: sensors that are read beside them, and what their readings are worth."""
