"""Checks the files that MPI libraries read from the current folder and from home, whoever wrote them."""

import os
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files import whose

READ = ("ucx.conf",)
"""Files that UCX reads from the current folder of any MPI program; they can load modules and write any file."""
AT_HOME = (*READ, ".mpiexec.hydra.conf", ".openmpi/mca-params.conf", ".prte/mca-params.conf", ".pmix/mca-params.conf")
"""Files read from home; root may have another user's home (`sudo -E`)."""


def check_folder() -> None:
    """Raise BanzukeError if somebody else could have written a file that MPI would read.

    This checks only the start of a command: who can write to the folder can still add such a file later.
    """
    home = Path(os.environ.get("HOME", "/"))
    for place, names in ((Path(), READ), (home, AT_HOME)):
        for file in filter(os.path.lexists, (place / name for name in names)):
            if why := whose(file):
                raise BanzukeError(
                    f"MPI would take settings from {file}",
                    why=why,
                    remedy="Call banzuke from another folder, with a HOME of your own, or delete that file",
                )
