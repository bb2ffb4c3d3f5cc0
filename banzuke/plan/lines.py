"""Reads input files of official codes: the values stand first in their line, and what follows them is comment."""

import itertools
import re
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files import read_named

LARGEST = 1 << 20
"""Largest file in bytes; files that steer benchmarks have some tens of lines."""
INT_MAX = 2**31 - 1
"""Largest whole number: the official codes are written in C."""
ANY = -INT_MAX
"""Lower bound where the official code takes every number."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_BEGINNING = re.compile(r"[+-]?[0-9]{1,18}(?![0-9])")
_REAL = re.compile(r"([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?)([dD][+-]?0{1,3})?")
"""Fortran's exponent D is only accepted if it is 0, because C stops reading before the D."""


def text_of(path: Path) -> str:
    """Return a file's text. Raises BanzukeError when the file cannot be read or is not text."""
    content = read_named(path, LARGEST)
    if b"\0" in content:
        raise BanzukeError(f"{path} is not a text file")
    return content.decode(errors="replace")  # comments may be in any encoding


class Lines:
    """The lines of a file, taken one after another. Every error names the file and the line."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._lines = text.rstrip().split("\n")
        self._taken = 0

    @classmethod
    def of(cls, path: Path) -> "Lines":
        """Open a file. Raises BanzukeError when the file cannot be read or is not text."""
        return cls(str(path), text_of(path))

    @property
    def left(self) -> bool:
        """Return whether another line follows."""
        return self._taken < len(self._lines)

    @property
    def taken(self) -> int:
        """Return the number of the line that was taken last."""
        return self._taken

    def skip(self, count: int) -> None:
        self._taken += count

    def refuse_longer(self, most: int, count: int) -> None:
        """Raise BanzukeError if one of the first `count` lines has more than `most` bytes, which C reads in parts."""
        for number, line in enumerate(self._lines[:count], start=1):
            if len(line.encode()) > most:
                raise BanzukeError(
                    f"{self.file}, line {number} is too long",
                    why=f"the official code takes what follows its first {most} characters for the next line",
                    remedy="Shorten it",
                )

    def word(self, what: str) -> str:
        """Return the first word of the next line; empty in an empty line."""
        return next(iter(self._next(what)), "")

    def whole(self, what: str, least: int, most: int = INT_MAX) -> int:
        return self.wholes(what, 1, least, most)[0]

    def wholes(self, what: str, count: int, least: int, most: int = INT_MAX) -> list[int]:
        """Return the first `count` whole numbers of the next line."""
        return self._checked(what, self._next(what)[:count], count, least, most)

    def wholes_across(self, what: str, count: int, least: int) -> list[int]:
        """Return the next `count` whole numbers, on as many lines as they take; what follows the last one in its line
        is comment.
        """
        words: list[str] = []
        while len(words) < count:
            words += self._next(what)[: count - len(words)]
            if not all(map(_WHOLE.fullmatch, words)):
                break  # so that the error names this line
        return self._checked(what, words, count, least, INT_MAX)

    def beginning(self, what: str) -> tuple[int, str]:
        """Return the first word of the next non-empty line, after the whole number that it begins with: C reads 60 of
        `60.5`.
        """
        word = ""
        while not word:
            word = self.word(what)
        match = _BEGINNING.match(word)
        (number,) = self._checked(what, [match[0] if match else word], 1, ANY, INT_MAX)
        return number, word

    def leading(self, what: str) -> tuple[int | None, str]:
        """Return the whole number with which the next line's first word begins, and the word; None: it has none."""
        word = self.word(what)
        if not word:
            raise self._wrong(what, "a whole number", "an empty line")
        match = _BEGINNING.match(word)
        return int(match[0]) if match else None, word

    def text_left(self) -> str:
        """Take the rest of the file unless it begins with a number; return its first line, shortened, or nothing."""
        rest = [line for line in self._lines[self._taken :] if line.strip()]
        if not rest or _BEGINNING.match(rest[0].lstrip()):
            return ""
        self._taken = len(self._lines)
        return rest[0].strip()[:40]

    def _checked(self, what: str, words: list[str], count: int, least: int, most: int) -> list[int]:
        above = "" if least <= ANY else f" of at least {least}"
        too_large = any(word.lstrip("+").isdecimal() and len(word) >= len(str(INT_MAX)) for word in words)
        allowed = f" from {least} to {most}" if most < INT_MAX or too_large else above
        expected = f"a whole number{allowed}" if count == 1 else f"{count} whole numbers{allowed}"
        for place, word in enumerate(words, start=1):
            if not _WHOLE.fullmatch(word) or not least <= int(word) <= most:
                raise self._wrong(what, expected, repr(word[:40]) + (f" as number {place}" if count > 1 else ""))
        if len(words) < count:
            raise self._wrong(what, expected, f"only {len(words)} of them" if words else "an empty line")
        return [int(word) for word in words]

    def behind(self, count: int) -> list[str]:
        """Return whole numbers that directly follow the first `count` words of the line that was taken last."""
        rest = self._lines[self._taken - 1].split()[count:]
        return list(itertools.takewhile(_WHOLE.fullmatch, rest))

    def by_single_spaces(self, count: int) -> list[str]:
        """Return the first words of the line that was taken last, looking for each one character after the end of the
        last.

        HPL reads lines this way, and so finds the end of a word again where there is more than one space between
        two.
        """
        rest, words = self._lines[self._taken - 1], []
        for _ in range(count):
            if parts := rest.split(maxsplit=1):
                words.append(parts[0])
                rest = rest[len(parts[0]) + 1 :]
        return words

    def several(self, what: str, most_values: int, least: int, most: int = INT_MAX) -> list[int]:
        """Return values that stand on one line, after a line with their number."""
        return self.wholes(what, self.whole(f"the number of values of {what}", 1, most_values), least, most)

    def real(self, what: str) -> float:
        word = self.word(what)
        if not (match := _REAL.fullmatch(word)):
            raise self._wrong(what, "a number", repr(word[:40]) if word else "an empty line")
        return float(match[1])

    def _next(self, what: str) -> list[str]:
        if self._taken >= len(self._lines):
            raise BanzukeError(
                f"{self.file} ends too early",
                why=f"line {self._taken + 1} should hold {what}, but the file has {len(self._lines)}",
                remedy="Complete it",
            )
        self._taken += 1
        return self._lines[self._taken - 1].split()

    def _wrong(self, what: str, expected: str, actual: str) -> BanzukeError:
        return BanzukeError(f"{self.file}, line {self._taken}: {what}: expected {expected}, but there is {actual}")
