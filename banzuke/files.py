"""Files that are whole or not there, and the error when they cannot be."""

import os
import tempfile
from pathlib import Path

from banzuke.errors import BanzukeError


def write_whole(path: Path, content: bytes) -> Path:
    """Writes beside `path` and renames: readers see the old file or the new one, and a full disk leaves the old.

    Makes the folder. Raises BanzukeError.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    return path


def check_folder(folder: Path) -> None:
    """Makes the folder, and tries to write in it. Raises BanzukeError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise unwritable(folder, error) from error


def unwritable(path: Path, error: OSError) -> BanzukeError:
    return BanzukeError(
        f"cannot write {path}",
        why=error.strerror or str(error),
        remedy="Free some space, or name another folder with --results. What was measured before is kept",
    )


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
