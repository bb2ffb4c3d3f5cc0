"""An example machine and case, the work of samples, and damaged files, for unit tests; not installed."""

import contextlib
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from banzuke.machine.allotment import Allotment
from banzuke.machine.model import Machine
from banzuke.machine.partitions import joined
from banzuke.machine.site import Blas, Cache, Memory, NodeType, NumaNode, Partition, Peak, Processor, Site, Software
from banzuke.plan.benchmark import Benchmark, Layout, Scalar
from banzuke.plan.case import Case, RankGroup
from banzuke.plan.cases import all_cases, planner
from banzuke.plan.request import Request
from banzuke.plan.resource import KnownRate, Resource
from banzuke.plan.variant import Variant
from banzuke.plan.wording import (
    benchmark_title,
    collection_noun,
    metric_title,
    resource_title,
    statistic_title,
    unpredicted_reason,
)
from banzuke.program.describe import RefusedError
from banzuke.record.figures import Demand, Pairs
from banzuke.record.model import Record
from banzuke.words import Message, declared

FOLDERS = Path(__file__).parent.parent / "benchmarks"


def plain(text: str) -> Message:
    """Return a message that has no words in any language."""
    return declared("test", text)


def in_tests(benchmark: str, name: str, default: Any) -> Any:
    """Return what `testing.py` in a benchmark's folder defines under this name, or the default."""
    if not (FOLDERS / benchmark / "testing.py").exists():
        return default
    return getattr(importlib.import_module(f"benchmarks.{benchmark}.testing"), name, default)


def machine(
    *,
    cores: int = 4,
    last_level: int = 32 << 20,
    memory: int = 64 << 30,
    vector_bits: int | None = 512,
    blas_rate: float | None = 200e9,
    threads_per_core: int = 1,
) -> Machine:
    """Return a one-socket machine; the processors of a core are `cores` apart, as Linux numbers them."""
    logical = cores * threads_per_core
    caches = [Cache(level=3, kind="unified", bytes=last_level, instances=1, shared_by=logical)]
    library = Blas(name="OpenBLAS", path="/lib/libopenblas.so", unset=["OPENBLAS_CORETYPE"])
    rate = {"flop_rate": blas_rate, "problem": None if blas_rate else "it crashed"}
    processor = Processor(
        model="Example",
        architecture="x86_64",
        sockets=1,
        cores=cores,
        logical=logical,
        simd="AVX-512" if vector_bits else None,
        vector_bits=vector_bits,
        fma_units=2,
        fma_per_cycle=2.0,
    )
    node = NodeType(
        processors=[processor],
        memory=Memory(total=memory),
        caches=caches,
        numa=[NumaNode(node=0, cpus=list(range(logical)))],
    )
    partition = Partition(node=node, nodes=1, software=Software(blas=[library.model_copy(update=rate)]))
    allotment = Allotment(
        partition="nodes",
        fingerprint="0123456789ab",
        allowed=list(range(logical)),
        allowed_cores=cores,
        one_per_core=list(range(cores)),
        caches=caches,
        memory_allowed=memory,
        memory_available=memory,
        scalar_hz=3e9,
        vector_hz=3e9,
        peaks={"flops.fp64": Peak(value=None, unit="flop/s", derivation="unknown")},
    )
    return Machine(site=Site(name="example", partitions={"nodes": partition}), allotments=[allotment])


def with_hosts(here: Machine, hosts: int) -> Machine:
    """Return the machine with MPI and this many hosts, named n1 and so on."""
    software = here.software.model_copy(update={"mpi": {"/bin/mpiexec": "MPICH 5"}})
    names = [f"n{number}" for number in range(1, hosts + 1)]
    return here.changed(partition={"software": software}, allotment={"hosts": names})


def partitioned(**parts: Machine) -> Machine:
    """Return one machine with the nodes of each of these as the partition of that name."""
    partitions = {name: part.partition for name, part in parts.items()}
    return joined(
        [
            Machine(
                site=Site(name="example", partitions=partitions),
                allotments=[part.allotment.model_copy(update={"partition": name})],
            )
            for name, part in parts.items()
        ]
    )


def case(**changes: Any) -> Case:
    """Return a case, with one group unless `groups` gives several."""
    of_group = ("backend", "ranks", "threads", "placement")
    own: dict[str, Any] = {name: changes.pop(name) for name in of_group if name in changes}
    group = RankGroup(own.pop("backend", "omp"), threads=own.pop("threads", 2), **own)
    variant = Variant(**{field.name: changes.pop(field.name) for field in fields(Variant) if field.name in changes})
    usual: dict[str, Any] = {"benchmark": "stream", "groups": (group,), "parameters": {"n": 1000}, "seconds": 1.0}
    return Case(**(usual | changes), variant=variant)


def plan_all(benchmarks: Iterable[Benchmark], here: Machine, request: Request) -> list[Case]:
    """Return the cases of several benchmarks. Raises BanzukeError."""
    chosen = list(benchmarks)
    return all_cases(chosen, here, planner(chosen, here, request))


def refusal(benchmark: Benchmark, ranks: int, **parameters: Scalar) -> str:
    """Return the program's refusal of this many ranks with these parameters; empty: it accepts them."""
    try:
        benchmark.ask(Layout(ranks, 1), parameters)
    except RefusedError as error:
        return str(error)
    return ""


