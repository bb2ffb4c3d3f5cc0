"""Calls `banzuke-probe` (core/probe), which measures clocks, FMA rates and the DGEMM rate of a library, and
`banzuke-messages` (core/messages), which measures an MPI library.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from banzuke.amounts import Amount, Index, Name
from banzuke.child import captured
from banzuke.cpu_lists import format_cpus
from banzuke.errors import BanzukeError
from banzuke.paths import executables

PROGRAM = "banzuke-probe"
MESSAGES = "banzuke-messages"
"""The program that loads any MPI library; it is started by that library's launcher."""
SHOWN = 60
"""Characters of an invalid answer that a message shows."""


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class CpuClock(_Answer):
    cpu: Index
    vector_hz: Amount
    fma_rate: Amount
    fma_per_cycle: Amount


class AloneClock(_Answer):
    """Clocks of one processor while the others are idle."""

    cpu: Index
    scalar_hz: Amount
    vector_hz: Amount


class Clock(_Answer):
    """Clocks in Hz, FMA rate in flop/s: vector_hz of the slowest processor, fma_rate of all,
    fma_per_cycle of the best.
    """

    simd: str
    vector_bits: Index
    scalar_hz: Amount
    single_vector_hz: Amount
    vector_hz: Amount
    fma_rate: Amount
    fma_per_cycle: Amount
    cpus: list[CpuClock]
    alone: list[AloneClock] = Field(default_factory=list)


class Dgemm(_Answer):
    name: str
    flop_rate: Amount
    passed: bool


class Update(_Answer):
    flop_rates: dict[Index, Amount]


class MessageFigures(_Answer):
    """Figures of an MPI library between processors of one host; see `machine.site.Mpi`."""

    version: str
    interface: str
    ranks: Index
    latency: Amount
    bandwidth: Amount
    allreduce: Amount


_Whole = Annotated[float, Field(ge=0, le=2**62, allow_inf_nan=False)]
"""Bytes or errors; bounded, because files may hold values that no driver reports."""
_Physical = Annotated[Amount, Field(le=1e12)]
"""Hz or W; bounded, so that products of several stay finite."""


class Slice(_Answer):
    identity: Name
    name: str = ""
    memory: _Whole | None = None
    memory_free: _Whole | None = None
    multiprocessors: Index | None = None


class DeviceLink(_Answer):
    """A link by NVLink or XGMI."""

    number: Index
    version: Index | None = None
    peer: str | None = None
    kind: str | None = None


class FoundDevice(_Answer):
    """An accelerator; what could not be found out is None."""

    vendor: str
    number: Index
    problem: str | None = None
    identity: str | None = None
    name: str | None = None
    bus: str | None = None
    memory: _Whole | None = None
    memory_free: _Whole | None = None
    capability: str | None = None
    cores: Index | None = None
    multiprocessors: Index | None = None
    partitions: Index | None = None
    """Parts that programs see as separate devices; None: it is not partitioned."""
    memory_bits: Index | None = None
    clock_max: _Physical | None = None
    memory_clock_max: _Physical | None = None
    clock_set: _Physical | None = None
    link_generation_max: Index | None = None
    link_generation_device: Index | None = None
    link_generation_now: Index | None = None
    link_width_max: Index | None = None
    link_width_now: Index | None = None
    power_limit: _Physical | None = None
    power_default: _Physical | None = None
    power_most: _Physical | None = None
    ecc: bool | None = None
    ecc_corrected: _Whole | None = None
    ecc_uncorrected: _Whole | None = None
    repair: str | None = None
    persistent: bool | None = None
    compute_mode: str | None = None
    sliced: bool | None = None
    numa_node: Index | None = None
    adapter: str | None = None
    slices: list[Slice] = Field(default_factory=list)
    links: list[DeviceLink] = Field(default_factory=list)
    paths: list[str] = Field(default_factory=list)
    access: list[str] = Field(default_factory=list)


