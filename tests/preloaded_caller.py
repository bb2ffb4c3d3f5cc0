"""A call that the process of preloaded.py carries out with our words, variables, folder, processors and streams.

We end as it does. Tests start this thousands of times, so it imports next to nothing: neither `json` nor `socket`,
which imports `enum`.
"""

import marshal
import os
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket
from array import array


def main(place: str, process: str, *words: str) -> int:
    """Return the call's status; if a signal ended it, end by the same signal."""
    connection = socket(AF_UNIX, SOCK_STREAM)
    connection.connect(place)
    folder = os.getcwd()  # noqa: PTH109  (pathlib takes longer to load than all of this)
    call = marshal.dumps((process, list(words), dict(os.environ), folder, sorted(os.sched_getaffinity(0))))
    connection.sendmsg([len(call).to_bytes(8, "little")], [(SOL_SOCKET, SCM_RIGHTS, array("i", [0, 1, 2]))])
    connection.sendall(call)
    answered = connection.recv(8)
    if not answered:
        sys.exit("preloaded: the process that was to run this call ended without a status")
    status = int.from_bytes(answered, "little", signed=True)
    if status < 0:
        from signal import SIG_DFL, signal  # noqa: PLC0415  (loads `enum`, and few calls end by a signal)

        signal(-status, SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
