"""How it is tested; not installed."""

PROBLEM = ("rounds",)
"""With how many others each is measured: that is what is measured."""
WORD = True
"""A transfer of data, whatever makes it."""
