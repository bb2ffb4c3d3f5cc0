"""Render the command, run it, read back what it says."""
