"""Render the command, run it, read back what it says, and make a record of it."""
