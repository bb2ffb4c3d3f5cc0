"""mdtest's command line: `-n 1000 -u -i 3`."""

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Scalar
from banzuke.plan.command_line import noted, options, split_line, whole
from banzuke.plan.official import InputCases

PROGRAM = "mdtest"
MOST_BITS = 40
"""Of the number of a tree's directories."""
FLAGS = frozenset("CDEFLPRTUXYZcgkrtuvy")
VALUED = frozenset("BGINVWabdefilnpswxz")
NOTES = {
    "B": "phases always have a barrier before them",
    "C": "all phases are run",
    "D": "files are made, too",
    "E": "all phases are run",
    "F": "directories are made, too",
    "L": "every directory of the tree has items, not its leaves alone",
    "R": "items are asked for in their order",
    "T": "all phases are run",
    "W": "set most_seconds, the time of all phases",
    "Y": "nothing is synchronised between phases",
    "Z": "rates are printed",
    "c": "each rank makes its own items",
    "e": "as much is read as was written",
    "f": "all ranks take part",
    "g": "the layout of directories is as the file system has it",
    "k": "files are made by opening them",
    "l": "all ranks take part",
    "p": "rounds follow each other at once",
    "r": "all phases are run",
    "s": "all ranks take part",
    "t": "working directories are not timed",
    "x": "there is no such file",
    "y": "files are not synchronised after writing",
}


def read(text: str) -> InputCases:
    """Raises BanzukeError naming the option."""
    words, ranks = split_line(text, PROGRAM)
    given = dict(options(words, PROGRAM, FLAGS, VALUED))
    if (api := given.get("a", "POSIX")).upper() != "POSIX":
        raise BanzukeError(f"mdtest: the interface -a {api} is not supported", remedy="Use POSIX")
    if "@" in given.get("d", ""):
        raise BanzukeError("mdtest: one folder is measured at a time", remedy="Name others with --area NAME=PATH")

    def number(option: str, otherwise: int, least: int = 0) -> int:
        return whole(PROGRAM, option, given[option], least) if option in given else otherwise

    depth, branch = number("z", 0), number("b", 1, least=1)
    if "I" not in given and "n" not in given:
        raise BanzukeError("mdtest: -n or -I is needed", remedy="Say how many items each rank makes: -n 1000")
    items = number("n", 0, least=1) or number("I", 1, least=1) * _directories(depth, branch)
    parameters: dict[str, Scalar] = {
        "items": items,
        "bytes": number("w", 0),
        "depth": depth,
        "branch": branch,
        "directories": "private" if "u" in given else "shared",
        "shift": number("N", 0),
        "rounds": number("i", 1, least=1),
        "most_seconds": 0,
    }
    return InputCases(cases=((ranks, parameters),), notes=noted(given, NOTES), folder=given.get("d"))


def _directories(depth: int, branch: int) -> int:
    """Of a tree. Raises BanzukeError."""
    if branch == 1:
        return depth + 1
    if depth * (branch.bit_length() - 1) > MOST_BITS:
        raise BanzukeError(f"mdtest: -z {depth} -b {branch} make too many directories", remedy="Choose a smaller tree")
    return int((branch ** (depth + 1) - 1) // (branch - 1))
