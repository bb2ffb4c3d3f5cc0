"""How this benchmark is tested; not installed."""

BRIEF = "--set items=10 --set rounds=1"
