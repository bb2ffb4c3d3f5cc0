"""Tests whether a process may read and write another's memory here, in a process of its own, because a filter may kill
it.

Prints the errno of each of the two calls. Nothing is read: at an unmapped address, EFAULT shows that the kernel would
have allowed the call.
"""

import ctypes
import os
import signal

NOWHERE = 16
"""An address in the first page, which no process has mapped."""


class _Piece(ctypes.Structure):
    """`struct iovec`."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def main() -> None:
    """Try both calls on a child that waits, and print a line for each: its name and errno."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(writing)
        os.read(reading, 1)  # until the other end is closed, at the latest when the parent ends
        os._exit(0)
    try:
        for name in ("process_vm_readv", "process_vm_writev"):
            # Printed before the next call, which may be the last.
            os.write(1, f"{name} {_error(name, child)}\n".encode())
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
