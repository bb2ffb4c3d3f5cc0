"""Reads hpcg.dat, the official code's input: two lines of heading, the local grid, seconds, and a process grid if
given.

Numbers may take any number of lines; text after the last number of a grid, or after the seconds, is comment.
"""

import math
from datetime import datetime

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Ask, Layout, Scalar
from banzuke.plan.lines import ANY, Lines
from banzuke.plan.official import InputCases
from banzuke.program.describe import RefusedError

from .hpcg_out import FILE

SMALLEST = 16
"""Smallest side of a local grid; the official code raises smaller ones to it."""
SECONDS = 1800
"""Seconds that the official code takes for a negative number."""


def read(ask: Ask, lines: Lines) -> InputCases:
    """Return one case. Raises BanzukeError naming the line."""
    lines.skip(2)
    notes: list[str] = []
    sizes = _sizes(lines, notes)
    parameters: dict[str, Scalar] = dict(zip(("nx", "ny", "nz"), sizes, strict=True))
    try:
        ask(Layout(1, 1), parameters)
    except RefusedError as error:
        text = " ".join(map(str, sizes))
        raise BanzukeError(
            f"{lines.file}, line {lines.taken}: a local grid of {text} breaks the rules",
            why=error.why,
            remedy=error.remedy,
        ) from error
    parameters["seconds"] = _seconds(lines, notes)
    grid = _grid(lines, notes)
    ranks = math.prod(grid) or None
    if ranks:
        parameters |= zip(("px", "py", "pz"), grid, strict=True)
    elif any(grid):
        text = " x ".join(map(str, grid))
        notes.append(f"a process grid of {text} is not possible: all three are chosen, as the official code does")
    return InputCases(cases=((ranks, parameters),), notes=tuple(notes), output=f"{datetime.now().astimezone():{FILE}}")


def _sizes(lines: Lines, notes: list[str]) -> list[int]:
    written = lines.wholes_across("nx, ny and nz", 3, ANY)
    sizes = [max(SMALLEST, size) for size in written]
    if sizes != written:
        asked, run = (" ".join(map(str, edges)) for edges in (written, sizes))
        notes.append(f"a local grid of {asked} is run as {run}: the official code would run {run}")
    return sizes


def _seconds(lines: Lines, notes: list[str]) -> int:
    """Return the seconds of the timed sets. Raises BanzukeError."""
    seconds, word = lines.beginning("the seconds of the timed sets")
    if str(seconds) != word.removeprefix("+"):
        notes.append(f"'{word[:40]}' is read as {seconds} s, as in the official code")
    if seconds < 0:
        notes.append(f"{seconds} s means {SECONDS} s, as in the official code")
        return SECONDS
    if not seconds:
        notes.append("0 s is the official code's quick path: one set is timed here")
    return seconds


def _grid(lines: Lines, notes: list[str]) -> list[int]:
    """Return the process grid, zeros if there is none. Raises BanzukeError for an incomplete one."""
    if text := lines.text_left():
        notes.append(f"'{text}' after the seconds is no process grid: all three are chosen, as the official code does")
    if not lines.left:
        return [0, 0, 0]
    return [max(0, number) for number in lines.wholes_across("the process grid", 3, ANY)]
