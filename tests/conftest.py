"""Fixtures that run the installed command as a person would."""

import atexit
import fcntl
import functools
import os
import platform
import shutil
import subprocess
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import pytest

from banzuke.machine.probe import MESSAGES
from scripts import add_mpis
from scripts.add_build import Request, build_in, compile_in
from scripts.packages import ROOT
from tests import clusters, file_systems, grid_engine, namespaces, preloaded
from tests.clusters import Slurm
from tests.file_systems import Disk, Shared
from tests.grid_engine import GridEngine
from tests.namespaces import Hosts, joined_hosts, missing_tools, refused
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SCRIPTS = Path(sysconfig.get_path("scripts"))
Result = subprocess.CompletedProcess[str]
Banzuke = Callable[..., Result]
Made = TypeVar("Made")
WATT = 100.0
ENERGY_RANGE = 262143.328850
"""Range of RAPL on many processors, in J."""
SMALL = ("--set", "n=100000", "--set", "rounds=3")
"""A STREAM case of milliseconds; its figure means nothing."""


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    playwright_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def of_all_processes(factory: pytest.TempPathFactory) -> Path:
    """Return a folder that the processes of pytest-xdist share."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@contextmanager
def once(made: Path) -> Iterator[bool]:
    """Yield whether nobody has made this before; other processes wait until it is made."""
    with made.with_name(f"{made.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = made.with_name(f"{made.name}.done")
        yield not done.exists()
        done.touch()


@pytest.fixture(scope="session")
def other_mpis(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folders of MPI libraries beside the installation's, separate because of equal file names."""
    folder = of_all_processes(tmp_path_factory) / "mpi"
    folder.mkdir(exist_ok=True)
    homes = {name: folder / name for name in add_mpis.available(platform.machine())}
    for name, home in homes.items():
        with once(home) as first:
            if first:
                add_mpis.install(name, home)
    return homes


MESSENGERS = ("banzuke-pt2pt-mpi", "banzuke-collectives-mpi", "banzuke-together-first", "banzuke-together-second")
VERSIONS = "banzuke-versions-"
"""Prefix of the folder's name."""
OF_TESTS = "test-programs"
"""Target that includes the stand-ins for devices; one MPI library is enough for these."""
RELEASE = ROOT / "build" / "release"
"""Folder in which set-up compiled the installation, and the C++ tests what their programs share with Python's."""


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """Return a function that builds for the MPI library of this name and returns the folder.

    It builds what sends messages, and for `mpi`, the installation's library, all programs of tests.
    """

    def build(name: str) -> Path:
        own = of_all_processes(tmp_path_factory) / f"build-{name}"
        folder = RELEASE if name == "mpi" else own
        with once(own) as first, pytest.MonkeyPatch.context() as patch:
            # CMake would keep the paths of the stand-ins for compilers that the root's conftest.py makes.
            patch.setenv("PATH", os.pathsep.join(entry for entry in os.get_exec_path() if VERSIONS not in entry))
            if first and name == "mpi":
                build_in(folder, [*MESSENGERS, OF_TESTS])
            elif first:
                # Optimization takes half of the compile time, and speed is not measured here.
                home = request.getfixturevalue("other_mpis")[name]
                compile_in(folder, MESSENGERS, Request(name, mpi=str(home), flags="-O0").arguments())
        return folder

    return build


@pytest.fixture(scope="session")
def stand_in(compiled: Callable[[str], Path]) -> Path:
    """Return the folder of the library that stands in for NVML."""
    return compiled("mpi") / "stand-in"


