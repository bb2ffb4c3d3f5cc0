"""The shell's limits (ulimit, setrlimit(2)) behind errors that do not name them."""

import errno
import os
import resource
from typing import NamedTuple

from banzuke.errors import BanzukeError
from banzuke.units import quantity

RAISE = "Raise the limit in the shell or in the job script"
LEAST_FILES = 256
"""Open files: tens of commands are asked about the machine at once, each through several pipes."""
_LIMITS = {
    "-d": (resource.RLIMIT_DATA, "B", "of data"),
    "-f": (resource.RLIMIT_FSIZE, "B", "in a file"),
    "-n": (resource.RLIMIT_NOFILE, "", "open files"),
    "-t": (resource.RLIMIT_CPU, "s", "of processor time"),
    "-u": (resource.RLIMIT_NPROC, "", "processes and threads of this user"),
    "-v": (resource.RLIMIT_AS, "B", "of address space"),
}
_BEHIND = {
    "can't start new thread": ("-u", "-v", "-d"),
    "out of memory": ("-v", "-d"),
    "SIGXCPU": ("-t",),
    "SIGXFSZ": ("-f",),
    os.strerror(errno.EAGAIN): ("-u",),
    os.strerror(errno.EFBIG): ("-f",),
    os.strerror(errno.EMFILE): ("-n",),
    os.strerror(errno.ENOMEM): ("-v", "-d"),
}


class Limit(NamedTuple):
    option: str
    """Of `ulimit`."""
    allowed: int
    unit: str
    what: str

    def __str__(self) -> str:
        return f"ulimit {self.option} allows {quantity(self.allowed, self.unit)} {self.what}"


def in_force(*options: str) -> list[Limit]:
    """Those that limit this process."""
    found = []
    for option in options:
        number, unit, what = _LIMITS[option]
        allowed, _ = resource.getrlimit(number)
        if allowed != resource.RLIM_INFINITY and not (number == resource.RLIMIT_NPROC and os.getuid() == 0):
            found.append(Limit(option, allowed, unit, what))
    return found


def limits_behind(text: str) -> list[Limit]:
    """Those that an error with this text may come from."""
    options = [option for words, limits in _BEHIND.items() if words in text for option in limits]
    return in_force(*dict.fromkeys(options))


def behind(text: str) -> str:
    """Limits that an error with this text may come from: `ulimit -v allows 488 MiB of address space`; empty: none."""
    return ", ".join(map(str, limits_behind(text)))


def explained(text: str) -> str:
    """The text, with the limits that may be behind it."""
    limits = behind(text)
    return f"{text} ({limits})" if limits else text


def understood(error: BaseException) -> BanzukeError | None:
    """What to tell people of an error that comes from such a limit; None: it does not."""
    text = str(error) or (os.strerror(errno.ENOMEM) if isinstance(error, MemoryError) else "")
    limits = behind(text)
    return BanzukeError(text, why=limits, remedy=RAISE) if limits else None


def check() -> None:
    """Raises BanzukeError where so few files may be open that parts of the machine would not be seen."""
    for limit in in_force("-n"):
        if limit.allowed < LEAST_FILES:
            raise BanzukeError(f"{LEAST_FILES} files have to be open at once", why=str(limit), remedy=RAISE)
