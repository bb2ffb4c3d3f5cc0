"""Reads IOR's command line, directives and scripts: `-a POSIX -w -r -F -b 1g -t 1m -O useO_DIRECT=1 -f FILE`."""

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
    """Return the cases of a command line. Raises BanzukeError naming the option or directive."""
    line = split_line(text, PROGRAM)
    options = Given(OPTIONS)
    take(options, line.words)
    tests = [_case(test, line.ranks) for test in (_script(options) if "f" in options else [options])]
    return InputCases(
        cases=tuple(case for test in tests for case in test.cases),
        notes=tuple(dict.fromkeys([*line.notes, *(note for test in tests for note in test.notes)])),
        backend=_common("interface", [test.backend for test in tests]),
        folder=_common("folder", [test.folder for test in tests]),
    )


def take(options: Given, words: Sequence[str]) -> None:
    """Set one option after another, directives among them; the last of equal ones counts. Raises BanzukeError."""
    for name, value, written in OPTIONS.read(words):
        if name == "O":
            for directive in (value or "").partition("#")[0].split(","):
                direct(options, directive)
        else:
            options.set(name, value, written)


def direct(options: Given, text: str) -> None:
    """Set the option of a directive such as `checkRead=1`. Raises BanzukeError."""
    match = _DIRECTIVE.fullmatch(text)
    if not match:
        raise BanzukeError(f"ior: the directive '{text.strip()}' is not understood", remedy="Write it as checkRead=1")
    directive, value = match.groups()
    if directive.startswith("-"):
        take(options, [f"{directive}={value}"])
    elif name := DIRECTIVES.get(directive.lower()):
        options.set(name, value, f"-O {directive}")
    else:
        raise BanzukeError(
            f"ior: the directive {directive} is not supported",
            why="IOR has no directive of this name, or it belongs to an interface that is not supported",
        )


def _script(first: Given) -> Iterator[Given]:
    """Yield the tests of a script, each starting with the options of the one before. Raises BanzukeError."""
    path = Path(first.text("f"))
    lines = iter(text_of(path).splitlines())
    if not any(_is(line, "ior start") for line in lines):
        raise BanzukeError(f"{path} is not a script of IOR", why="no line in it is 'IOR START'")
    options, ran = first.copy(), False
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if _is(line, "ior stop"):
            break
        if _is(line, "run"):
            if ran:
                yield options.copy()
            ran = True
            continue
        if ran:
            yield options.copy()
            ran = False
        for directive in line.partition("#")[0].split(","):
            direct(options, directive)
    yield options


def _is(line: str, words: str) -> bool:
    return line.strip().lower() == words


def _common(what: str, values: Sequence[str | None]) -> str | None:
    """Return the common value. Raises BanzukeError if they differ."""
    different = list(dict.fromkeys(values))
    if len(different) > 1:
        listed = " and ".join(value or "none" for value in different)
        raise BanzukeError(
            f"ior: all tests of a script must have the same {what}, not {listed}", remedy="Run them one at a time"
        )
    return different[0]


def _case(options: Given, ranks: int | None) -> InputCases:
    api = options.text("a", "POSIX").upper()
    if api not in BACKENDS:
        raise BanzukeError(f"ior: the interface -a {options.text('a')} is not supported", remedy="Use POSIX or MPIIO")
    options.refuse(HARMLESS)
    notes = [*_interface_notes(options, api), *_combination_notes(options)]
    parameters: dict[str, Scalar] = {
        "files": "per-process" if "F" in options else "shared",
        "block": options.number("b", DEFAULT_BLOCK),
        "transfer": options.number("t", DEFAULT_TRANSFER),
        "segments": options.number("s", 1),
        "rounds": options.number("i", 1),
        "access": "direct" if api == "POSIX" and options.times("posix.odirect") == 1 else "buffered",
        "fsync": "each" if "Y" in options else "yes" if options.times("e") == 1 else "no",
        "order": "random" if "z" in options else "sequential",
        "shift": _shift(options),
        "phases": _phases(options),
        **_limits(options),
    }
    if api == "MPIIO":
        parameters["collective"] = "yes" if "c" in options else "no"
    parameters |= _stripes(options)
    asked = options.number("N", ranks or 0, least=0) or None
    return InputCases(
        cases=((asked, parameters),),
        notes=(*noted(options, NOTES, WITHOUT_EFFECT), *notes),
        backend=BACKENDS[api],
        folder=_folder(options),
    )


