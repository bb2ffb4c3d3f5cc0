"""`banzuke` from a process that has imported it and forks for each call.

Two thirds of a short call would be importing. What is called is the same otherwise: `main`, in a
process of its own, with the caller's words, variables, folder, processors and streams. A test that looks at the process
itself (its signals, its limits, its streams' encoding) starts the installed script instead.
"""

import atexit
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


@functools.cache
def command() -> tuple[str, ...]:
    """The words before a call's own. The process ends with the one that asks for them."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(serving())


@contextmanager
def serving(*entering: str) -> Iterator[tuple[str, ...]]:
    """The words before a call's own, which runs where the words `entering` lead: on a host of namespaces.py."""
    pipe = subprocess.PIPE  # because Python remembers whether its streams can seek, and a call's cannot
    with tempfile.TemporaryDirectory(prefix="banzuke-preloaded-") as folder:
        place = str(Path(folder) / "socket")
        words = [*entering, sys.executable, "-P", __file__, place]
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True) as server:
            try:
                assert server.stdout is not None
                assert server.stdout.readline() == "ready\n"
                # `caller`, without site-packages: it starts at once.
                yield (sys.executable, "-I", "-S", __file__, place)
            finally:
                server.kill()


def caller(place: str, words: list[str]) -> int:
    """Sends a call with its streams; returns its status, as a shell would where a signal ended it."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        call = {
            "words": words,
            "variables": dict(os.environ),
            "folder": str(Path.cwd()),
            "processors": sorted(os.sched_getaffinity(0)),
        }
        text = json.dumps(call).encode()
        socket.send_fds(connection, [len(text).to_bytes(8, "little")], [0, 1, 2])
        connection.sendall(text)
        answered = connection.recv(8)
    if not answered:
        sys.exit("preloaded: the process that was to run this call ended without a status")
    status = int.from_bytes(answered, "little", signed=True)
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def serve(place: str) -> None:
    """Returns in a process for each call, which has then become the caller; ends with its own standard input."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                os._exit(0)
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    listener.close()
                    answer(connection)
                    return
            with suppress(ChildProcessError):  # there may be none
                while os.waitpid(-1, os.WNOHANG) != (0, 0):
                    pass


def answer(connection: socket.socket) -> None:
    """Returns in the process of the call; the other one waits for it, and kills it where nobody waits any more."""
    length, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as reader:
        call = json.loads(reader.read(int.from_bytes(length, "little")))
    child = os.fork()
    if child == 0:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.environ.clear()
        os.environ.update(call["variables"])
        os.chdir(call["folder"])
        os.sched_setaffinity(0, call["processors"])
        sys.argv[1:] = call["words"]
        return
    for stream in streams:
        os.close(stream)
    ended = os.pidfd_open(child)
    ready, _, _ = select.select([ended, connection.fileno()], [], [])
    if ended not in ready:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if ended in ready:
        connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, "little", signed=True))
    os._exit(0)


if __name__ == "__main__":
    if sys.flags.isolated:
        sys.exit(caller(sys.argv[1], sys.argv[2:]))
    import pkgutil
    from importlib import import_module

    import banzuke.cli
    from banzuke.installation import front_end

    for module in pkgutil.iter_modules(banzuke.cli.__path__, "banzuke.cli."):
        if not module.name.startswith("banzuke.cli.test_"):
            import_module(module.name)
    front_end()  # each call would read all sources for it
    serve(sys.argv[1])
    sys.argv[0] = str(Path(sys.executable).with_name("banzuke"))
    banzuke.cli.main()
