"""How it is tested; not installed."""

BRIEF = "--set operation=barrier --set iterations=10"
WORD = True
"""Operations of MPI, whatever measures them."""
