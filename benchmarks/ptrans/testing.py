"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set n=300 --set rounds=2"
