"""hpcg.dat, the official code's input: two lines of heading, the local grid, seconds, and perhaps the process grid."""

import math
from datetime import datetime

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Asked, Scalar
from banzuke.plan.lines import Lines

from .hpcg_out import FILE
from .sizes import ASPECT, LEAST, MULTIPLE, by, legal, nearest


def read(lines: Lines) -> Asked:
    """One case. Raises BanzukeError naming the line."""
    lines.skip(2)
    nx, ny, nz = lines.wholes("nx, ny and nz", 3, 1)
    if not legal((nx, ny, nz)):
        raise BanzukeError(
            f"{lines.file}, line 3: a local grid of {nx} {ny} {nz} breaks the rules",
            why=f"multiples of {MULTIPLE} from {LEAST} on are needed, none more than {ASPECT} times another",
            remedy=f"Nearest: {nearest((nx, ny, nz))}",
        )
    seconds = lines.whole("the seconds of the timed sets", 0)
    parameters: dict[str, Scalar] = {"nx": nx, "ny": ny, "nz": nz, "seconds": seconds}
    notes = [] if seconds else ["0 s is the official code's quick path: one set is timed here"]
    grid = lines.wholes("the process grid", 3, 0) if lines.left else [0, 0, 0]
    ranks = math.prod(grid) or None
    if ranks:
        parameters |= zip(("px", "py", "pz"), grid, strict=True)
    elif any(grid):
        notes.append(f"a process grid of {by(grid)} is none: all three are chosen, as the official code does")
    return Asked(cases=((ranks, parameters),), notes=tuple(notes), output=f"{datetime.now().astimezone():{FILE}}")
