"""Keeps the operating system's work off the processors of a job, and puts everything back as it was."""
