"""Reads hpccinf.txt, the official code's input: the transform's length follows from its lines for HPL.

The official code gives the transform's vectors as much memory as its largest HPL matrix. Its further lines, after those
of HPL, do not concern the transform and are not read.
"""

from banzuke.plan.lines import ANY, Lines
from banzuke.plan.official import InputCases

MOST_VALUES = 20
"""Values of one kind for which the official code has room."""
VECTORS = 4
"""Vectors as long as the input that the official code keeps in memory."""
NUMBER = 16
"""Bytes of a complex number."""
OUTPUT = "hpccoutf.txt"


def read(lines: Lines) -> InputCases:
    """Return one case, however many HPL would run. Raises BanzukeError naming the line."""
    lines.skip(4)
    orders = lines.several("N", MOST_VALUES, 1)
    lines.several("NB", MOST_VALUES, 1)
    lines.whole("PMAP", ANY)
    count = lines.whole("the number of process grids", 1, MOST_VALUES)
    rows, columns = lines.wholes("P", count, 1), lines.wholes("Q", count, 1)
    grids = [p * q for p, q in zip(rows, columns, strict=True)]
    wanted = max(grids)
    ranks = smooth(wanted)
    notes = (
        ()
        if ranks == wanted
        else (f"{ranks} of {wanted} ranks transform: ranks have only the prime factors 2, 3 and 5",)
    )
    matrix = 8 * max(orders) ** 2 / min(grids) * ranks
    return InputCases(cases=((ranks, {"n": max(2, length(matrix, ranks))}),), notes=notes, output=OUTPUT, appends=True)


def length(matrix: float, ranks: int) -> int:
    """Return the transform's length for an HPL matrix of `matrix` bytes: ranks^2 times a product of 2, 3 and 5."""
    return smooth(int(matrix / ranks / (NUMBER * VECTORS * ranks))) * ranks**2


def smooth(most: int) -> int:
    """Return the largest product of 2, 3 and 5 that is at most `most`; at least 1."""
    best = 1
    fives = 1
    while fives <= most:
        threes = fives
        while threes <= most:
            best = max(best, threes << ((most // threes).bit_length() - 1))
            threes *= 3
        fives *= 5
    return best
