"""What MPI libraries of programs that we start read in the current folder and at home, whoever wrote it."""

import os
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files import whose

READ = ("ucx.conf",)
"""By UCX, wherever a program with MPI starts: its settings load modules from any folder and write any file."""
AT_HOME = (*READ, ".mpiexec.hydra.conf", ".openmpi/mca-params.conf", ".prte/mca-params.conf", ".pmix/mca-params.conf")
"""Root may have been given another user's home (`sudo -E`)."""


def check_folder() -> None:
    """Raises BanzukeError where somebody else could have written what would be read there.

    It sees what is there when a command begins: who can write the folder can still put it there later.
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
