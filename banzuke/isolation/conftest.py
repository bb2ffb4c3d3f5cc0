"""Artificial trees of /proc and /sys, as for tests of the description of machines."""

from banzuke.machine.conftest import plant

__all__ = ["plant"]