@pytest.fixture(scope="session")
def with_emulated(compiled: Callable[[str], Path], programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of the programs, including those for the emulated device."""
    folder = tmp_path_factory.mktemp("emulated") / "bin"
    folder.mkdir()
    for program in programs.iterdir():
        (folder / program.name).symlink_to(program)
    for program in (compiled("mpi") / "bin").glob("banzuke-*-emulated"):
        if program.name in SHORTENED:
            write_shortened(folder / program.name, program)
        else:
            (folder / program.name).symlink_to(program)
    return folder


@contextmanager
def or_skipped(tools: Sequence[str], made: AbstractContextManager[Made], devices: Sequence[str] = ()) -> Iterator[Made]:
    """Yield what was made, or skip if tools or the kernel's permission are missing; a failure otherwise is an error."""
    if missing := missing_tools(tools):
        pytest.skip(f"not installed: {', '.join(missing)}")
    if why := refused(devices):
        pytest.skip(f"hardware: not possible here: {why}")
    with made as entered:
        yield entered


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Return two hosts with a network between them, as far as namespaces of one kernel can be hosts."""
    with or_skipped(namespaces.TOOLS, joined_hosts(tmp_path_factory.mktemp("hosts"))) as made:
        yield made


@pytest.fixture
def across(hosts: Hosts, results: Path, programs: Path) -> Banzuke:
    return on_all(hosts, results, programs)


def on_all(hosts: Hosts, results: Path, programs: Path) -> Banzuke:
    """Return a function that runs `banzuke ...`, preloaded, on the first host, with all hosts to choose from."""

    def call(*words: str | Path, **variables: str) -> Result:
        command = [*hosts.banzuke(hosts.names[0]), *words, "--hosts", ",".join(hosts.names)]
        folders = {"BANZUKE_LIBEXEC": str(programs), "BANZUKE_RESULTS": str(results)}
        environment = os.environ | folders | hosts.variables | variables
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)

    return call


@pytest.fixture(scope="module")
def gluster(hosts: Hosts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    folder = tmp_path_factory.mktemp("gluster")
    with or_skipped(file_systems.GLUSTER, file_systems.gluster(folder, hosts), file_systems.GLUSTER_DEVICES) as made:
        yield made


@pytest.fixture(scope="module")
def moosefs(hosts: Hosts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    folder = tmp_path_factory.mktemp("moosefs")
    with or_skipped(file_systems.MOOSE, file_systems.moosefs(folder, hosts), file_systems.MOOSE_DEVICES) as made:
        yield made


@pytest.fixture(scope="module")
def slurm_of_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    tools = (*namespaces.TOOLS, *clusters.SLURM)
    with or_skipped(tools, clusters.slurm(tmp_path_factory.mktemp("slurm"))) as made:
        yield made


@pytest.fixture
def slurm(slurm_of_module: Slurm) -> Iterator[Slurm]:
    """Yield a cluster of four idle nodes."""
    yield slurm_of_module
    slurm_of_module.restore()


@pytest.fixture(scope="module")
def gridengine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GridEngine]:
    tools = (*namespaces.TOOLS, *grid_engine.TOOLS)
    with or_skipped(tools, grid_engine.grid_engine(tmp_path_factory.mktemp("gridengine"))) as made:
        yield made


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """Yield a disk of 64 MiB."""
    with or_skipped(
        file_systems.DISK, file_systems.disk(tmp_path / "disk", 64 << 20), file_systems.DISK_DEVICES
    ) as made:
        yield made


@pytest.fixture
def drive(tmp_path: Path) -> Iterator[Disk]:
    """Yield a disk of 128 MiB on the storage that temporary files are on."""
    answer = subprocess.run(
        ["stat", "--file-system", "--format=%T", tmp_path], capture_output=True, text=True, check=True
    )
    if answer.stdout.strip() in ("tmpfs", "ramfs"):
        pytest.skip("hardware: temporary files are in memory here")
    made = file_systems.disk(tmp_path / "drive", 128 << 20, image=tmp_path / "drive.image")
    with or_skipped(file_systems.DISK, made, file_systems.DISK_DEVICES) as drive:
        yield drive


def wait_for(wanted: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not wanted():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


LARGE = f"* --n {'[0-9]' * 7}* --rounds"
REPEATED = {
    "banzuke-probe": "*",
    "banzuke-stream-omp": f"{LARGE} ? *|{LARGE} ?? *",
    "banzuke-dgemm-blas": "* --repetitions 5 *",
}
"""Patterns of the programs' arguments for what runs measure first: clocks, libraries and ceilings.

The machine then determines STREAM's number of rounds; the tests' own cases are smaller, or have more rounds.
"""
# Threads that wait for each other do not spin, because other tests need the processor.
REPEATING = """#!/bin/bash
export GOMP_SPINCOUNT="${{GOMP_SPINCOUNT:-0}}"
case " $* " in *--describe* | " power "* | " watch "* | " devices "*) exec {real} "$@";; esac
case " $* " in {pattern}) ;; *) exec {real} "$@";; esac
question=$(echo {real} "$@"; env | grep -E "^(OMP_|MKL_|OPENBLAS_|BLIS_|BANZUKE_BLAS=)" | sort)
answer={folder}/$(echo "$question" | md5sum | cut -c1-32)
if [ ! -e "$answer" ]; then
  new="$answer.$HOSTNAME.$$"
  {real} "$@" > "$new" || {{ status=$?; cat "$new"; rm "$new"; exit $status; }}
  mv "$new" "$answer"
