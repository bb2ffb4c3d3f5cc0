"""How this benchmark is tested; not installed."""

BRIEF = "--set n=100000 --set rounds=2"
