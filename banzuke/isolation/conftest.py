"""Made trees of /proc and /sys, as the description of machines is tested with."""

from banzuke.machine.conftest import plant

__all__ = ["plant"]