fi
cat "$answer"
"""
SHORTENED = {
    "banzuke-pt2pt-mpi": """*" --iterations "* | *"_size "*) ;;
  *" --test bandwidth "*) set -- "$@" --min_size 65536 --max_size 65536 --iterations 3 --window 8;;""",
    "banzuke-stream-emulated": """*" --rounds 20 "* | *" --rounds 100 "*) set -- "$@" --rounds 3;;""",
    "banzuke-dgemm-emulated": """*" --repetitions 5 "*) set -- "$@" --m 64 --n 64 --k 64;;""",
}
"""Programs that measure less than they are asked for, as branches of a shell's `case` over the arguments.

These are the bandwidth of a link, which runs on several hosts measure first, with a busy processor for each rank for a
quarter of a minute; and what runs on an emulated device measure first, which takes a processor as long.
"""
SHORTENING = """#!/bin/bash
case " $* " in
  *--describe*) ;;
  {branches}
esac
exec {real} "$@"
"""


def write_shortened(made: Path, real: Path) -> None:
    made.write_text(SHORTENING.format(real=real, branches=SHORTENED[real.name]))
    made.chmod(0o755)


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of the installed programs, except that what each run with a new results folder measures first is
    measured only once, or shortened.
    """
    folder = tmp_path_factory.mktemp("installed") / "bin"
    folder.mkdir()
    answers = of_all_processes(tmp_path_factory) / "answers"
    answers.mkdir(exist_ok=True)
    for real in Path(os.environ.get("BANZUKE_LIBEXEC") or SCRIPTS).glob("banzuke-*"):
        if real.name == MESSAGES:
            continue  # each run of messages would start it with every MPI library; tests/test_mpi_probe.py does
        made = folder / real.name
        if pattern := REPEATED.get(real.name):
            made.write_text(REPEATING.format(real=real, pattern=pattern.replace(" ", "\\ "), folder=answers))
            made.chmod(0o755)
        elif real.name in SHORTENED:
            write_shortened(made, real)
        else:
            made.symlink_to(real)
    return folder


@functools.cache
def kept() -> str:
    """Return the cache folder of this process's calls; what is made for it, such as the script of reports, takes
    seconds.
    """
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(tempfile.TemporaryDirectory(prefix="banzuke-cache-"))


@pytest.fixture
def banzuke(results: Path, programs: Path) -> Banzuke:
    return installed(results, programs)


def installed(results: Path, programs: Path = SCRIPTS) -> Banzuke:
    """Return a function that runs `banzuke ...`, preloaded, with these results; keyword arguments are variables."""

    def call(*words: str | Path, **variables: str) -> Result:
        folders = {
            "BANZUKE_LIBEXEC": str(programs),
            "BANZUKE_RESULTS": str(results),
            "BANZUKE_TUNED": str(results.parent / "tuned"),
        }
        environment = {"XDG_CACHE_HOME": kept()} | os.environ | folders | variables
        return subprocess.run(
            [*preloaded.command(), *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    return call


class Wrapped(Protocol):
    def __call__(self, script: str, name: str = "banzuke-stream-omp") -> dict[str, str]: ...


@pytest.fixture
def wrapped(tmp_path: Path, programs: Path) -> Wrapped:
    """Return a function that gives variables with which the program is a shell script around the real one, `$real`."""

    def wrap(script: str, name: str = "banzuke-stream-omp") -> dict[str, str]:
        folder = tmp_path / "programs"
        folder.mkdir(exist_ok=True)
        for program in programs.iterdir():
            (folder / program.name).unlink(missing_ok=True)
            (folder / program.name).symlink_to(program)
        wrapper = folder / name
        wrapper.unlink()
        wrapper.write_text(
            f'#!/bin/bash\nreal={SCRIPTS}/{name}\ncase "$*" in *--describe*) exec "$real" "$@";; esac\n{script}\n'
        )
        wrapper.chmod(0o755)
        return {"BANZUKE_LIBEXEC": str(folder)}

    return wrap


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    """Yield the root of a tree in which a processor takes 100 W; its counter begins again after 150 J."""
    root = tmp_path / "tree"
    zone = root / "sys/class/powercap/intel-rapl:0"
    zone.mkdir(parents=True)
    (zone / "name").write_text("package-0\n")
    (zone / "max_energy_range_uj").write_text(f"{ENERGY_RANGE * 1e6:.0f}\n")
    counter = os.open(zone / "energy_uj", os.O_RDWR | os.O_CREAT)
    over, begin = threading.Event(), time.time()

    def count() -> None:
        """Count in place, because the kernel's files stay the same, and the probe keeps them open."""
        while True:
            joule = (ENERGY_RANGE - 150 + WATT * (time.time() - begin)) % ENERGY_RANGE
            os.pwrite(counter, b"%020d\n" % int(joule * 1e6), 0)
            if over.wait(0.005):
                return

    thread = threading.Thread(target=count)
    thread.start()
    try:
        yield root
    finally:
        over.set()
        thread.join()
        os.close(counter)
