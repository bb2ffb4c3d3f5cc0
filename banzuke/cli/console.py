"""Where output goes: results to the output stream, everything said on the way to the error stream."""

import os

from rich.console import Console

out = Console(highlight=False)
if not out.is_terminal and "COLUMNS" not in os.environ:
    out.width = 160  # a file or a pipe has no width; tables there should not be cut
errors = Console(stderr=True, highlight=False)
