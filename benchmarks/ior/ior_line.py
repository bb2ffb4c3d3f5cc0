"""IOR's command line, its directives and its scripts: `-a POSIX -w -r -F -b 1g -t 1m -O useO_DIRECT=1 -f FILE`."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Scalar
from banzuke.plan.command_line import Given, noted, split_line
from banzuke.plan.lines import text_of
from banzuke.plan.official import InputCases

from .ior_options import (
    DIRECTIVES,
    HARMLESS,
    NOTES,
    OF_MPIIO,
    OF_POSIX,
    OPTIONS,
    PROGRAM,
    WITHOUT_EFFECT,
)

BACKENDS = {"POSIX": "posix", "MPIIO": "mpi"}
DEFAULT_BLOCK, DEFAULT_TRANSFER = 1 << 20, 256 << 10
_DIRECTIVE = re.compile(r"\s*([^=#\s]+)\s*=\s*([^#\s]+)\s*")
STRIPES = (
    ("stripe_count", ("posix.lustre.stripecount", "posix.beegfs.NumTargets")),
    ("stripe_size", ("posix.lustre.stripesize", "posix.beegfs.ChunkSize")),
)


def read(text: str) -> InputCases:
    """Raises BanzukeError naming the option or directive."""
    line = split_line(text, PROGRAM)
    given = Given(OPTIONS)
    take(given, line.words)
    tests = [_case(test, line.ranks) for test in (_script(given) if "f" in given else [given])]
    return InputCases(
        cases=tuple(case for test in tests for case in test.cases),
        notes=tuple(dict.fromkeys([*line.notes, *(note for test in tests for note in test.notes)])),
        backend=_one("interface", [test.backend for test in tests]),
        folder=_one("folder", [test.folder for test in tests]),
    )


def take(given: Given, words: Sequence[str]) -> None:
    """One option after another: the last one counts, directives among them. Raises BanzukeError."""
    for name, value, told in OPTIONS.read(words):
        if name == "O":
            for directive in (value or "").partition("#")[0].split(","):
                direct(given, directive)
        else:
            given.set(name, value, told)


def direct(given: Given, text: str) -> None:
    """Takes a directive, `checkRead=1`. Raises BanzukeError."""
    found = _DIRECTIVE.fullmatch(text)
    if not found:
        raise BanzukeError(f"ior: the directive '{text.strip()}' is not understood", remedy="Write it as checkRead=1")
    told, value = found.groups()
    if told.startswith("-"):
        take(given, [f"{told}={value}"])
    elif name := DIRECTIVES.get(told.lower()):
        given.set(name, value, f"-O {told}")
    else:
        raise BanzukeError(
            f"ior: the directive {told} is not supported",
            why="IOR has none of this name, or it belongs to an interface that is not supported",
        )


def _script(first: Given) -> Iterator[Given]:
    """The tests of a script: each goes on from the one before. Raises BanzukeError."""
    path = Path(first.text("f"))
    lines = iter(text_of(path).splitlines())
    if not any(_is(line, "ior start") for line in lines):
        raise BanzukeError(f"{path} is no script of IOR", why="no line in it is 'IOR START'")
    given, ran = first.copy(), False
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if _is(line, "ior stop"):
            break
        if _is(line, "run"):
            if ran:
                yield given.copy()
            ran = True
            continue
        if ran:
            yield given.copy()
            ran = False
        for directive in line.partition("#")[0].split(","):
            direct(given, directive)
    yield given


def _is(line: str, words: str) -> bool:
    return line.strip().lower() == words


def _one(what: str, values: Sequence[str | None]) -> str | None:
    """Raises BanzukeError where they are not alike."""
    different = list(dict.fromkeys(values))
    if len(different) > 1:
        told = " and ".join(each or "none" for each in different)
        raise BanzukeError(f"ior: the tests of a script have one {what}, not {told}", remedy="Run them one at a time")
    return different[0]


def _case(given: Given, ranks: int | None) -> InputCases:
    api = given.text("a", "POSIX").upper()
    if api not in BACKENDS:
        raise BanzukeError(f"ior: the interface -a {given.text('a')} is not supported", remedy="Use POSIX or MPIIO")
    given.refuse(HARMLESS)
    notes = [*_of_interface(given, api), *_combined(given)]
    parameters: dict[str, Scalar] = {
        "files": "per-process" if "F" in given else "shared",
        "block": given.number("b", DEFAULT_BLOCK),
        "transfer": given.number("t", DEFAULT_TRANSFER),
        "segments": given.number("s", 1),
        "rounds": given.number("i", 1),
        "access": "direct" if api == "POSIX" and given.times("posix.odirect") == 1 else "buffered",
        "fsync": "each" if "Y" in given else "yes" if given.times("e") == 1 else "no",
        "order": "random" if "z" in given else "sequential",
        "shift": _shift(given),
        "phases": _phases(given),
        **_limits(given),
    }
    if api == "MPIIO":
        parameters["collective"] = "yes" if "c" in given else "no"
    parameters |= _stripes(given)
    asked = given.number("N", ranks or 0, least=0) or None
    return InputCases(
        cases=((asked, parameters),),
        notes=(*noted(given, NOTES, WITHOUT_EFFECT), *notes),
        backend=BACKENDS[api],
        folder=_folder(given),
    )


def _of_interface(given: Given, api: str) -> list[str]:
    """What is said of options that the other interface has; raises BanzukeError for those of this that are not done."""
    if api == "MPIIO":
        for name, why in OF_MPIIO.items():
            if why and name in given:
                raise OPTIONS.unsupported(given.told(name), why)
    others = OF_MPIIO if api == "POSIX" else OF_POSIX
    return [f"{given.told(name)}: has no effect with {api}" for name in others if name in given]


def _combined(given: Given) -> list[str]:
    """What is said of options together, and by their number. Raises BanzukeError for what IOR itself refuses."""
    if "C" in given and "Z" in given:
        raise BanzukeError("ior: -C and -Z exclude each other", why="IOR refuses them, too")
    shared = "F" not in given
    if "z" in given and shared and ("C" in given or "Z" in given):
        raise BanzukeError("ior: -z of a shared file excludes -C and -Z", why="IOR refuses them, too")
    notes = [
        f"{given.told(name)}: {given.times(name)} times is as if it were not given, as in IOR"
        for name in ("e", "posix.odirect")
        if given.times(name) > 1
    ]
    if "Q" in given and not ("C" in given or "Z" in given):
        notes.append(f"{given.told('Q')}: has no effect without -C or -Z")
    elif "Q" in given and given.number("Q", 1, least=0) > 1:
        notes.append(f"{given.told('Q')}: ranks read what ranks of another client wrote, be it the next")
    if given.times("z") > 1:
        notes.append(f"{given.told('z')}: each transfer comes once, in a random order; IOR draws with repetition")
    elif "z" in given and (shared or given.number("s", 1) > 1):
        notes.append(
            f"{given.told('z')}: transfers of all blocks of a rank are mixed, and none are given to other ranks"
        )
    if _phases(given) == "read":
        told = given.told("r" if "r" in given else "R")
        notes.append(f"{told}: files are written before, outside of the clock; none that is there is read")
    return notes


def _shift(given: Given) -> int:
    if "C" in given and given.number("Q", 1, least=0) == 0:
        return 0
    return -1 if "C" in given or "Z" in given else 0


def _phases(given: Given) -> str:
    """Raises BanzukeError where nothing is timed."""
    writes, reads = "w" in given, "r" in given or "R" in given
    if writes == reads:
        if not writes and "W" in given:
            raise BanzukeError(f"ior: {given.told('W')} alone times nothing", remedy="Add -w or -r")
        return "write-read"
    return "write" if writes else "read"


def _limits(given: Given) -> dict[str, Scalar]:
    """At a deadline IOR stops, or with stoneWallingWearOut lets all ranks do as much as the fastest has."""
    deadline = given.number("D", 0, least=0)
    wears_out = "stoneWallingWearOut" in given
    if wears_out and not deadline:
        raise BanzukeError("ior: stoneWallingWearOut needs a deadline, -D", why="IOR refuses it, too")
    return {"stonewall": deadline if wears_out else 0, "most_seconds": 0 if wears_out else deadline}


def _stripes(given: Given) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for parameter, names in STRIPES:
        for name in names:
            text = given.text(name, "0")
            if text == "-1" and name == "posix.lustre.stripecount":
                found[parameter] = -1
            elif text not in {"0", "-1"}:
                found[parameter] = given.number(name, 0)
    return found


def _folder(given: Given) -> str | None:
    """Raises BanzukeError where there are several."""
    if "o" not in given:
        return None
    if "@" in given.text("o"):
        raise BanzukeError("ior: one folder is measured at a time", remedy="Name others with --area NAME=PATH")
    return str(PurePath(given.text("o")).parent)
