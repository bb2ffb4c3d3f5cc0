"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set kernel=intgrl,diff45,diff123 --set nx=15 --set ny=8 --set nz=4 --set rounds=2"
