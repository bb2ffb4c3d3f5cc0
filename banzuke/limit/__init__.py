"""The rates that nothing on a machine exceeds, and the best possible time that follows from them."""
