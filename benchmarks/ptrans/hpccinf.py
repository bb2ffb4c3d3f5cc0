"""Reads hpccinf.txt, the official code's input: orders and blocks follow from the lines for HPL and from its own.

Matrices have half the orders of those of HPL, as both take its memory. Further orders and blocks are in four lines
behind those of HPL and a separator; an order counts only if its matrices take about as much memory as the largest of
HPL. A file without these lines, such as HPL.dat, has the orders and blocks of HPL alone.
"""

import re

from banzuke.plan.benchmark import Scalar
from banzuke.plan.lines import ANY, Lines
from banzuke.plan.official import InputCases

MOST_VALUES = 20
"""Values of one kind for which the official code has room."""
BEFORE = 32
"""Lines before those of further orders."""
LONGEST = 80
"""Most characters of these lines: the official code takes the rest for the next line."""
LEAST = 0.9486 * 0.5
"""Least further order, as a share of the largest of HPL: 90% of its memory."""
ROUNDS = 5
"""Times that the official code transposes each matrix."""
OUTPUT = "hpccoutf.txt"
_COUNT = re.compile(r"\+?[0-9]{1,18}|-0{1,18}")


def read(lines: Lines) -> InputCases:
    """Return a case for each grid, order and block size, in the official order. Raises BanzukeError naming the line."""
    notes: list[str] = []
    lines.skip(4)
    of_hpl = lines.several("N", MOST_VALUES, 1)
    blocks_of_hpl = lines.several("NB", MOST_VALUES, 1)
    lines.whole("PMAP", ANY)
    count = lines.whole("the number of process grids", 1, MOST_VALUES)
    rows, columns = lines.wholes("P", count, 1), lines.wholes("Q", count, 1)
    lines.skip(BEFORE - lines.taken)
    if lines.left:
        lines.refuse_longer(LONGEST, BEFORE)
    further = _further(lines, notes, "further N of PTRANS")
    blocks = _further(lines, notes, "further NB of PTRANS")
    least = LEAST * max(of_hpl)
    if small := [n for n in further if n < least]:
        notes.append(f"N {' '.join(map(str, small))}: too small beside HPL's {max(of_hpl)}, and left out as officially")
    orders = [n for n in further if n >= least] + [max(1, n // 2) for n in of_hpl]
    cases: list[tuple[int, dict[str, Scalar]]] = [
        (p * q, {"n": n, "nb": nb, "p": p, "q": q, "rounds": ROUNDS})
        for p, q in dict.fromkeys(zip(rows, columns, strict=True))
        for n in dict.fromkeys(orders)
        for nb in dict.fromkeys([*blocks, *blocks_of_hpl])
    ]
    return InputCases(cases=tuple(cases), notes=tuple(notes), output=OUTPUT, appends=True)


def _further(lines: Lines, notes: list[str], what: str) -> list[int]:
    """Return the values of two lines; none if there are no such lines, or their number is 0 or, as officially, none."""
    if not lines.left:
        return []
    word = lines.word(f"the number of {what}")
    if not _COUNT.fullmatch(word):
        notes.append(f"line {lines.taken} holds no number of {what}, which the official code takes as 0")
        count = 0
    else:
        count = min(int(word), MOST_VALUES)
    if not count:
        lines.skip(1)
        return []
    return lines.wholes(what, count, 1)
