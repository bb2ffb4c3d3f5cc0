"""Finds the limits of the shell (ulimit, setrlimit(2)) and of control groups behind errors that do not name them."""

import errno
import os
import resource
from typing import NamedTuple

from banzuke import control_groups
from banzuke.errors import BanzukeError
from banzuke.units import quantity

RAISE = "Raise the limit in the shell or in the job script, or that of the job or container"
LEAST_FILES = 256
"""Smallest limit of open files: tens of commands are asked about the machine at once, each through several pipes."""
_LIMITS = {
    "-d": (resource.RLIMIT_DATA, "B", "of data"),
    "-f": (resource.RLIMIT_FSIZE, "B", "in a file"),
    "-n": (resource.RLIMIT_NOFILE, "", "open files"),
    "-t": (resource.RLIMIT_CPU, "s", "of processor time"),
    "-u": (resource.RLIMIT_NPROC, "", "processes and threads of this user"),
    "-v": (resource.RLIMIT_AS, "B", "of address space"),
}
_GROUPS = {"pids": ("", "processes and threads"), "memory": ("B", "")}
"""Controllers of control groups, with the unit and the name of what they limit."""
_BEHIND = {
    "can't start new thread": ("-u", "pids", "-v", "-d"),
    "failed to map segment": ("-v", "-d", "memory"),
    "memory runs out": ("memory",),
    "out of memory": ("-v", "-d", "memory"),
    "process pool was terminated": ("memory",),
    "SIGXCPU": ("-t",),
    "SIGXFSZ": ("-f",),
    os.strerror(errno.EAGAIN): ("-u", "pids"),
    os.strerror(errno.EFBIG): ("-f",),
    os.strerror(errno.EMFILE): ("-n",),
    os.strerror(errno.ENOMEM): ("-v", "-d", "memory"),
}


class Limit(NamedTuple):
    option: str
    """The option of `ulimit` that shows it."""
    allowed: int
    unit: str
    what: str

    def __str__(self) -> str:
        return f"ulimit {self.option} allows {quantity(self.allowed, self.unit)} {self.what}"


def in_force(*options: str) -> list[Limit]:
    """Return those of these limits that are set for this process."""
    limits = []
    for option in options:
        number, unit, what = _LIMITS[option]
        allowed, _ = resource.getrlimit(number)
        if allowed != resource.RLIM_INFINITY and not (number == resource.RLIMIT_NPROC and os.getuid() == 0):
            limits.append(Limit(option, allowed, unit, what))
    return limits


def limits_behind(text: str) -> list[Limit]:
    """Return the limits of the shell that an error with this text may come from."""
    return in_force(*(option for option in _options(text) if option in _LIMITS))


def behind(text: str) -> str:
    """Return the limits that an error with this text may come from: `ulimit -v allows 488 MiB of address space`; empty:
    none.
    """
    return ", ".join(filter(None, map(_limit_text, _options(text))))


def named(error: BanzukeError) -> BanzukeError:
    """Return the error with the limits that may be behind it."""
    limits = behind(str(error))
    if not limits or limits in str(error):
        return error
    return BanzukeError(error.problem, why="; ".join(filter(None, [error.why, limits])), remedy=error.remedy or RAISE)


def explained(text: str) -> str:
    """Return the text with the limits that may be behind it."""
    limits = behind(text)
    return f"{text} ({limits})" if limits else text


def understood(error: BaseException) -> BanzukeError | None:
    """Return what to tell people about an error caused by such a limit, directly or through others; None: it is not."""
    cause: BaseException | None = error
    while cause:
        if explanation := _understood(cause):
            return explanation
        cause = cause.__cause__ or cause.__context__
    return None


def _understood(error: BaseException) -> BanzukeError | None:
    text = str(error) or (os.strerror(errno.ENOMEM) if isinstance(error, MemoryError) else "")
    if not any(words in text for words in _BEHIND):
        return None
    return BanzukeError(text, why=behind(text) or "no limit behind it can be seen here", remedy=RAISE)


def check() -> None:
    """Raise BanzukeError where so few files may be open that parts of the machine would not be seen."""
    for limit in in_force("-n"):
        if limit.allowed < LEAST_FILES:
            raise BanzukeError(f"{LEAST_FILES} files have to be open at once", why=str(limit), remedy=RAISE)


def _options(text: str) -> list[str]:
    return list(dict.fromkeys(option for words, limits in _BEHIND.items() if words in text for option in limits))


def _limit_text(option: str) -> str:
    """Return the limit as text; empty: it is not set for this process."""
    if option in _GROUPS:
        return _group_limit_text(option)
    return "".join(map(str, in_force(option)))


def _group_limit_text(controller: str) -> str:
    unit, what = _GROUPS[controller]
    limit = control_groups.least(controller)
    if limit is None or (controller == "pids" and not control_groups.refused()):
        return ""
    return f"{limit[0]} of its control group allows {quantity(limit[1], unit)} {what}".rstrip()
