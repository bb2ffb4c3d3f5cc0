"""Reads HPL.dat, the official code's input: 31 lines, each read as that code reads it, but mistakes are refused.

A number that selects one of several options, but is none of their numbers, selects what the official code would, and a
note says so; files for Intel's and AMD's versions have such numbers.

The file has two lines of heading, the output, then counts and values of N, NB, grids, PFACT, NBMIN, NDIV, RFACT, BCAST
and DEPTH, whose combinations are run, and single values. HPCC's further lines, for PTRANS, are not read.
"""

import itertools
import math
import re
from collections.abc import Sequence

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Scalar
from banzuke.plan.lines import ANY, Lines
from banzuke.plan.official import InputCases

MOST_VALUES = 20
"""Values of one kind for which the official code has room."""
MOST_CASES = 10_000
THRESHOLD = 16.0
RIGHT = 2
STREAMS = (6, 7)
LINES = 31
LONGEST = 252
"""Most characters of a line; the official code takes the rest for the next line."""
ORDERS = ("row", "column")
BROADCASTS = ("ring", "ring-modified", "two-ring", "two-ring-modified", "long", "long-modified")
OFFICIAL_BROADCASTS = ("1ring", "1ringM", "2ring", "2ringM", "Blong", "BlongM")
SWAPS = ("binary-exchange", "spread-roll", "mixed")


def read(lines: Lines, *, within_suite: bool = False) -> InputCases:
    """Return the cases in the official order. Raises BanzukeError naming the line.

    `within_suite`: HPCC's further lines are read by others.
    """
    lines.refuse_longer(LONGEST, LINES)
    lines.skip(2)
    notes: list[str] = []
    output = _output(lines, notes)
    ns = _several(lines, notes, "N", 1)
    nbs = _several(lines, notes, "NB", 1)
    order = ORDERS[_as_official(notes, "PMAP", lines.whole("PMAP", ANY), 1, 0)]
    grids = _grids(lines, notes)
    threshold = lines.real("threshold")
    pfacts = _several_official(lines, notes, "PFACT", 2, RIGHT)
    nbmins = _several(lines, notes, "NBMIN", 1)
    ndivs = _several(lines, notes, "NDIV", 2)
    rfacts = _several_official(lines, notes, "RFACT", 2, RIGHT)
    broadcasts = _several_official(lines, notes, "BCAST", len(BROADCASTS) - 1, 1)
    depths = _several(lines, notes, "DEPTH", 0)
    swap = SWAPS[_as_official(notes, "SWAP", lines.whole("SWAP", ANY), len(SWAPS) - 1, SWAPS.index("spread-roll"))]
    swap_threshold = max(0, lines.whole("swapping threshold", ANY))
    _forms(lines, notes)
    if not within_suite:
        _of_ptrans(lines, notes)

    if {*rfacts, *pfacts} != {RIGHT} or set(ndivs) != {2}:
        notes.append("RFACT, NDIV and PFACT have no effect here: panels are factorised right-looking by halves, R2R")
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
        output=output,
    )


def _output(lines: Lines, notes: list[str]) -> str | None:
    """Return the file that the results go to; None: a stream."""
    output = lines.word("the output file's name")
    device, word = lines.leading("the device out")
    if device in STREAMS:
        return None
    if not output:
        raise BanzukeError(f"{lines.file}, line 3: the output file has no name", why="line 4 asks for it")
    if device is None:
        notes.append(f"device out {word[:40]} is no number, which the official code takes for a file: {output}")
    return output


def _several(lines: Lines, notes: list[str], what: str, least: int) -> list[int]:
    return _values(lines, notes, what, lines.whole(f"the number of values of {what}", 1, MOST_VALUES), least)


def _values(lines: Lines, notes: list[str], what: str, count: int, least: int) -> list[int]:
    values = lines.wholes(what, count, least)
    if more := lines.behind(count):
        notes.append(f"{what}: {' '.join(more)[:60]} after the first {count} of its line is not read, as officially")
    official = lines.by_single_spaces(count)
    if official != list(map(str, values)) and any(
        _number(word) != value for word, value in zip(official, values, strict=False)
    ):
        notes.append(
            f"{what}: there is more than one space between values, where the official code would read "
            f"{' '.join(official)}"
        )
    return values


def _number(word: str) -> int | None:
    try:
        return int(word)
    except ValueError:
        return None


def _several_official(lines: Lines, notes: list[str], what: str, most: int, otherwise: int) -> list[int]:
    return [_as_official(notes, what, value, most, otherwise) for value in _several(lines, notes, what, ANY)]


def _as_official(notes: list[str], what: str, value: int, most: int, otherwise: int) -> int:
    """Return the value; one that the official code does not know becomes `otherwise`, as there, with a note."""
    if 0 <= value <= most:
        return value
    substitute = f"{otherwise}, {OFFICIAL_BROADCASTS[otherwise]}" if what == "BCAST" else f"{otherwise}"
    note = f"{what} {value} is unknown to netlib's HPL, which takes it as {substitute}"
    if note not in notes:
        notes.append(note)
    return otherwise


def _forms(lines: Lines, notes: list[str]) -> None:
    """Read the lines that select nothing here."""
    for form, otherwise in (("L1", 0), ("U", 0), ("equilibration", 1)):
        _as_official(notes, form, lines.whole(form, ANY), 1, otherwise)
    lines.whole("memory alignment", ANY)


def _of_ptrans(lines: Lines, notes: list[str]) -> None:
    """Note whether HPCC's lines follow: a separator, then the number of further N and of further NB, each with its
    values.
    """
    lines.skip(1)
    for _ in range(2):
        if lines.left and re.fullmatch("0*[1-9][0-9]*", lines.word("HPCC's number of sizes")):
            notes.append("lines after the 31st are HPCC's, for PTRANS, which is not run")
            return
        lines.skip(1)


def _grids(lines: Lines, notes: list[str]) -> list[tuple[int, int]]:
    count = lines.whole("the number of process grids", 1, MOST_VALUES)
    ps = _values(lines, notes, "P", count, 1)
    return list(zip(ps, _values(lines, notes, "Q", count, 1), strict=True))


def _choices(name: str, values: Sequence[Scalar]) -> list[dict[str, Scalar]]:
    return [{name: value} for value in dict.fromkeys(values)]


def _case(chosen: Sequence[dict[str, Scalar]]) -> tuple[int, dict[str, Scalar]]:
    parameters = {name: value for part in chosen for name, value in part.items()}
    return int(parameters["p"]) * int(parameters["q"]), parameters
