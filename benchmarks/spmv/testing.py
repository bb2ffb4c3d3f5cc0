"""Settings for the tests of this benchmark; not installed."""

BRIEF = "--set family=stencil-27 --set nonzeros=10000"
