"""How this benchmark is tested; not installed."""

BRIEF = "--set family=stencil-27 --set nonzeros=10000"