MEMORY = Resource(
    "memory.bytes",
    unit="B/s",
    title="memory bandwidth",
    scope="host",
    beyond_caches=12,
    at_least={"flops.fp64": 1 / 64},
    peak=lambda machine: machine.peaks.get("memory.bytes"),
)
LOADS = Resource(
    "memory.loads", "B/s", "memory bandwidth of loads alone", "host", beyond_caches=12, within=("memory.bytes",)
)
FLOPS = Resource(
    "flops.fp64",
    unit="flop/s",
    title="flop rate",
    scope="core",
    at_least={"memory.bytes": 1 / 4},
    peak=lambda machine: machine.peaks.get("flops.fp64"),
    above=lambda machine: (
        KnownRate(
            machine.allotment.fma_rate,
            plain("register FMA rate"),
            plain("measured without memory access"),
            machine.allotment.allowed_cores,
        )
        if machine.allotment.fma_rate
        else None
    ),
)


@dataclass(frozen=True)
class Work:
    """The work of one sample: what its metric counts, and the flops and bytes that it asks for."""

    flops: float = 0.0
    bytes: float = 0.0
    moved: float = 0.0

    def of(self, unit: str) -> dict[str, Any]:
        """Return keyword arguments for `Samples` of this unit."""
        asked = {"flops.fp64": self.flops, "memory.bytes": self.moved}
        demand = [Demand(resource=name, amount=amount) for name, amount in asked.items() if amount]
        return {"counted": (self.flops if unit == "flop/s" else self.bytes) or None, "demand": demand}


OF_GROUP = ("ranks", "threads", "hosts", "binding", "software")


def grouped(data: dict[str, Any]) -> dict[str, Any]:
    """Return a record's members with those of its only group moved into `groups`, as the model takes them."""
    own = {name: data[name] for name in OF_GROUP if name in data}
    rest = {name: value for name, value in data.items() if name not in OF_GROUP}
    return rest | {"groups": [{"program": f"{data['benchmark']}-{data['backend']}", **own}]}


def changed(record: Record, **changes: Any) -> Record:
    """Return the record with other values of itself and of its only group."""
    own = {name: changes.pop(name) for name in OF_GROUP if name in changes}
    (group,) = record.groups
    return record.model_copy(update={**changes, "groups": [group.model_copy(update=own)]})


def all_pairs(unit: str, rows: Sequence[Sequence[float]]) -> Pairs:
    """Return the pairs of all ranks; row i has the figures of rank i with the ranks before it."""
    pairs = [(j, i, value) for i, row in enumerate(rows) for j, value in enumerate(row)]
    origins, targets, values = ([pair[column] for pair in pairs] for column in range(3))
    return Pairs.model_validate({"unit": unit, "from": origins, "to": targets, "values": values})


NASTY = (
    b"0", b"-1", b"nan", b"NaN", b"inf", b"-Infinity", b"1e300", b"1e999", b"5e-324", b"1099511627776",
    b"1" + b"0" * 400, b"1" + b"0" * 5000, b"null", b"true", b'""', b"[]", b"{}", b"\x1b[2J", b"\0", b"\xff\xfe",
)  # fmt: skip
"""Bytes that take the place of a number in a damaged file."""
_NUMBER = re.compile(rb"-?[0-9][0-9.eE+-]*")


@st.composite
def damaged(draw: st.DrawFn, good: bytes) -> bytes:
    """Draw a copy of a file with one to four kinds of damage."""
    content = good
    for _ in range(draw(st.integers(1, 4))):
        content = draw(st.sampled_from([_bytes, _lines, _numbers, _nested]))(draw, content)
    return content


def _bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """Overwrite, cut out or insert bytes."""
    begin, length = draw(st.integers(0, len(content))), draw(st.sampled_from([0, 1, 4, len(content)]))
    return content[:begin] + draw(st.binary(max_size=8)) + content[begin + length :]


def _lines(draw: st.DrawFn, content: bytes) -> bytes:
    """Drop, repeat or move a line."""
    lines = content.splitlines(keepends=True) or [b""]
    line = lines.pop(draw(st.integers(0, len(lines) - 1)))
    for _ in range(draw(st.integers(0, 2))):
        lines.insert(draw(st.integers(0, len(lines))), line)
    return b"".join(lines)


def _numbers(draw: st.DrawFn, content: bytes) -> bytes:
    numbers = list(_NUMBER.finditer(content))
    if not numbers:
        return content
    which = draw(st.sampled_from(numbers))
    return content[: which.start()] + draw(st.sampled_from(NASTY)) + content[which.end() :]


def _nested(draw: st.DrawFn, content: bytes) -> bytes:
    """Insert deeply nested brackets."""
    at = draw(st.integers(0, len(content)))
    bracket, depth = draw(st.sampled_from([b"[", b'{"a":', b"a."])), draw(st.sampled_from([2, 300, 5000]))
    return content[:at] + bracket * depth + content[at:]


def words_of(benchmark: Benchmark) -> Mapping[str, str]:
    """Return the English words, by code, that a spec declares. The titles of checks are known from records alone."""
    return {said.code: said.english for said in _declared(benchmark) if said.english}


def _declared(benchmark: Benchmark) -> Iterator[Message]:
    name = benchmark.name
    yield benchmark_title(benchmark)
    yield from (metric_title(name, metric) for metric in benchmark.metrics)
    yield from map(resource_title, benchmark.resources.measures)
    if benchmark.unpredicted:
        yield unpredicted_reason(benchmark)
    if benchmark.collection:
        yield collection_noun(name, benchmark.collection)
        statistics = (benchmark.collection.along, *benchmark.collection.statistics)
        yield from (statistic_title(name, statistic) for statistic in statistics)
    for view in benchmark.views:
        yield from view.declared(name)


def patiently(scenario: Callable[[float], None]) -> None:
    """Carry out a test of times, which gets a factor for its lengths; again, and longer, if it fails.

    Other load delays processes by moments, beside which longer times are long. What is wrong fails each time.
    """
    for factor in (1.0, 5.0):
        with contextlib.suppress(AssertionError, KeyError):
            return scenario(factor)
    return scenario(25.0)
