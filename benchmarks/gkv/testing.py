"""How this benchmark is tested; not installed."""

BRIEF = "--set kernel=intgrl,diff45,diff123 --set nx=15 --set ny=8 --set nz=4 --set rounds=2"
