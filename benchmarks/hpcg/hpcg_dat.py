"""hpcg.dat, the official code's input: two lines of heading, the local grid, seconds, and perhaps the process grid."""

import math
from datetime import datetime

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Ask, Layout, Scalar
from banzuke.plan.lines import Lines
from banzuke.plan.official import InputCases
from banzuke.program.describe import RefusedError

from .hpcg_out import FILE


def read(ask: Ask, lines: Lines) -> InputCases:
    """One case. Raises BanzukeError naming the line."""
    lines.skip(2)
    sizes = lines.wholes("nx, ny and nz", 3, 1)
    parameters: dict[str, Scalar] = dict(zip(("nx", "ny", "nz"), sizes, strict=True))
    try:
        ask(Layout(1, 1), parameters)
    except RefusedError as error:
        text = " ".join(map(str, sizes))
        raise BanzukeError(
            f"{lines.file}, line 3: a local grid of {text} breaks the rules", why=error.why, remedy=error.remedy
        ) from error
    seconds = lines.whole("the seconds of the timed sets", 0)
    parameters["seconds"] = seconds
    notes = [] if seconds else ["0 s is the official code's quick path: one set is timed here"]
    grid = lines.wholes("the process grid", 3, 0) if lines.left else [0, 0, 0]
    ranks = math.prod(grid) or None
    if ranks:
        parameters |= zip(("px", "py", "pz"), grid, strict=True)
    elif any(grid):
        text = " x ".join(map(str, grid))
        notes.append(f"a process grid of {text} is none: all three are chosen, as the official code does")
    return InputCases(cases=((ranks, parameters),), notes=tuple(notes), output=f"{datetime.now().astimezone():{FILE}}")
