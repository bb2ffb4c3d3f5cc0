"""HPL.dat, the official code's input: 31 lines, each read as that code reads it, but nothing wrong passed over.

Two lines of heading, the output, then counts and as many values of: N, NB, grids, PFACT, NBMIN, NDIV, RFACT, BCAST
and DEPTH, whose product is run, and single values. HPCC's additional lines are not read.
"""

import itertools
import math
from collections.abc import Sequence

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Scalar
from banzuke.plan.lines import INT_MAX, Lines
from banzuke.plan.official import InputCases

MOST = 20
"""Values of one kind that the official code has room for."""
MOST_CASES = 10_000
THRESHOLD = 16.0
RIGHT = 2
STREAMS = (6, 7)
ORDERS = ("row", "column")
BROADCASTS = ("ring", "ring-modified", "two-ring", "two-ring-modified", "long", "long-modified")
SWAPS = ("binary-exchange", "spread-roll", "mixed")


def read(lines: Lines) -> InputCases:
    """Cases in the official order. Raises BanzukeError naming the line."""
    lines.skip(2)
    output = lines.word("the output file's name")
    device = lines.whole("the device out", 0)
    if device not in STREAMS and not output:
        raise BanzukeError(f"{lines.file}, line 3: the output file has no name", why="line 4 asks for it")
    ns = _several(lines, "N", 1)
    nbs = _several(lines, "NB", 1)
    order = ORDERS[lines.whole("PMAP", 0, 1)]
    grids = _grids(lines)
    threshold = lines.real("threshold")
    pfacts = _several(lines, "PFACT", 0, 2)
    nbmins = _several(lines, "NBMIN", 1)
    ndivs = _several(lines, "NDIV", 2)
    rfacts = _several(lines, "RFACT", 0, 2)
    broadcasts = _several(lines, "BCAST", 0, len(BROADCASTS) - 1)
    depths = _several(lines, "DEPTH", 0)
    swap = SWAPS[lines.whole("SWAP", 0, len(SWAPS) - 1)]
    swap_threshold = lines.whole("swapping threshold", 0)
    for form in ("L1", "U", "equilibration"):
        lines.whole(form, 0, 1)
    lines.whole("memory alignment", 1)

    notes = []
    if {*rfacts, *pfacts} != {RIGHT} or set(ndivs) != {2}:
        notes.append("RFACT, NDIV and PFACT choose nothing here: panels are factorised right-looking by halves, R2R")
    if max(depths) > 1:
        notes.append("a DEPTH above 1 runs as 1")
    if threshold != THRESHOLD:
        notes.append(f"every residual is checked against {THRESHOLD:g}, not {threshold:g}")
    choices: list[list[dict[str, Scalar]]] = [
        [{"p": p, "q": q} for p, q in dict.fromkeys(grids)],
        _choices("n", ns),
        _choices("nb", nbs),
        _choices("lookahead", [min(depth, 1) for depth in depths]),
        _choices("broadcast", [BROADCASTS[index] for index in broadcasts]),
        _choices("nbmin", nbmins),
    ]
    cases = math.prod(map(len, choices))
    if cases > MOST_CASES:
        raise BanzukeError(f"{lines.file} asks for {cases} cases", why=f"{MOST_CASES} are the most")
    combinations = len(grids) * math.prod(map(len, (ns, nbs, depths, broadcasts, rfacts, pfacts, nbmins, ndivs)))
    if cases < combinations:
        notes.append(f"{combinations} combinations make {cases} cases, because equal ones run once")
    fixed: dict[str, Scalar] = {"order": order, "swap": swap, "swap_threshold": swap_threshold}
    return InputCases(
        cases=tuple(_case([*chosen, fixed]) for chosen in itertools.product(*choices)),
        notes=tuple(notes),
        output=None if device in STREAMS else output,
    )


def _several(lines: Lines, what: str, least: int, most: int = INT_MAX) -> list[int]:
    return lines.wholes(what, lines.whole(f"the number of values of {what}", 1, MOST), least, most)


def _grids(lines: Lines) -> list[tuple[int, int]]:
    count = lines.whole("the number of process grids", 1, MOST)
    ps = lines.wholes("P", count, 1)
    return list(zip(ps, lines.wholes("Q", count, 1), strict=True))


def _choices(name: str, values: Sequence[Scalar]) -> list[dict[str, Scalar]]:
    return [{name: value} for value in dict.fromkeys(values)]


def _case(chosen: Sequence[dict[str, Scalar]]) -> tuple[int, dict[str, Scalar]]:
    parameters = {name: value for part in chosen for name, value in part.items()}
    return int(parameters["p"]) * int(parameters["q"]), parameters
