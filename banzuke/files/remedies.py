"""Finds what to do about a file that cannot be written or read, from the cause."""

import difflib
import errno
import os
from pathlib import Path

from banzuke.ulimits import RAISE, behind

NOT_READABLE = "Ask its owner for the right to read it, or name a copy of yours"
NOT_THERE = "Check the name, and the folder in which you are"
_SAME_FOR_BOTH = {
    **dict.fromkeys((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN), RAISE),
    **dict.fromkeys(
        (errno.EIO, errno.ENXIO, errno.ENODEV, errno.EREMOTEIO, errno.EUCLEAN),
        "The device or its connection has failed (`dmesg` may show it): use another file system",
    ),
    **dict.fromkeys(
        (errno.ESTALE, errno.ENOTCONN, errno.ESHUTDOWN, errno.EHOSTDOWN, errno.ETIMEDOUT, errno.ENOLINK),
        "The server of this file system does not answer as it did: try again, or have it remounted",
    ),
    errno.ELOOP: "A link on the way leads in a circle, or is somebody else's: name the folder itself",
    errno.ENAMETOOLONG: "Use a shorter name or path",
    errno.EILSEQ: "Use a name of ASCII letters, digits and . _ -",
}
_WRITING = _SAME_FOR_BOTH | {
    errno.EACCES: "{writable}",
    errno.EPERM: "{writable}. Where the rights are yours, the file or folder may be immutable (`lsattr`)",
    errno.EROFS: "The file system is mounted read-only. {writable}",
    errno.ENOTDIR: "A part of the path is a file. {writable}",
    errno.EISDIR: "There is a folder of this name: rename it, or name another file",
    errno.ENOENT: "The folder is missing: make it, or {another}",
    errno.ENOSPC: "Free some space (`df`, and `df -i` for the number of files), or {elsewhere}",
    errno.EDQUOT: "Remove files of yours there (`quota` shows how much you may have), or {elsewhere}",
    errno.EFBIG: "The file system takes no larger file: {elsewhere}",
    errno.EINVAL: "This file system does not take such a name or operation: {elsewhere}",
    **dict.fromkeys((errno.EBUSY, errno.ETXTBSY), "Something uses it: end that first, or name another file"),
}
"""`writable`, `elsewhere` and `another` include the option that named the folder, if one did."""
_READING = _SAME_FOR_BOTH | {
    **dict.fromkeys((errno.EACCES, errno.EPERM), NOT_READABLE),
    errno.ENOTDIR: "A part of the path is a file: check the name",
    errno.ENOENT: NOT_THERE,
}
_KERNELS = ("/proc", "/sys")
"""File systems in which nobody makes files; most report that there is no such file."""


def writing_remedy(error: OSError, otherwise: str = "", *, path: Path, option: str = "") -> str:
    """Return the remedy.

    `path`: of the file, or of the folder for it. `otherwise`: used if the cause is not known. `option`: the one that
    named the folder, such as `--area`.
    """
    if behind(os.strerror(error.errno or 0)):
        return RAISE
    by_option = f" with {option}" if option else ""
    elsewhere = f"name another folder{by_option}"
    if kernels := _kernels(path):
        return f"{kernels} is the kernel's, and takes no files: {elsewhere}"
    if error.errno == errno.ENOENT and path.is_dir():
        return f"No file can be made in this folder: {elsewhere}"
    remedy = _WRITING.get(error.errno or 0, otherwise or f"Name another folder{by_option}")
    return remedy.format(
        writable=f"Name a folder that you can write{by_option}", elsewhere=elsewhere, another=f"name another{by_option}"
    )


def reading_remedy(path: Path, error: Exception) -> str:
    """Return the remedy; empty: the cause is enough."""
    if isinstance(error, FileNotFoundError) and (near := _near(path)):
        return f"Did you mean '{near}'?"
    return _READING.get(error.errno or 0, "") if isinstance(error, OSError) else ""


def _kernels(path: Path) -> str:
    """Return the kernel's file system that contains the path; empty: none."""
    try:
        there = Path(os.path.realpath(path))
    except (OSError, ValueError):
        return ""
    return next((root for root in _KERNELS if there.is_relative_to(root)), "")


def _near(path: Path) -> str:
    """Return the existing path with the most similar name; empty: none, or the folder cannot be read."""
    if path.is_symlink():  # it leads to nothing, and its own name is right
        return ""
    missing, folder = path, path.parent
    while not folder.is_dir() and folder != folder.parent:
        missing, folder = folder, folder.parent
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError:
        return ""
    near = difflib.get_close_matches(missing.name, names, n=1)
    return str(folder / near[0]) if near else ""
