"""hpcg.dat, the official code's input: two lines of heading, the local grid, seconds, and perhaps the process grid."""

from datetime import datetime

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Asked, Scalar
from banzuke.plan.lines import Lines

from .hpcg_out import FILE
from .sizes import ASPECT, LEAST, MULTIPLE, legal, nearest


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
    ranks = None
    if lines.left:
        px, py, pz = lines.wholes("the process grid", 3, 0)
        parameters |= {"px": px, "py": py, "pz": pz}
        ranks = px * py * pz or None
    notes = () if seconds else ("0 s is the official code's quick path: one set is timed here",)
    return Asked(cases=((ranks, parameters),), notes=notes, output=f"{datetime.now().astimezone():{FILE}}")
