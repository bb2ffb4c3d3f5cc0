"""The command `banzuke`, also as `python -m banzuke`: settles what must be right before anything else is imported."""

import gc
import os
import signal
import stat
import struct
from collections.abc import MutableMapping

NARROWEST, WIDEST = 20, 10_000
"""Columns and lines that a terminal may claim to have. With zero, nothing would be shown; tables become as wide as they
are told.
"""
_NO_ROOM = "failed to map segment"
"""The loader's message for a library that finds no room, as with `ulimit -v`."""
_RAISE = "Raise the limits of the shell (ulimit) or of the job"
YOUNG = 50_000
"""New objects after which Python looks for cycles. After its usual 700, it would look a hundred times while modules are
imported, which make none: a tenth of a short command's time.
"""
LARGEST_ZONE = 1 << 20
"""Bytes; the largest time-zone file has 4 KiB."""


def main() -> None:
    """Run the command. An interrupt while modules are still being imported ends it silently: nothing has begun."""
    here = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where nohup or a shell ignores it
    if here:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    settle(os.environ)
    gc.set_threshold(YOUNG)
    if "OPENBLAS_NUM_THREADS" not in os.environ:
        # Set for this process alone: `putenv` does not change `os.environ`, and so not what programs get. NumPy's
        # OpenBLAS would otherwise start a thread for each processor, and interrupts us where it cannot.
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
    """Remove variables that would make libraries fail on import, or show nothing."""
    for name in ("COLUMNS", "LINES"):
        if not _is_size(variables.get(name, "")):
            variables.pop(name, None)
    zone = variables.get("TZ", "").lstrip(":")
    if zone and os.path.exists(zone) and not _is_zone(zone):  # noqa: PTH110
        variables["TZ"] = "UTC0"  # as the C library does


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
