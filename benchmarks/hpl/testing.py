"""How it is tested; not installed."""

BRIEF = "--set n=4000"
