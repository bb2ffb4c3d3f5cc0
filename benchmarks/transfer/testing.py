"""Settings for the tests of this benchmark; not installed."""

PROBLEM = ("rounds",)
"""Parameters that are part of the problem: here `rounds` is the number of partners of each device."""
WORD = True
"""A transfer is also one of data, whatever makes it."""
