"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set test=latency --set max_size=64 --set iterations=10"
PROBLEM = ("rounds",)
"""Parameters that are part of the problem: here `rounds` is the number of partners of each rank."""
