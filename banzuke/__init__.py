"""Banzuke: evaluate a computer with one command."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("banzuke")
except PackageNotFoundError:  # read from the sources without an installation, as linters do
    __version__ = "0+unknown"
