"""Reads command lines of official codes: a launcher, the program's name, and its options as IOR's parser takes them."""

import os
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath

from banzuke.errors import BanzukeError

_SIZE = re.compile(r"\s*([0-9]{1,18})\s*(?:([kmgtp])(?:i?b)?|b)?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}
_LARGEST = 2**63 - 1
_TIMES = re.compile(r"\s*([+-]?[0-9]{1,9})")
_RANKS = re.compile(r"(?:-n|-np|--n|--np|--ntasks)(?:=|(?=[0-9]))([0-9]+)")
_RANKS_APART = ("-n", "-np", "--n", "--np", "--ntasks")
_NODES, _PER_NODE = ("-N", "--nodes"), ("--ntasks-per-node", "--tasks-per-node")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})|\$.?|`", re.ASCII | re.DOTALL)
_LAUNCHERS = {"mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prun", "prterun", "srun", "aprun", "flux", "ccc_mprun"}
_WRAPPERS = {
    "env",
    "time",
    "timeout",
    "nice",
    "ionice",
    "numactl",
    "taskset",
    "chrt",
    "stdbuf",
    "strace",
    "perf",
    "sudo",
}
"""Programs whose options are not a launcher's: `nice -n 10`."""
_DASHES = ("\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2212")
_REDIRECTION = re.compile(r"\||&?[0-9]*>>?.*|[0-9]*<.*|#.*", re.DOTALL)
"""Words that a shell would take out of a line: pipes, redirections, comments. A second command, behind `;` or `&&`, is
not among them.
"""
_ENDS = {"&", ";"}
"""Words that end a command where nothing follows."""


@dataclass(frozen=True)
class SplitLine:
    """A command line, divided."""

    words: list[str]
    """Words behind the program's name."""
    ranks: int | None
    """Number of ranks that a launcher before the program starts; None: it does not say."""
    notes: tuple[str, ...] = ()
    """Sentences about parts of the line that are ignored."""


def split_line(text: str, program: str) -> SplitLine:
    """Divide a command line; one without the program's name has options only. Raises BanzukeError."""
    try:
        words = shlex.split(text.replace("\\\n", " "))
    except ValueError as error:
        raise BanzukeError(f"the command line of {program} is not understood", why=str(error)) from error
    end = next((i for i, word in enumerate(words) if _REDIRECTION.fullmatch(word)), len(words))
    if end and words[end - 1] in _ENDS:
        end -= 1
    words = [_as_a_shell_has_it(word, program) for word in words[:end]]
    place = next((i for i, word in enumerate(words) if PurePath(word).name.lower() == program), None)
    if place is None or words[0].startswith("-"):  # options alone, of which one may be a path that ends like this
        return SplitLine(words, None)
    before = words[:place]
    if any(PurePath(word).name == "jsrun" for word in before):
        raise BanzukeError(
            f"the command line of {program} begins with jsrun",
            why="it counts sets of resources and not ranks",
            remedy="Leave the launcher out, and say how many ranks with --ranks",
        )
    ranks, rest = _launched([word for word in before if not _is_assignment(word)])
    notes = [f"{word}: no variable is set; export it before" for word in before if _is_assignment(word)]
    if rest:
        notes.append(f"{' '.join(rest)}: only the number of ranks is taken from what starts {program}")
    return SplitLine(words[place + 1 :], ranks, tuple(notes))


def _as_a_shell_has_it(word: str, program: str) -> str:
    """Return the word with values of variables and the home folder inserted. Raises BanzukeError for other
    expansions.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name and os.environ.get(name):
            return os.environ[name]
        why = f"the variable {name} is not set" if name else "only variables are substituted"
        raise BanzukeError(f"the command line of {program} has '{word}'", why=why, remedy="Write what it stands for")

    return os.path.expanduser(_VARIABLE.sub(value, word))  # noqa: PTH111, of a word that may be no path


def _is_assignment(word: str) -> bool:
    return bool(_ASSIGNMENT.fullmatch(word))


def _launched(words: Sequence[str]) -> tuple[int | None, list[str]]:
    """Return the number of ranks that a launcher starts, and the words that say something else.

    The number is the last one that the launcher is given, or its nodes times the tasks on each.
    """
    ranks: int | None = None
    rest: list[str] = []
    for command in _commands(words):
        if PurePath(command[0]).name in _WRAPPERS:
            rest += command if command[1:] else []  # `time` alone
            continue
        counts, left = _counted(command[1:])
        nodes, per_node = (_number_of(command, names) for names in (_NODES, _PER_NODE))
        number = counts[-1] if counts else nodes * per_node if nodes and per_node else None
        ranks = ranks if number is None else number
        rest += [command[0], *left] if left and left != ["run"] else []
    return ranks, rest


def _commands(words: Sequence[str]) -> Iterator[list[str]]:
    """Return the launcher and the wrappers before or behind it, each with its options."""
    begins = [i for i, word in enumerate(words) if not i or PurePath(word).name in _WRAPPERS | _LAUNCHERS]
    return (list(words[begin:end]) for begin, end in pairwise([*begins, len(words)]))


def _counted(words: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the numbers of ranks, and the remaining words."""
    counts: list[int] = []
    left = list(words)
    other: list[str] = []
    while left:
        word = left.pop(0)
        if match := _RANKS.fullmatch(word):
            counts.append(int(match[1]))
        elif word in _RANKS_APART and left and left[0].isdecimal():
            counts.append(int(left.pop(0)))
        else:
            other.append(word)
    return counts, other


def _number_of(launcher: Sequence[str], names: Sequence[str]) -> int | None:
    for word, after in pairwise([*launcher, ""]):
        name, equals, value = word.partition("=")
        if name in names and (number := value if equals else after).isdecimal():
            return int(number)
        if name[:2] in names and name[2:].isdecimal():  # -N10
            return int(name[2:])
    return None


@dataclass(frozen=True)
class OptionTable:
    """The options that a program knows; those with a name of one letter are given as `-x`."""

    program: str
    flags: Collection[str]
    """Options that count how often they are given; `-x=0` switches one off."""
    valued: Collection[str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Their other names."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Why each of these options is not supported."""
    unknown: str = ""
    """Why other options cannot be taken; may be empty."""

    def read(self, words: Sequence[str]) -> Iterator[tuple[str, str | None, str]]:
        """Yield the names and values of options, and how they were written, as IOR's parser finds them: `-b 1g`,
        `-b1g`, `-wr`, `-F=0`, `--dryRun`.

        The value of a flag without one is None. Raises BanzukeError.
        """
        left = list(words)
        while left:
            word = left.pop(0)
            text, equals, value = word.partition("=")
            if not text.startswith("-") or len(text) < 2:
                raise self._no_option(word)
            yield from (
                self._long(text, value if equals else None, left)
                if text.startswith("--")
                else self._short(word, value if equals else None, left)
            )

    def _long(self, text: str, value: str | None, left: list[str]) -> Iterator[tuple[str, str | None, str]]:
        name = self.aliases.get(text[2:], text[2:])
        if name in self.flags:
            yield name, value or None, text
        elif name in self.valued:
            yield name, self._value(text, value, left), text
        else:
            raise self.unsupported(text, self.unknown)

    def _short(self, word: str, value: str | None, left: list[str]) -> Iterator[tuple[str, str | None, str]]:
        """Yield the options of a word such as `-wr=1`, whose letters all share its value."""
        letters = word.partition("=")[0][1:]
        for place, letter in enumerate(letters):
            name, option = self.aliases.get(letter, letter), f"-{letter}"
            if name in self.flags:
                yield name, value or None, option
            elif name not in self.valued:
                raise self.unsupported(option, self.unknown)
            elif value is None and place == 0 and len(letters) > 1:
                yield name, letters[1:], option
                yield from self._within(word)
                return
            else:
                value = self._value(word, value, left)
                yield name, value, option

    def _within(self, word: str) -> Iterator[tuple[str, str | None, str]]:
        """Yield flags within `-b16m`: IOR's parser goes on behind the `b` and also takes the value's letters as
        options.
        """
        value = word[2:]
        for letter in value:
            name = self.aliases.get(letter, letter)
            if name in self.valued:
                raise BanzukeError(
                    f"{self.program}: {word} is not understood",
                    why=f"{self.program} takes the letter {letter} in it as its option -{letter}, too",
                    remedy=f"Write {word[:2]} {value}",
                )
            if name in self.flags:
                yield name, value, f"-{letter}"

    def _value(self, word: str, value: str | None, left: list[str]) -> str:
        if value is None and left:
            return left.pop(0)
        if not value:
            raise BanzukeError(f"{self.program}: the option {word} needs a value", remedy=f"Write it after {word}")
        return value

    def _no_option(self, word: str) -> BanzukeError:
        why = "it begins with a dash that is no '-'" if word[:1] in _DASHES else ""
        return BanzukeError(
            f"{self.program}: '{word}' is no option", why=why, remedy="Give its options as on its command line"
        )

    def unsupported(self, option: str, why: str) -> BanzukeError:
        return BanzukeError(
            f"{self.program}: the option {option} is not supported",
            why=why or f"{self.program} has no such option",
            remedy="`banzuke explain` shows the parameters for --set",
        )


class Given:
    """The options that a line gives, under the program's names for them."""

    def __init__(self, options: OptionTable) -> None:
        self.options = options
        self._values: dict[str, str] = {}
        self._told: dict[str, str] = {}

    def copy(self) -> "Given":
        out = Given(self.options)
        out._values, out._told = dict(self._values), dict(self._told)
        return out

    def set(self, name: str, value: str | None, option: str) -> None:
        """Set an option as IOR's parser does: a flag counts up, or gets the number that begins its value. Raises
        BanzukeError.
        """
        self._told[name] = option
        if name not in self.options.flags:
            self._values[name] = value or ""
        elif value is None:
            self._values[name] = str(self.times(name) + 1)
        elif match := _TIMES.match(value):
            self._values[name] = str(max(0, int(match[1])))
        else:
            raise BanzukeError(
                f"{self.options.program}: {self._told[name]}={value} is not understood",
                why=f"{self.options.program} takes it as 0",
                remedy="Write 0 or 1",
            )

    def __contains__(self, name: str) -> bool:
        """Return whether it is given, and not as a flag that is off."""
        return name in self._values and (name not in self.options.flags or self.times(name) > 0)

    def times(self, flag: str) -> int:
        return int(self._values.get(flag, "0"))

    def text(self, name: str, otherwise: str = "") -> str:
        return self._values.get(name, otherwise)

    def number(self, name: str, otherwise: int, least: int = 1) -> int:
        """Return a number or a size. Raises BanzukeError."""
        return whole(self.options.program, self.told(name), self._values[name], least) if name in self else otherwise

    def told(self, name: str) -> str:
        """Return the option as it was written: `-k`, `--posix.odirect`."""
        return self._told[name]

    def names(self) -> list[str]:
        """Return the options in effect, in the order in which they were first given."""
        return [name for name in self._values if name in self]

    def refuse(self, harmless: Mapping[str, Collection[str]]) -> None:
        """Raise BanzukeError for the first option that is not supported, unless its value asks for nothing: 0, or one
        of `harmless`.
        """
        for name in self.names():
            why = self.options.refused.get(name)
            if why and self._values[name] not in {"0", *harmless.get(name, ())}:
                raise self.options.unsupported(self.told(name), why)


def whole(program: str, option: str, text: str, least: int = 1) -> int:
    """Return a number or a size, `4k`, `1g`, in powers of 1024. Raises BanzukeError."""
    match = _SIZE.fullmatch(text)
    value = int(match[1]) << _POWERS[(match[2] or "").lower()] if match else -1
    if not least <= value <= _LARGEST:
        raise BanzukeError(
            f"{program}: the option {option} '{text}' is not understood",
            why=f"it is no whole number of at least {least}",
            remedy="Write 8, 4k, 2m or 1g",
        )
    return value


def noted(line: Given, notes: Mapping[str, str], without_effect: Collection[str]) -> list[str]:
    """Return sentences about options that are handled differently, one for each, and one for all that have no effect on
    figures.
    """
    sentences = [f"{line.told(name)}: {notes[name]}" for name in line.names() if name in notes]
    rest = [line.told(name) for name in line.names() if name in without_effect]
    return [*sentences, *([f"{', '.join(rest)}: without effect on the figures"] if rest else [])]
