"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set n=100000 --set rounds=2"
