"""`banzuke` from a process that has imported it and forks for each call.

Imports would take two thirds of a short call. Otherwise the call is the same: `main`, in its own process, with the
caller's words, variables, folder, processors and streams. A test that examines the process itself (its signals, its
limits, its streams' encoding) starts the installed script instead.
"""

import atexit
import functools
import gc
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NoReturn

CALLER = Path(__file__).with_name("preloaded_caller.py")
"""Program that makes a call; it starts quickly, because it runs without site-packages."""
WITH_REPORTS = "with-reports"
"""Word that also loads what writes reports: many calls do on this host, few on others."""
STAND_IN = Path(__file__).parent.parent / "banzuke" / "report" / "testing" / "drawings.py"
"""Stand-in for drawing, which is not installed."""
DRAWN = {"TESTS_LOOK_AT_DRAWINGS": "1"}
"""Variables of a call that draws its report's charts, which takes a second; other calls use the stand-in."""


@functools.cache
def command() -> tuple[str, ...]:
    """Return the words before a call's own. The serving process ends with this one."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(serving())


@contextmanager
def serving(*entering: str) -> Iterator[tuple[str, ...]]:
    """Yield the words before a call's own; it runs where the words `entering` lead, on a host of namespaces.py."""
    pipe = subprocess.PIPE  # Python remembers whether its streams can seek, and a call's cannot
    with tempfile.TemporaryDirectory(prefix="banzuke-preloaded-") as folder:
        place = str(Path(folder) / "socket")
        words = [*entering, sys.executable, "-P", __file__, place, *([] if entering else [WITH_REPORTS])]
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True) as server:
            try:
                assert server.stdout is not None
                assert server.stdout.readline() == "ready\n"
                yield (sys.executable, "-I", "-S", str(CALLER), place)
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
        words, variables, folder, processors = marshal.loads(reader.read(int.from_bytes(length, "little")))  # noqa: S302
    child = os.fork()
    if child == 0:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
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
    from importlib import import_module
    from unittest import mock

    from altair.utils import schemapi

    import banzuke.cli
    from banzuke.installation import front_end
    from banzuke.plan.catalogue import benchmarks
    from banzuke.words.language import words

    with_reports = WITH_REPORTS in sys.argv
    further = ["banzuke.report.fleet", "banzuke.report.write", "rich.status", "scipy.special"]
    commands = [module.name for module in pkgutil.iter_modules(banzuke.cli.__path__, "banzuke.cli.")]
    for module in (*commands, *(further if with_reports else [])):
        if not module.startswith("banzuke.cli.test_"):
            import_module(module)
    front_end()  # each call would read all sources for it
    benchmarks()  # and all their files
    words()
    schemapi.disable_debug_mode()  # Altair need not validate charts part by part here; unit tests do
    gc.freeze()  # or each call would look through all of this for garbage
    serve(sys.argv[1])
    sys.argv[0] = str(Path(sys.executable).with_name("banzuke"))
    if with_reports and not os.environ.keys() & DRAWN:
        stand_in = runpy.run_path(str(STAND_IN))
        mock.patch(stand_in["DRAW"], stand_in["as_drawn"]).start()
    end_at_once(status_of(banzuke.cli.main))
