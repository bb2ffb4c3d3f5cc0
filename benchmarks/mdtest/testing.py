"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set items=10 --set rounds=1"
