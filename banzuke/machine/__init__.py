"""Describes this machine: discovery, theoretical peaks, its description as a file."""
