"""The record: one JSON object per launch of a case. `schema/record.schema.json` is derived from this module.

The C++ programs write all of it except what the launching side adds: `Provenance`, `Energy`, and a group's partition
and build. Units are SI. Raw samples are kept and statistics are computed when read.
"""

from collections import Counter
from typing import Any, Literal

from pydantic import AwareDatetime, Field, model_validator
from pydantic_core import PydanticCustomError

from banzuke.amounts import Frozen, Index, Name, Scalar, Several, Tree
from banzuke.cpu_lists import parse_cpus
from banzuke.record.energy import Energy
from banzuke.record.figures import (
    Area,
    Breakdown,
    Curve,
    Distribution,
    Pairs,
    Samples,
    Series,
    Verification,
)
from banzuke.record.hosts import Host, Hosts
from banzuke.units import count, layout

VERSION: Literal[2] = 2
LONGEST_EXCHANGE = 1e-6
"""Seconds in which a cache line passes between any two sockets; a longer time means that a thread was preempted."""
MIGRATED = 1.5
"""Ratio of two exchange times of the same processors from which the hypervisor has moved them; runs repeat to within
10%."""


class Binding(Frozen):
    """Placement and devices that were read back from ranks with the same placement."""

    ranks: str = Field(description="kernel list format, e.g. 0-3,8")
    threads: list[str] = Field(description="allowed processors of each thread, kernel list format")
    memory: str | None = Field(
        default=None, description="NUMA policy of the pages: default, local, bind:0, interleave:0-1, ...; None: unknown"
    )
    pages: str | None = Field(
        default=None,
        description="what most of the largest array lay on: base, transparent (huge) or reserved (huge, from the "
        "kernel's pool); None: unknown",
    )
    devices: list[str] = Field(default_factory=list, description="identities of the devices that each rank drives")

    @property
    def processors(self) -> Counter[int] | None:
        """Number of threads of its ranks on each processor; None: some may run on several."""
        places = [parse_cpus(text) for text in self.threads]
        if any(len(place) != 1 for place in places):
            return None
        ranks = len(parse_cpus(self.ranks))
        return Counter({cpu: ranks * number for cpu, number in Counter(place[0] for place in places).items()})


class Group(Frozen):
    """Consecutive ranks that run the same program alike; nearly every case has one group."""

    program: str = Field(description="benchmark and backend, with a hyphen between")
    ranks: Several
    threads: Several
    hosts: list[Hosts] = Field(default_factory=list)
    binding: list[Binding] = Field(default_factory=list)
    software: dict[str, str] = Field(default_factory=dict, description="compiler, flags, mpi, blas, ...")
    partition: str | None = Field(default=None, description="partition of the site; None: it has only one")
    build: str = Field(default="default", description="build of the programs; default: the installation itself")

    @property
    def devices(self) -> set[str]:
        """Identities of the devices that its ranks drive."""
        return {device for binding in self.binding for device in binding.devices}

    @property
    def layout(self) -> str:
        """`2 ranks x 4 threads`, `1 thread on 1 device`."""
        devices = f" on {count(len(self.devices), 'device')}" if self.devices else ""
        return f"{layout(self.ranks, self.threads)}{devices}"


class Imported(Frozen):
    """File and line that a record was imported from, because its program ran without the launching side."""

    file: str = Field(description="name of the file")
    sha256: str = Field(description="digest of the whole file")
    line: Several
    at: AwareDatetime


NATIVE = "native"
"""The environment that the others are compared with, and that of records which name none."""
MISSING = "missing"
"""Key in an environment's details for what this system lacks."""


