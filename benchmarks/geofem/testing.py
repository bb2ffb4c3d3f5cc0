"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set nx=20 --set ny=10 --set nz=10"
