"""The error of all readers of text: a line that is not part of the format is named, and nothing is guessed."""

from banzuke.errors import BanzukeError
from banzuke.text import printable


def wrong(file: str, line: int, text: str, why: str, remedy: str = "") -> BanzukeError:
    """Return the error for a line of a topology file that is not as expected; `line` counts from 1."""
    shown = printable(text.strip())
    quoted = shown if len(shown) <= 80 else f"{shown[:77]}..."
    return BanzukeError(f"{file}, line {line}: '{quoted}'", why=why, remedy=remedy)
