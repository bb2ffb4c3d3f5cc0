"""The rates that nothing on a machine exceeds, and the best possible times that follow from them."""
