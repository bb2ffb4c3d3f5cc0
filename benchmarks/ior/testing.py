"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set block=1048576 --set rounds=1"
