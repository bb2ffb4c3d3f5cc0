"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set operation=barrier --set iterations=10"
WORD = True
"""Collectives are also operations of MPI, whatever measures them."""
