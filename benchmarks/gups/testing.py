"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set n=65536 --set rounds=2"
