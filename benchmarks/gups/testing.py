"""How this benchmark is tested; not installed."""

BRIEF = "--set n=65536 --set rounds=2"
