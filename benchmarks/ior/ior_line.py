"""IOR's command line: `-a POSIX -w -r -F -b 1g -t 1m -e`."""

from pathlib import PurePath

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Scalar
from banzuke.plan.command_line import noted, options, split_line, whole
from banzuke.plan.official import InputCases

PROGRAM = "ior"
BACKENDS = {"POSIX": "posix", "MPIIO": "mpi"}
FLAGS = frozenset("BCEFKRWZcegkmruvwxz") | {"posix.odirect"}
VALUED = frozenset("ADGJMNOQTXabdijlost") | {"random-offset-seed", "dataPacketType"}
NOTES = {
    "E": "files are always new",
    "M": "what caches serve is found out, and shown apart",
    "O": "IOR's own directives are ignored",
    "Q": "ranks read what ranks of another client wrote",
    "T": "there is no limit to all rounds: set most_seconds, that of a phase",
    "Z": "ranks read what ranks of another client wrote, and not of random ones",
    "d": "rounds follow each other at once",
    "g": "phases have a barrier before them only",
    "k": "files are removed at the end",
    "m": "each round has new files in any case",
    "u": "all files are in one new folder",
}
DEFAULT_BLOCK, DEFAULT_TRANSFER = 1 << 20, 256 << 10


def read(text: str) -> InputCases:
    """Raises BanzukeError naming the option."""
    words, ranks = split_line(text, PROGRAM)
    given = dict(options(words, PROGRAM, FLAGS, VALUED))

    def number(option: str, otherwise: int, least: int = 1) -> int:
        return whole(PROGRAM, option, given[option], least) if option in given else otherwise

    api = given.get("a", "POSIX").upper()
    if api not in BACKENDS:
        raise BanzukeError(f"ior: the interface -a {given['a']} is not supported", remedy="Use POSIX or MPIIO")
    writes, reads = "w" in given, "r" in given
    direct = "B" in given or given.get("posix.odirect", "0") != "0"
    parameters: dict[str, Scalar] = {
        "files": "per-process" if "F" in given else "shared",
        "block": number("b", DEFAULT_BLOCK),
        "transfer": number("t", DEFAULT_TRANSFER),
        "segments": number("s", 1),
        "rounds": number("i", 1),
        "access": "direct" if direct else "buffered",
        "fsync": "yes" if "e" in given else "no",
        "order": "random" if "z" in given else "sequential",
        "shift": -1 if given.keys() & {"C", "Q", "Z"} else 0,
        "phases": "write-read" if writes == reads else "write" if writes else "read",
        "stonewall": number("D", 0, least=0),
        "most_seconds": 0,
    }
    if api == "MPIIO":
        parameters["collective"] = "yes" if "c" in given else "no"
    folder = str(PurePath(given["o"]).parent) if "o" in given else None
    asked = number("N", ranks or 0, least=0) or None
    return InputCases(cases=((asked, parameters),), notes=noted(given, NOTES), backend=BACKENDS[api], folder=folder)
