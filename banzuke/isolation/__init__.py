"""Keeps the operating system's work off the processors of a job, and restores everything afterwards."""
