"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set n=4000"