class Provenance(Frozen):
    """The launching side's knowledge about a case."""

    id: str
    run: str
    case: str = Field(description="hash of benchmark, backend, parameters, layout and variant")
    repetition: Index = 0
    machine: str = Field(description="fingerprint")
    command: list[str]
    environment: str = NATIVE
    image: str | None = Field(default=None, description="image of the container or virtual machine, as requested")
    environment_details: dict[str, str] = Field(
        default_factory=dict,
        description="tool and its version, kernel of the guest, processors left to the system, ...",
    )
    neighbours: Index = Field(default=0, description="busy processes that the launch started beside the case")
    variant: dict[str, str] = Field(
        default_factory=dict,
        description="other unusual settings of the launch, by axis: build, library, memory, ..., or a variable's name",
    )
    placement: str | None = Field(default=None, description="name of the placement that was requested and took effect")
    variables: dict[str, str] = Field(
        default_factory=dict,
        description="variables that the launch set, and those of the loader and of OpenMP, BLAS and MPI libraries that "
        "it inherited; '' = removed",
    )
    batch: str | None = Field(
        default=None, description="what records of independent hosts in one job have in common; None: it stands alone"
    )
    banzuke: str = Field(description="version of Banzuke")
    commit: str | None = Field(default=None, description="git commit of the sources, with '+' appended if modified")
    imported: Imported | None = Field(default=None, description="None: it was launched by banzuke itself")
    log: str | None = Field(default=None, description="end of the program's error stream, if it failed")

    @property
    def version(self) -> str:
        """Version of Banzuke without the installation's suffix."""
        return self.banzuke.partition("+")[0]


