"""Runs commands of batch systems, which may be missing, fail, hang or print nonsense."""

import os
import re
import shlex
from collections.abc import Collection, Sequence

from banzuke.child import TooMuchError, captured
from banzuke.errors import BanzukeError
from banzuke.text import printable

SECONDS = 60.0
"""Seconds within which a busy controller answers, if at all."""
_WORDS = 2000
"""Characters of a failing command's output that are shown: the last ones, since they name the cause."""


class CommandError(BanzukeError):
    """Raised for a command that did not do what it was asked to do."""

    def __init__(self, problem: str, *, why: str, remedy: str = "", said: str = "", output: str = "") -> None:
        super().__init__(problem, why=why, remedy=remedy)
        self.said, self.output = said, output
        """Its standard error and output; empty if it did not get that far."""

    @property
    def refused(self) -> bool:
        """Whether it refused, so that nothing has begun; a slow controller may still have done what it was asked."""
        return bool(self.said or self.output) and not re.search(r"timed? ?-?out", self.said, re.IGNORECASE)


def settings_of(*programs: str) -> set[str]:
    """Return variables by which users choose what a program shows (`SINFO_PARTITION`), hiding the rest."""
    begins = tuple(f"{program.upper()}_" for program in programs)
    return {name for name in os.environ if name.startswith(begins)}


def ask(command: Sequence[str], *, without: Collection[str] = ()) -> str:
    """Return the standard output of a command, started without some environment variables.

    Raises CommandError if it fails.
    """
    shown = shlex.join(command[:2])
    variables = {name: value for name, value in os.environ.items() if name not in without} | {"LC_ALL": "C"}
    try:
        done = captured(command, seconds=SECONDS, variables=variables)
    except FileNotFoundError as error:
        raise CommandError(
            f"{command[0]} was not found",
            why="it is not on PATH here",
            remedy="Load the batch system's module",
            said=str(error),
        ) from error
    except TimeoutError as error:
        raise CommandError(f"{shown} did not answer", why=f"within {SECONDS:g} s", remedy="Try again later") from error
    except TooMuchError as error:
        raise CommandError(f"{shown} gave no answer that can be read", why=str(error)) from error
    except OSError as error:
        raise CommandError(f"{shown} could not be started", why=error.strerror or str(error)) from error
    output, said = printable(done.text).strip(), printable(done.complaint).strip()
    if done.status != 0:
        why = (said or output)[-_WORDS:] or f"exit status {done.status}, and no output"
        raise CommandError(f"{shown} failed", why=why, said=said, output=output)
    return output