class FoundDevices(_Answer):
    driver: str | None = None
    cuda: str | None = None
    problem: str | None = None
    """Why an installed driver gives no answer."""
    absent: str | None = None
    """Why there is no driver's library."""
    devices: list[FoundDevice] = Field(default_factory=list)


T = TypeVar("T", bound=_Answer)


def clock(cpus: Sequence[int], alone: Sequence[int] = ()) -> Clock:
    """Return the clocks of `cpus` (one per core), measured at once. Raises BanzukeError.

    `alone`: processors that are first measured by themselves, which takes half a second each; none: only the first.
    """
    by_themselves = ["--alone", format_cpus(list(alone))] if alone else []
    return _validated(Clock, _run(["clock", "--cpus", format_cpus(list(cpus)), *by_themselves], timeout=30))


def dgemm(
    library: str,
    cpus: Sequence[int],
    *,
    n: int,
    environment: Mapping[str, str] | None = None,
    timeout: float = 60,
) -> Dgemm:
    """Return the verified DGEMM rate of `library`, one thread per processor. Raises BanzukeError, also
    if it crashes.
    """
    return _validated(Dgemm, _run(["blas", *_on(library, cpus, n)], timeout=timeout, environment=environment))


def update(
    library: str,
    cpus: Sequence[int],
    *,
    n: int,
    environment: Mapping[str, str] | None = None,
    timeout: float = 60,
) -> Update:
    """Return the rates in the shape of an LU's update of order `n`, by inner extent. Raises BanzukeError."""
    return _validated(Update, _run(["update", *_on(library, cpus, n)], timeout=timeout, environment=environment))


def messages(command: Sequence[str], environment: Mapping[str, str], timeout: float) -> MessageFigures:
    """Return the figures of an MPI library, whose launcher starts `command`. Raises BanzukeError."""
    return _validated(MessageFigures, _run_command(command, timeout, environment, MESSAGES))


def devices(root: str = "/") -> FoundDevices:
    """Return the accelerators that NVIDIA's driver and the kernel report under `root`. Raises BanzukeError."""
    return _validated(FoundDevices, _run(["devices", "--root", root], timeout=30))


def clear(folder: str) -> None:
    """Remove files of killed programs of this host from a folder, as far as they are ours. Raises BanzukeError."""
    _run(["clear", "--folder", folder], timeout=60)


def _on(library: str, cpus: Sequence[int], n: int) -> list[str]:
    return ["--library", library, "--cpus", format_cpus(list(cpus)), "--n", str(n)]


def _validated(kind: type[T], text: str) -> T:
    try:
        return kind.model_validate(json.loads(text))
    except (ValueError, ValidationError) as error:
        why = f"{str(error).splitlines()[0]}: {text.strip()[:SHOWN]!r}"
        program = MESSAGES if kind is MessageFigures else PROGRAM
        raise BanzukeError(f"{program} gave an invalid answer", why=why) from error


def _run(arguments: list[str], timeout: float, environment: Mapping[str, str] | None = None) -> str:
    return _run_command([str(executables() / PROGRAM), *arguments], timeout, environment, PROGRAM)


def _run_command(command: Sequence[str], timeout: float, environment: Mapping[str, str] | None, program: str) -> str:
    try:
        run = captured(command, seconds=timeout, variables=environment)
    except TimeoutError as error:
        raise BanzukeError(f"{program} gave no answer within {timeout:g} s") from error
    except OSError as error:
        raise BanzukeError(
            f"cannot run {program}", why=str(error), remedy="Build it, or point BANZUKE_LIBEXEC to its folder"
        ) from error
    if run.status < 0:
        raise BanzukeError(f"{program} was killed by signal {-run.status}")
    if run.status > 0:
        lines = run.complaint.strip().splitlines()
        own = [line for line in lines if line.startswith(f"{program}: ")] or lines  # a launcher's come before or after
        message = own[0].removeprefix(f"{program}: ") if own else f"exit status {run.status}"
        raise BanzukeError(message)
    return run.text