class Record(Frozen):
    schema_version: Literal[2] = VERSION
    benchmark: Name
    backend: str = Field(description="short name of program and library, which distinguishes cases of a benchmark")
    parameters: dict[str, Scalar]
    groups: list[Group] = Field(
        min_length=1, description="in the order of their ranks, which are numbered consecutively across groups"
    )
    status: Literal["ok", "failed", "skipped"]
    reason: str | None = None
    started: AwareDatetime
    ended: AwareDatetime
    metrics: dict[Name, Samples] = Field(default_factory=dict)
    breakdown: Breakdown | None = None
    curves: dict[Name, Curve] = Field(default_factory=dict)
    pairs: dict[Name, Pairs] = Field(default_factory=dict)
    series: dict[str, Series] = Field(default_factory=dict)
    distributions: dict[str, Distribution] = Field(default_factory=dict)
    areas: dict[str, Area] = Field(default_factory=dict)
    verification: list[Verification] = Field(default_factory=list)
    conditions: dict[str, Tree] = Field(
        default_factory=dict,
        description="evidence seen during the run: huge_page_fraction, clock_hz, steal_fraction, ... exchange_latency: "
        "seconds in which a cache line passed after the timed part between exchange_processors: the job's outermost "
        "processors on a host, or its only one and the farthest other one that it may use. exchange_latency_before: "
        "the same before the timed part. With several hosts these are of exchange_host, which has the longest; "
        "exchange_latency_nearest is the shortest, on exchange_host_nearest. clock_hz: the clock just after the "
        "program; with several hosts the lowest, that of clock_host; clock_fastest_hz is the highest, on "
        "clock_host_fastest. thread_rates: rates of the first rank's threads, measured at the same time, by which its "
        "loops were divided. rank_rates: by metric the minimum, average and maximum of the ranks' own rates, where "
        "each of several does work of its own",
    )
    energy: Energy | None = Field(default=None, description="energy of the timed parts; None: no sensor was sought")
    provenance: Provenance | None = None

    @model_validator(mode="before")
    @classmethod
    def of_this_version(cls, data: Any) -> Any:
        """Refuse a record of another version for this reason alone."""
        if isinstance(data, dict) and (version := data.get("schema_version", VERSION)) != VERSION:
            raise PydanticCustomError(
                "version",
                "a record of schema {version}, and this version of Banzuke reads only schema {known}: measure again, "
                "or read it with the version that wrote it",
                {"version": str(version)[:20], "known": VERSION},
            )
        return data

    @property
    def ranks(self) -> int:
        return sum(group.ranks for group in self.groups)

    @property
    def threads(self) -> int:
        """Threads per rank; the first group's where groups differ."""
        return self.groups[0].threads

    @property
    def cores(self) -> int:
        """Threads of all ranks."""
        return sum(group.ranks * group.threads for group in self.groups)

    @property
    def layout(self) -> str:
        """`2 ranks x 4 threads`, for each group."""
        return " + ".join(group.layout for group in self.groups)

    @property
    def unsupported(self) -> bool:
        """Return whether the system cannot run the case: its program found so, or its environment is not available."""
        ran = self.status == "skipped" and any(group.hosts for group in self.groups)
        return ran or self.lacks_environment

    @property
    def lacks_environment(self) -> bool:
        """Return whether its environment is not available here, which a run reports once for all its cases."""
        missing = self.provenance is not None and MISSING in self.provenance.environment_details
        return self.status == "skipped" and missing

    @property
    def devices(self) -> set[str]:
        """Identities of the devices that the ranks drive."""
        return {device for group in self.groups for device in group.devices}

    @property
    def partition(self) -> str:
        """The partition of each group; empty where the site has only one."""
        names = [group.partition or "" for group in self.groups]
        return " + ".join(names) if any(names) else ""

    @property
    def hosts(self) -> list[Host]:
        """Each host with its ranks of all groups; empty: unknown."""
        ranks: dict[str, list[int]] = {}
        for host in (host for group in self.groups for hosts in group.hosts for host in hosts.each):
            ranks.setdefault(host.name, []).extend(host.ranks)
        return [Host(name, own) for name, own in ranks.items()]

    @property
    def nodes(self) -> int:
        """Number of hosts, at least 1."""
        return max(1, len(self.hosts))

    @property
    def binding(self) -> list[Binding]:
        return [binding for group in self.groups for binding in group.binding]

    @property
    def software(self) -> dict[str, str]:
        """Libraries and compiler of all groups; the first group's where they differ."""
        return {name: value for group in reversed(self.groups) for name, value in group.software.items()}

    @property
    def curve(self) -> Curve | None:
        """The first curve, which contains the headline's point."""
        return next(iter(self.curves.values()), None)

    @property
    def dealt_by_rates(self) -> bool:
        """Whether parts of the problem follow rates measured at its start, and so the state of the machine."""
        return self.parameters.get("deal") == "rates"

    @property
    def distance(self) -> float | None:
        """Seconds in which a cache line passed between the outermost processors of a host; see `conditions`.

        None: not measured, or longer than between any two sockets, because a thread was preempted.
        """
        seen = self.conditions.get("exchange_latency")
        return seen if isinstance(seen, float) and 0 < seen < LONGEST_EXCHANGE else None

    @model_validator(mode="after")
    def began_first(self) -> "Record":
        if self.ended < self.started:
            raise ValueError(f"ended {self.ended} before it started, {self.started}")
        return self

    @model_validator(mode="after")
    def demands_what_there_is(self) -> "Record":
        for name, samples in self.metrics.items():
            for demand in samples.demand:
                if demand.group is not None and demand.group >= len(self.groups):
                    raise ValueError(f"{name} asks {demand.resource} of group {demand.group} of {len(self.groups)}")
                if demand.area is not None and demand.area not in self.areas:
                    raise ValueError(f"{name} asks {demand.resource} of {demand.area}, which is none of its areas")
        return self

    @model_validator(mode="after")
    def no_figure_without_a_passed_check(self) -> "Record":
        if self.metrics and not (self.verification and all(v.passed for v in self.verification)):
            raise ValueError("metrics without a passed verification")
        if self.status == "ok" and not self.metrics:
            raise ValueError("status ok without metrics")
        if self.status != "ok" and not self.reason:
            raise ValueError(f"status {self.status} without a reason")
        figures = (self.metrics, self.breakdown, self.curves, self.pairs, self.series, self.distributions)
        if self.status != "ok" and (any(figures) or (self.energy and self.energy.joule)):
            raise ValueError(f"status {self.status} with figures")
        return self
