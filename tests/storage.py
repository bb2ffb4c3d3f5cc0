"""Programs that measure storage, as tests start them."""

import contextlib
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conftest import SCRIPTS, Result, wait_for
from tests.file_systems import Place
from tests.patience import PATIENCE

MIB = 1 << 20
MPIEXEC = shutil.which("mpiexec", path=f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}") or "mpiexec"


@dataclass(frozen=True, eq=False)
class Program:
    name: str
    small: Mapping[str, Any]
    """Options of a call of milliseconds."""
    large: Mapping[str, Any]
    """Options that make it 100 MB."""

    def words(self, place: Place, ranks: int = 1, **changed: Any) -> list[str]:
        values = {"folder": place.folder, **self.small, **changed}
        options = [word for name, value in values.items() for word in (f"--{name}", str(value))]
        return place.on(*([MPIEXEC, "-n", str(ranks)] if ranks > 1 else []), SCRIPTS / self.name, *options)


IOR = {"block": 8 * MIB, "transfer": MIB, "rounds": 1}
POSIX, URING, MPI = (Program(f"banzuke-ior-{name}", IOR, {"block": 100 * MIB}) for name in ("posix", "uring", "mpi"))
MDTEST = Program("banzuke-mdtest-posix", {"items": 100, "bytes": 3901, "rounds": 1}, {"items": 1000, "bytes": 100_000})
PROGRAMS = (POSIX, URING, MPI, MDTEST)
FOR_LONG = {"rounds": 1000}
"""Options of a call that goes on until something happens to it."""


def carried_out(words: list[str], **variables: str) -> Result:
    return subprocess.run(
        words,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        start_new_session=True,
    )


def record_of(done: Result) -> dict[str, Any]:
    assert done.stdout.strip(), done.stderr
    record: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return record


def reason(done: Result) -> str:
    """Return why there are no figures."""
    assert done.returncode != 0, done.stdout
    record = record_of(done)
    assert record["status"] == "failed"
    assert not record["metrics"]
    return str(record["reason"])


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "lost+found")


def files_of(folder: Path) -> Iterator[Path]:
    """Yield what running programs have made below their work folders, and may remove at any time."""
    for where, _, names in os.walk(folder):
        if ".banzuke-" in where:
            yield from (Path(where, name) for name in names if name.startswith("bz."))


def processes_of(program: Program, place: Place) -> list[int]:
    """Return the ranks' processes."""
    out = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = file.read_bytes().split(b"\0")
            if words[0].endswith(program.name.encode()) and bytes(place.folder) in words:
                out.append(int(file.parent.name))
    return sorted(out)


@dataclass
class Running:
    process: "subprocess.Popen[str]"
    done: Result | None = field(default=None)

    def end(self) -> Result:
        output, errors = self.process.communicate(timeout=PATIENCE)
        self.done = subprocess.CompletedProcess(self.process.args, self.process.returncode, output, errors)
        return self.done


@contextlib.contextmanager
def running(words: list[str], place: Place) -> Iterator[Running]:
    """Yield the program once it has made files; at the end it is killed with all that it started."""
    before = set(files_of(place.seen))
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            wait_for(lambda: set(files_of(place.seen)) - before or process.poll() is not None)
            yield Running(process)
        finally:
            process.kill()


@contextlib.contextmanager
def meanwhile(step: Callable[[], None]) -> Iterator[None]:
    """Repeat `step` in another thread."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(0.001):
            step()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