def _interface_notes(options: Given, api: str) -> list[str]:
    """Return notes on options of the other interface. Raises BanzukeError for unsupported ones of this interface."""
    if api == "MPIIO":
        for name, why in OF_MPIIO.items():
            if why and name in options:
                raise OPTIONS.unsupported(options.told(name), why)
    others = OF_MPIIO if api == "POSIX" else OF_POSIX
    return [f"{options.told(name)}: has no effect with {api}" for name in others if name in options]


def _combination_notes(options: Given) -> list[str]:
    """Return notes on combinations and repetitions of options. Raises BanzukeError for those that IOR refuses."""
    if "C" in options and "Z" in options:
        raise BanzukeError("ior: -C and -Z exclude each other", why="IOR refuses them, too")
    shared = "F" not in options
    if "z" in options and shared and ("C" in options or "Z" in options):
        raise BanzukeError("ior: -z of a shared file excludes -C and -Z", why="IOR refuses them, too")
    notes = [
        f"{options.told(name)}: given {options.times(name)} times, it has no effect, as in IOR"
        for name in ("e", "posix.odirect")
        if options.times(name) > 1
    ]
    if "Q" in options and not ("C" in options or "Z" in options):
        notes.append(f"{options.told('Q')}: has no effect without -C or -Z")
    elif "Q" in options and options.number("Q", 1, least=0) > 1:
        notes.append(f"{options.told('Q')}: ranks read what ranks of another client wrote, be it the next")
    if options.times("z") > 1:
        notes.append(f"{options.told('z')}: each transfer comes once, in a random order; IOR draws with repetition")
    elif "z" in options and (shared or options.number("s", 1) > 1):
        notes.append(
            f"{options.told('z')}: transfers of all blocks of a rank are mixed, and none are given to other ranks"
        )
    if _phases(options) == "read":
        option = options.told("r" if "r" in options else "R")
        notes.append(f"{option}: files are first written, untimed; existing ones are not read")
    return notes


def _shift(options: Given) -> int:
    if "C" in options and options.number("Q", 1, least=0) == 0:
        return 0
    return -1 if "C" in options or "Z" in options else 0


def _phases(options: Given) -> str:
    """Return which phases are timed. Raises BanzukeError if none is."""
    writes, reads = "w" in options, "r" in options or "R" in options
    if writes == reads:
        if not writes and "W" in options:
            raise BanzukeError(f"ior: {options.told('W')} alone times nothing", remedy="Add -w or -r")
        return "write-read"
    return "write" if writes else "read"


def _limits(options: Given) -> dict[str, Scalar]:
    """Return the limits of a phase: IOR stops at a deadline, or with stoneWallingWearOut when all ranks have done as
    much as the fastest.
    """
    deadline = options.number("D", 0, least=0)
    wears_out = "stoneWallingWearOut" in options
    if wears_out and not deadline:
        raise BanzukeError("ior: stoneWallingWearOut needs a deadline, -D", why="IOR refuses it, too")
    return {"stonewall": deadline if wears_out else 0, "most_seconds": 0 if wears_out else deadline}


def _stripes(options: Given) -> dict[str, Scalar]:
    stripes: dict[str, Scalar] = {}
    for parameter, names in STRIPES:
        for name in names:
            text = options.text(name, "0")
            if text == "-1" and name == "posix.lustre.stripecount":
                stripes[parameter] = -1
            elif text not in {"0", "-1"}:
                stripes[parameter] = options.number(name, 0)
    return stripes


def _folder(options: Given) -> str | None:
    """Return the folder of the test file. Raises BanzukeError if there are several."""
    if "o" not in options:
        return None
    if "@" in options.text("o"):
        raise BanzukeError("ior: one folder is measured at a time", remedy="Name others with --area NAME=PATH")
    return str(PurePath(options.text("o")).parent)
