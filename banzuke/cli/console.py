"""Where output goes: results to the output stream, everything said on the way to the error stream."""

import os

from rich.console import Console
from rich.markup import escape

from banzuke.record.store import Reading

out = Console(highlight=False)
errors = Console(stderr=True, highlight=False)
for console in (out, errors):
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = 160  # a file or a pipe has no width; tables there should not be cut


def warn_of(reading: Reading) -> None:
    """Names what was passed over while records were read."""
    for problem in reading.unreadable:
        errors.print(f"[yellow]passed over:[/] {escape(problem)}", soft_wrap=True)
