"""Whether a process may read and write the memory of another here: a process of its own, since a filter may end it.

Writes for each of the two calls its error's number. Nothing is read: at an address where no memory is, EFAULT says that
the kernel would have allowed it.
"""

import ctypes
import os
import signal

NOWHERE = 16
"""No process has memory in its first page."""


class _Piece(ctypes.Structure):
    """`struct iovec`."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def main() -> None:
    """Tries both calls on a child that waits, and prints a line for each: its name and errno."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(writing)
        os.read(reading, 1)  # until the other end is closed, at the latest by the end of the parent
        os._exit(0)
    try:
        for name in ("process_vm_readv", "process_vm_writev"):
            os.write(1, f"{name} {_error(name, child)}\n".encode())  # before the next call, which may be the last
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _error(name: str, process: int) -> int:
    call = getattr(ctypes.CDLL(None, use_errno=True), name)
    call.argtypes = (ctypes.c_int, *(ctypes.c_void_p, ctypes.c_ulong) * 2, ctypes.c_ulong)
    own, others = _Piece(ctypes.addressof(ctypes.create_string_buffer(1)), 1), _Piece(NOWHERE, 1)
    ctypes.set_errno(0)
    call(process, ctypes.byref(own), 1, ctypes.byref(others), 1, 0)
    return ctypes.get_errno()


if __name__ == "__main__":
    main()
