"""What the libraries of programs that we start read in the current folder, whoever wrote it."""

import os
import pwd
import stat
from contextlib import suppress
from pathlib import Path

from banzuke.errors import BanzukeError

READ = ("ucx.conf",)
"""By UCX, wherever a program with MPI starts: its settings load modules from any folder and write any file."""


def check_folder() -> None:
    """Raises BanzukeError where another user wrote what would be read there.

    It sees what is there when a command begins: who can write the folder can still put it there later.
    """
    for name in READ:
        try:
            found = Path(name).stat()
        except OSError:
            continue
        if found.st_uid not in {0, os.geteuid()} or found.st_mode & stat.S_IWOTH:
            all_write = ", and all may write it" if found.st_mode & stat.S_IWOTH else ""
            raise BanzukeError(
                f"UCX would take its settings from {name} in the current folder",
                why=f"it belongs to {_user(found.st_uid)}{all_write}",
                remedy="Start in a folder that only you can write",
            )


def _user(number: int) -> str:
    with suppress(KeyError):
        return pwd.getpwuid(number).pw_name
    return f"user {number}"
