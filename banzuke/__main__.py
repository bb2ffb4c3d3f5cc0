"""The command `banzuke`, also as `python -m banzuke`: what has to be right before anything else is imported."""

import os
import signal
import stat
import struct
from collections.abc import MutableMapping

NARROWEST, WIDEST = 20, 10_000
"""Columns and lines of a terminal. Zero of them show nothing, and tables are as wide as they are told to be."""
_NO_ROOM = "failed to map segment"
"""What the loader says of a library that finds no room, as with `ulimit -v`."""
_RAISE = "Raise the limits of the shell (ulimit) or of the job"
LARGEST_ZONE = 1 << 20
"""Bytes; the largest file of a time zone has 4 KiB."""


def main() -> None:
    """An interrupt while modules are imported, where nothing has begun, ends without words like any other."""
    here = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else as nohup and shells want it: ignored
    if here:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    settle(os.environ)
    if "OPENBLAS_NUM_THREADS" not in os.environ:
        # For this process alone, of which `os.environ`, and with it what programs get, knows nothing: NumPy's OpenBLAS
        # would start a thread for each processor, and interrupts us where it cannot.
        os.putenv("OPENBLAS_NUM_THREADS", "1")
    try:
        from banzuke.cli import main as called  # noqa: PLC0415
    except (ImportError, OSError, MemoryError) as error:
        if isinstance(error, ImportError) and _NO_ROOM not in str(error):
            raise
        os.write(2, f"error: Banzuke cannot be loaded ({str(error) or 'out of memory'}). {_RAISE}\n".encode())
        os._exit(2)

    if here:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    called()


def settle(variables: MutableMapping[str, str]) -> None:
    """Takes out what libraries would fail on, or show nothing for, when they are imported."""
    for name in ("COLUMNS", "LINES"):
        if not _is_size(variables.get(name, "")):
            variables.pop(name, None)
    zone = variables.get("TZ", "").lstrip(":")
    if zone and os.path.exists(zone) and not _is_zone(zone):  # noqa: PTH110
        variables["TZ"] = "UTC0"  # as the C library takes it


def _is_size(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10 and NARROWEST <= int(text) <= WIDEST


def _is_zone(path: str) -> bool:
    import zoneinfo  # noqa: PLC0415

    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # noqa: PTH123
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_ZONE:
                return False
            zoneinfo.ZoneInfo.from_file(file)
    except (OSError, ValueError, IndexError, OverflowError, struct.error):
        return False
    return True


if __name__ == "__main__":
    main()
