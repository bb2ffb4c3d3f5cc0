"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set nx=16 --set ny=16 --set nz=16 --set seconds=0.1"
