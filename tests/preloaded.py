"""`banzuke` from a process that has imported it and forks for each call.

Imports would take two thirds of a short call. Otherwise the call is the same: `main`, in its own process, with the
caller's words, variables, folder, processors and streams. A test that examines the process itself (its signals, its
limits, its streams' encoding) starts the installed script instead.
"""

import atexit
import ctypes
import functools
import gc
import importlib
import marshal
import os
import platform
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NoReturn, TypeVar

Base = TypeVar("Base")
CALLER = Path(__file__).with_name("preloaded_caller.py")
"""Program that makes a call; it starts quickly, because it runs without site-packages."""
NAMESPACES = ("net", "uts", "mnt")
"""What is a host's own on the hosts of namespaces.py."""
STAND_IN = Path(__file__).parent.parent / "banzuke" / "report" / "testing" / "drawings.py"
"""Stand-in for drawing, which is not installed."""
DRAWN = {"TESTS_LOOK_AT_DRAWINGS": "1"}
"""Variables of a call that draws its report's charts, which takes a second; other calls use the stand-in."""


def command(process: int = 0) -> tuple[str, ...]:
    """Return the words before a call's own; it runs on the host of namespaces.py on which the process lives."""
    return (sys.executable, "-I", "-S", str(CALLER), served(), str(process))


@functools.cache
def served() -> str:
    """Return the socket of the serving process, which ends with this one."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(serving())


@contextmanager
def serving() -> Iterator[str]:
    """Yield the socket of a process that serves calls on any host."""
    pipe = subprocess.PIPE  # Python remembers whether its streams can seek, and a call's cannot
    with tempfile.TemporaryDirectory(prefix="banzuke-preloaded-") as folder:
        place = str(Path(folder) / "socket")
        words = [sys.executable, "-P", __file__, place]
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True) as server:
            try:
                assert server.stdout is not None
                assert server.stdout.readline() == "ready\n"
                yield place
            finally:
                server.kill()


def serve(place: str) -> None:
    """Serve calls: return in a child process for each call, which replaces the caller; end with our standard input."""
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
    """Return in the process of the call; its parent waits for it, and kills it if the caller has ended."""
    length, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as reader:
        process, words, variables, folder, processors = marshal.loads(reader.read(int.from_bytes(length, "little")))  # noqa: S302
    child = os.fork()
    if child == 0:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        if int(process):
            enter(process)
        os.environ.clear()
        os.environ.update(variables)
        os.chdir(folder)
        os.sched_setaffinity(0, processors)
        sys.argv[1:] = words
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


def enter(process: str) -> None:
    """Enter the host on which the process lives. Python has no such call before 3.12."""
    library = ctypes.CDLL(None, use_errno=True)
    with ExitStack() as stack:
        for file in [stack.enter_context(Path(f"/proc/{process}/ns/{name}").open()) for name in NAMESPACES]:
            if library.setns(file.fileno(), 0):
                raise OSError(ctypes.get_errno(), f"cannot enter the host of process {process}")
    importlib.reload(platform)  # it remembers this host's name


def kinds_of(base: type[Base]) -> Iterator[type[Base]]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds_of(kind)


def status_of(called: Callable[[], None]) -> int:
    try:
        called()
    except SystemExit as end:
        if isinstance(end.code, str):  # Python prints it
            raise
        return end.code or 0
    return 0


def end_at_once(status: int) -> NoReturn:
    """End without freeing anything.

    Freeing would write to every page that this process shares with the one it was forked from, and take as long as a
    short call.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        sys.exit(status)  # the usual end after a failed write
    atexit._run_exitfuncs()
    os._exit(status)


if __name__ == "__main__":
    os.putenv("OPENBLAS_NUM_THREADS", "1")  # as banzuke/__main__.py has it before NumPy is loaded
    import pkgutil
    import runpy
    from unittest import mock

    from altair.utils import schemapi
    from pydantic import BaseModel

    import banzuke.cli
    from banzuke.installation import front_end
    from banzuke.plan.catalogue import benchmarks
    from banzuke.words.language import words

    further = ["banzuke.report.fleet", "banzuke.report.write", "rich.status", "scipy.special"]
    commands = [module.name for module in pkgutil.iter_modules(banzuke.cli.__path__, "banzuke.cli.")]
    for module in (*commands, *further):
        if not module.startswith("banzuke.cli.test_"):
            importlib.import_module(module)
    for model in kinds_of(BaseModel):
        model.model_rebuild()  # each call would build the validators of those that it reads: a third of its own time
    front_end()  # each call would read all sources for it
    benchmarks()  # and all their files
    words()
    schemapi.disable_debug_mode()  # Altair need not validate charts part by part here; unit tests do
    gc.freeze()  # or each call would look through all of this for garbage
    serve(sys.argv[1])
    sys.argv[0] = str(Path(sys.executable).with_name("banzuke"))
    if not os.environ.keys() & DRAWN:
        stand_in = runpy.run_path(str(STAND_IN))
        mock.patch(stand_in["DRAW"], stand_in["as_drawn"]).start()
    end_at_once(status_of(banzuke.cli.main))
