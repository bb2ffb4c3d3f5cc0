"""Writing a file so that its name never holds half of it."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from banzuke.errors import BanzukeError


def write_whole(path: Path, content: bytes) -> Path:
    """Writes beside `path` and renames: readers see the old file or the whole new one, on a full disk too."""
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
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        raise BanzukeError(
            f"{path}: cannot be written",
            why=error.strerror or str(error),
            remedy="Make room or choose another folder and write the report again; the records are safe.",
        ) from error
    return path


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
