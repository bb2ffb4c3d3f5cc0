"""How this benchmark is tested; not installed."""

BRIEF = "--set block=1048576 --set rounds=1"
