"""`python -m banzuke` is the command `banzuke`."""

from banzuke.cli import main

main()
