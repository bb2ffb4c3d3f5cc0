"""How it is tested; not installed."""

BRIEF = "--set test=latency --set max_size=64 --set iterations=10"
PROBLEM = ("rounds",)
"""With how many others each is measured: that is what is measured."""
