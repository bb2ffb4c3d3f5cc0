"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set n=100000 --set rounds=5"
WORD = True
"""A stream is also one of bytes, whatever reads it."""
