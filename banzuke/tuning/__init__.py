"""Searches for a faster setting than the default, and keeps what it found on this machine."""
