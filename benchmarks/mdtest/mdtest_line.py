"""Reads mdtest's command line: `-n 1000 -u -i 3`."""

from collections.abc import Sequence
from dataclasses import dataclass

from banzuke.errors import BanzukeError
from banzuke.plan.benchmark import Scalar
from banzuke.plan.command_line import Given, noted, split_line
from banzuke.plan.official import InputCases

from .mdtest_options import NOTES, OPTIONS, PROGRAM, WITHOUT_EFFECT

MOST_BITS = 40
"""Most bits of the number of a tree's directories."""
MOST_CASES = 10_000


@dataclass(frozen=True)
class DirectoryTree:
    depth: int
    branch: int
    leaves: bool
    """True if only leaves hold items."""

    @property
    def holders(self) -> int:
        """Return the number of directories that hold items."""
        leaves = int(self.branch**self.depth)
        if self.leaves:
            return leaves
        return self.depth + 1 if self.branch == 1 else (leaves * self.branch - 1) // (self.branch - 1)


def read(text: str) -> InputCases:
    """Return the cases of a command line. Raises BanzukeError naming the option."""
    line = split_line(text, PROGRAM)
    options = Given(OPTIONS)
    for name, value, written in OPTIONS.read(line.words):
        options.set(name, value, written)
    if (api := options.text("a", "POSIX")).upper() != "POSIX":
        raise BanzukeError(f"mdtest: the interface -a {api} is not supported", remedy="Use POSIX")
    if "@" in options.text("d"):
        raise BanzukeError("mdtest: one folder is measured at a time", remedy="Name others with --area NAME=PATH")
    options.refuse({})
    notes: list[str] = []
    tree = _tree(options)
    parameters: dict[str, Scalar] = {
        "items": _items(options, tree, notes),
        "bytes": options.number("w", 0, least=0),
        "depth": tree.depth,
        "branch": tree.branch,
        "holders": "leaves" if tree.leaves else "all",
        "directories": "private" if "u" in options else "shared",
        "fsync": "yes" if "y" in options and options.number("w", 0, least=0) else "no",
        "shift": _shift(options, notes),
        "rounds": options.number("i", 1),
        "stonewall": _stonewall(options, tree, notes),
        "most_seconds": 0,
    }
    _check_reading(options, notes)
    return InputCases(
        cases=tuple((ranks, parameters) for ranks in _ranks(options, line.ranks)),
        notes=(*line.notes, *noted(options, NOTES, WITHOUT_EFFECT), *notes),
        folder=options.text("d") or None,
    )


def _refused(what: str, why: str = "mdtest refuses it, too") -> BanzukeError:
    return BanzukeError(f"mdtest: {what}", why=why)


def _tree(options: Given) -> DirectoryTree:
    """Return the tree. Raises BanzukeError."""
    depth, branch = options.number("z", 0, least=0), options.number("b", 1, least=0)
    if not depth:
        return DirectoryTree(0, 1, leaves=False)  # one directory, whatever the number of branches
    if not branch:
        raise _refused(f"-b {branch} makes no tree of depth {depth}")
    if depth * (branch.bit_length() - 1) > MOST_BITS:
        raise BanzukeError(f"mdtest: -z {depth} -b {branch} make too many directories", remedy="Choose a smaller tree")
    return DirectoryTree(depth, branch, leaves="L" in options)


def _items(options: Given, tree: DirectoryTree, notes: list[str]) -> int:
    """Return a rank's items in the whole tree, as mdtest computes them from -n and -I. Raises BanzukeError."""
    every, per_directory = (options.number(name, 0, least=0) for name in ("n", "I"))
    if per_directory and not every:
        return per_directory * tree.holders
    if per_directory:
        return _items_of_trees(options, every, per_directory, tree, notes)
    if not every:
        raise BanzukeError("mdtest: -n or -I is needed", remedy="Say how many items each rank makes: -n 1000")
    # With one branch per level there is a single leaf, to which mdtest gives all items.
    items = every // tree.holders * tree.holders
    if not items:
        raise _refused(f"-n {every} are too few", f"{tree.holders} directories hold equally many, so mdtest makes none")
    if items < every:
        notes.append(f"-n: {items} items, as in mdtest: all {tree.holders} directories hold equally many")
    return items


def _items_of_trees(options: Given, every: int, per_directory: int, tree: DirectoryTree, notes: list[str]) -> int:
    """Return a rank's items in trees of `per_directory`, created until each directory would have `every`."""
    if "u" in options:
        raise _refused("-n and -I together exclude -u")
    if every % per_directory:
        raise _refused(f"-n {every} is no multiple of -I {per_directory}")
    if every > per_directory:
        trees = f"mdtest makes {every // per_directory} trees with {per_directory} items of a rank in a directory"
        notes.append(f"-I: {trees}; one tree holds them all here")
    return every * tree.holders


def _shift(options: Given, notes: list[str]) -> int:
    """Return the shift; mdtest shifts by hosts if ranks are placed in blocks, and -1 lets the program find the next
    host.
    """
    shift = options.number("N", 0, least=0)
    if shift > 1:
        notes.append(f"-N: ranks shift by {shift}; where a host has neighbouring ranks, mdtest shifts by so many hosts")
    return -1 if shift == 1 else shift


def _stonewall(options: Given, tree: DirectoryTree, notes: list[str]) -> int:
    """Return the stonewall in seconds. Raises BanzukeError."""
    seconds = options.number("W", 0, least=0)
    if not seconds:
        return 0
    if tree.branch > 1 or ("B" in options and options.number("B", 0, least=0)):
        raise _refused("-W excludes a tree with branches (-b) and phases without barriers (-B)")
    notes.append(f"{options.told('W')}: ranks make what they can in {seconds} s, not as much as the fastest made")
    return seconds


def _check_reading(options: Given, notes: list[str]) -> None:
    """Raise BanzukeError if more is read than was written."""
    written, read_ = (options.number(name, 0, least=0) for name in ("w", "e"))
    if read_ > written:
        raise _refused(f"-e {read_} reads more than -w {written} writes")
    if read_ < written:
        notes.append(f"-e: all {written} bytes of a file are read, not {read_}")


def _ranks(options: Given, of_launcher: int | None) -> Sequence[int | None]:
    """Return the number of ranks of each test. Raises BanzukeError."""
    last, stride = options.number("l", 0, least=0), options.number("s", 1)
    if not last:
        return [of_launcher]  # -f alone has no effect
    first = options.number("f", 1)
    if first > last or (of_launcher and last > of_launcher):
        raise _refused(f"-f {first} -l {last} are not numbers of available ranks")
    if (last - first) // stride >= MOST_CASES:
        raise BanzukeError(f"mdtest: -f {first} -l {last} -s {stride} ask for more than {MOST_CASES} cases")
    return range(first, last + 1, stride)
