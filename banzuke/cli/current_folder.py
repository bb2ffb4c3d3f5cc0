"""What the libraries of programs that we start read in the current folder, whoever wrote it."""

import os
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files import whose

READ = ("ucx.conf",)
"""By UCX, wherever a program with MPI starts: its settings load modules from any folder and write any file."""


def check_folder() -> None:
    """Raises BanzukeError where somebody else could have written what would be read there.

    It sees what is there when a command begins: who can write the folder can still put it there later.
    """
    for name in filter(os.path.lexists, READ):
        if why := whose(Path(name)):
            raise BanzukeError(
                f"MPI would take settings from {name} in the current folder",
                why=why,
                remedy="Call banzuke from another folder, or delete that file",
            )
