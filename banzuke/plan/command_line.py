"""Command lines of official codes: a launcher, the program's name, and its options as IOR's parser takes them."""

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath

from banzuke.errors import BanzukeError

_SIZE = re.compile(r"([0-9]{1,18})([kmgt]?)", re.IGNORECASE)
_POWERS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_LARGEST = 2**63 - 1
_RANKS = ("-n", "-np", "--n", "--np", "--ntasks")


def split_line(text: str, program: str) -> tuple[list[str], int | None]:
    """The words behind the program's name, and how many ranks a launcher before it starts; None: it does not say.

    A line without the name has options alone. Raises BanzukeError.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BanzukeError(f"the command line of {program} is not understood", why=str(error)) from error
    place = next((i for i, word in enumerate(words) if PurePath(word).name == program), None)
    if place is None:
        return words, None
    before, counts = words[:place], []
    for word, following in pairwise(before):
        counts += [int(following)] if word in _RANKS and following.isdecimal() else []
    return words[place + 1 :], counts[-1] if counts else None


def options(
    words: Sequence[str], program: str, flags: Collection[str], valued: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Names and values, of flags empty: `-b 1g`, `-b=1g`, `-b1g`, `-wr`, `--posix.odirect`. Raises BanzukeError."""
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if not name.startswith("-") or len(name) < 2:
            raise BanzukeError(f"{program}: '{word}' is no option", remedy="Give its options as on its command line")
        if name.startswith("--"):
            names = [name[2:]]
        elif name[1] in valued and len(name) > 2:
            names, equals, value = [name[1]], "=", word[2:]
        else:
            names = list(name[1:])
        for each in names:
            if each in valued and each == names[-1]:
                if not equals and not left:
                    raise BanzukeError(f"{program}: the option {word} needs a value")
                yield each, value if equals else left.pop(0)
            elif each in flags:
                yield each, value
            else:
                raise BanzukeError(
                    f"{program}: the option {'--' if name.startswith('--') else '-'}{each} is not supported",
                    remedy="Leave it out; `banzuke explain` shows the parameters for --set",
                )


def whole(program: str, option: str, text: str, least: int = 1) -> int:
    """A number or a size, `4k`, `1g`, in powers of 1024. Raises BanzukeError."""
    found = _SIZE.fullmatch(text)
    value = int(found[1]) << _POWERS[found[2].lower()] if found else -1
    if not least <= value <= _LARGEST:
        raise BanzukeError(
            f"{program}: the option -{option} '{text}' is not understood",
            why=f"it is no whole number of at least {least}",
            remedy="Write 8, 4k, 2m or 1g",
        )
    return value


def noted(given: Mapping[str, str], notes: Mapping[str, str]) -> tuple[str, ...]:
    """What is done otherwise than options say: by option."""
    return tuple(f"-{name}: {notes[name]}" for name in given if name in notes)
