"""How it is tested; not installed."""

BRIEF = "--set n=100000 --set rounds=5"
WORD = True
"""A stream of bytes, whatever reads it."""
