"""Where output goes: results to the output stream, everything said on the way to the error stream."""

from rich.console import Console

out = Console(highlight=False)
errors = Console(stderr=True, highlight=False)
