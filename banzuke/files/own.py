"""The user's own folders: for marks and locks until the next boot, and for files that take time to make."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from banzuke.errors import BanzukeError
from banzuke.files import check_folder, whose
from banzuke.files.reach import entered


def state_folder() -> Path:
    """Return this user's own folder, made if missing; it ends with the boot if possible. Raises BanzukeError."""
    runtime = "/run" if os.geteuid() == 0 else os.environ.get("XDG_RUNTIME_DIR")
    with suppress(BanzukeError):  # a job may have the variable of a login that has ended
        if runtime:
            return _private(Path(runtime) / "banzuke")
    return _private(Path(f"/tmp/banzuke-{os.geteuid()}"))  # noqa: S108  # checked


def for_commands(folder: Path) -> Path:
    """Return the folder if it is ours, else one of this host that is, for files that our commands read.

    Raises BanzukeError.
    """
    return state_folder() if whose(folder) else folder


def _private(folder: Path) -> Path:
    """Return the folder, made if missing; nobody else can have put anything into it, or read it."""
    try:
        with entered(folder.parent) as place:
            with suppress(FileExistsError):
                os.mkdir(folder.name, 0o700, dir_fd=place.folder)
            status = os.stat(folder.name, dir_fd=place.folder, follow_symlinks=False)
    except OSError as error:
        remedy = "A folder that can be written is needed there to note what is changed"
        raise BanzukeError(f"cannot make {folder}", why=error.strerror or str(error), remedy=remedy) from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise BanzukeError(
            f"{folder} cannot be trusted",
            why="it is a link, another user's, or open to others",
            remedy="Remove it, or set XDG_RUNTIME_DIR to a folder of your own",
        )
    return folder


def cache_path() -> Path:
    """Return the path of `cache_folder`. Raises BanzukeError if it is unknown, or others could write into it."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "banzuke"
    except RuntimeError as error:
        raise _no_cache(str(error)) from error
    if why := whose(folder):
        raise _no_cache(why)
    return folder


def cache_folder() -> Path:
    """Return the folder for files that take time to make. Raises BanzukeError if it cannot be written."""
    folder = cache_path()
    try:
        check_folder(folder)
    except BanzukeError as error:
        raise _no_cache(error.why) from error
    return folder


def _no_cache(why: str) -> BanzukeError:
    return BanzukeError(
        "no folder to keep what takes time to make, such as the files of images",
        why=why,
        remedy="Set XDG_CACHE_HOME to a writable folder of your own that all hosts of the job see",
    )
