"""Each cause in the setup of a case appears, and disappears by one change."""

from typing import Any

import pytest

from banzuke.judge.test_examples import (
    GIGA,
    MACHINE,
    codes,
    confirm,
    dgemm,
    evidence,
    provenance,
    record,
    solver,
    triad,
)
from banzuke.judge.test_situations import SLOW, Situation, slow, stores, with_n
from banzuke.machine.model import Machine
from banzuke.machine.site import Blas, Mpi
from banzuke.record.figures import Samples
from banzuke.record.hosts import Hosts
from banzuke.record.model import Binding, Record


def blas(*libraries: Blas) -> Machine:
    return MACHINE.changed(partition={"software": MACHINE.software.model_copy(update={"blas": list(libraries)})})


FAST_BLAS = Blas(name="Fast", path="/fast.so", version="1", flop_rate=200 * GIGA)
SLOW_BLAS = Blas(name="Slow", path="/slow.so", version="2", flop_rate=40 * GIGA)
TOUCHY = Blas(name="Touchy", path="/t.so", version="3", flop_rate=200 * GIGA, unset=["TOUCHY_MODE"])
OPEN = Blas(name="OpenBLAS", path="/open.so", version="0.3", flop_rate=200 * GIGA)
USES_OPEN: dict[str, Any] = {"software": {"blas": "OpenBLAS 0.3", "blas_path": "/open.so"}}
USES_SLOW: dict[str, Any] = {"software": {"blas": "Slow 2", "blas_path": "/slow.so"}}
USES_FAST: dict[str, Any] = {"software": {"blas": "Fast 1", "blas_path": "/fast.so"}}
USES_TOUCHY: dict[str, Any] = {"software": {"blas": "Touchy 3 Zen"}}


def variable(name: str, content: str, software: dict[str, Any]) -> Record:
    return dgemm(200 * GIGA, provenance=provenance(variables={name: content}), **software)


def paired(**changes: Any) -> Record:
    """Return a record of two ranks on one host."""
    places = [Binding(ranks=str(rank), threads=[str(rank)]) for rank in range(2)]
    return triad(SLOW, ranks=2, threads=1, binding=places, hosts=[Hosts(names="node1", ranks="0-1")], **changes)


def senders(*libraries: Mpi) -> Machine:
    software = MACHINE.software.model_copy(update={"mpi_libraries": list(libraries)})
    return MACHINE.changed(partition={"software": software})


def sent(name: str = "sender", ranks: int = 2, mpi: str = "MPICH Version: 5.0.2") -> Record:
    """Return a record of this many ranks on one host."""
    places = [Binding(ranks=str(rank), threads=[str(rank)]) for rank in range(ranks)]
    return record(
        name,
        {"latency" if name == "sender" else "time": Samples(unit="s", samples=[1e-6])},
        ranks=ranks,
        threads=1,
        binding=places,
        hosts=[Hosts(names="node1", ranks=f"0-{ranks - 1}")],
        software={"mpi": mpi},
    )


MPICH = Mpi(
    path="/m/lib/libmpi.so.12",
    launcher="/m/bin/mpiexec",
    version="MPICH Version: 5.0.2",
    builds=["default"],
    latency=8e-7,
    bandwidth=1e10,
    allreduce=1e-6,
)
OPEN_MPI = Mpi(
    path="/o/lib/libmpi.so.40",
    launcher="/o/bin/mpiexec",
    version="Open MPI v5.0.11",
    latency=2e-7,
    bandwidth=1e10,
    allreduce=9e-7,
)
OPEN_VERSION = "Open MPI v5.0.11"
FORBIDDEN = provenance(environment_details={"cross_memory_attach": "no"})
CASES = {
    "better parameter": (
        "limit-setting",
        "stores=nontemporal was 1.4 times better in the same run",
        Situation(
            triad(SLOW, provenance=provenance(), **stores("plain")),
            (triad(28 * GIGA, provenance=provenance(id="2"), **stores("nontemporal")),),
        ),
        Situation(
            triad(SLOW, provenance=provenance(), **stores("plain")),
            (triad(SLOW, provenance=provenance(id="2"), **stores("nontemporal")),),
        ),
    ),
    "more threads": (
        "limit-setting",
        "2 threads was 1.6 times better in another run",
        Situation(triad(SLOW, threads=1), (triad(32 * GIGA, threads=2),)),
        Situation(triad(SLOW, threads=1), (triad(32 * GIGA, threads=2, backend="other"),)),
    ),
    "more threads in arithmetic": (
        "limit-setting",
        "n=2 was 1.6 times",
        Situation(dgemm(50 * GIGA, threads=1, **with_n(1)), (dgemm(80 * GIGA, threads=1, **with_n(2)),)),
        Situation(dgemm(50 * GIGA, threads=1, **with_n(1)), (dgemm(80 * GIGA, threads=2, **with_n(1)),)),
    ),
    "shorter time of equal work": (
        "limit-setting",
        "n=2 was 2 times",
        Situation(solver(4.0, flops=1, moved=40e9, **with_n(1)), (solver(2.0, flops=1, moved=40e9, **with_n(2)),)),
        Situation(solver(4.0, flops=1, moved=40e9, **with_n(1)), (solver(2.0, flops=1, moved=20e9, **with_n(2)),)),
    ),
    "sibling in cache": (
        "limit-setting",
        "n=2 was 10 times",
        Situation(triad(SLOW, **with_n(1)), (triad(200 * GIGA, n=6e6, **with_n(2)),)),
        Situation(triad(SLOW, **with_n(1)), (triad(200 * GIGA, n=5e6, **with_n(2)),)),
    ),
    "sibling of another machine": (
        "limit-setting",
        "n=2 was 1.5 times",
        Situation(triad(SLOW, **with_n(1)), (triad(30 * GIGA, provenance=provenance(), **with_n(2)),)),
        Situation(triad(SLOW, **with_n(1)), (triad(30 * GIGA, provenance=provenance(machine="other"), **with_n(2)),)),
    ),
    "better repetition": (
        "limit-repetition",
        "The same case was 1.5 times better on 2026-01-02 at 03:04, in another run",
        Situation(triad(SLOW, provenance=provenance()), (triad(30 * GIGA, provenance=provenance(id="2", run="r0")),)),
        Situation(triad(SLOW, provenance=provenance()), (triad(30 * GIGA, provenance=provenance()),)),
    ),
    "slower BLAS": (
        "limit-slow-blas",
        "Slow reached 40 Gflop/s in a short test, Fast 200 Gflop/s (5 times the rate)",
        Situation(dgemm(40 * GIGA, **USES_SLOW), machine=blas(FAST_BLAS, SLOW_BLAS)),
        Situation(dgemm(40 * GIGA, **USES_FAST), machine=blas(FAST_BLAS, SLOW_BLAS)),
    ),
    "slower BLAS, measured": (
        "limit-setting",
        "blas=/fast.so was 5 times",
        Situation(
            dgemm(40 * GIGA, **USES_SLOW, parameters={"library": "/slow.so"}),
            (dgemm(200 * GIGA, **USES_FAST, parameters={"library": "/fast.so"}),),
            blas(FAST_BLAS, SLOW_BLAS),
        ),
        Situation(
            dgemm(40 * GIGA, **USES_SLOW, parameters={"library": "/slow.so"}),
            (dgemm(200 * GIGA, **USES_FAST, parameters={"library": "/fast.so", "n": 2}),),
        ),
    ),
    "slower BLAS of the same name": (
        "limit-slow-blas",
        "Fast reached 40 Gflop/s",
        Situation(
            dgemm(40 * GIGA, software={"blas": "Fast 0.9"}),
            machine=blas(FAST_BLAS, Blas(name="Fast", path="/old.so", version="0.9", flop_rate=40 * GIGA)),
        ),
        Situation(
            dgemm(40 * GIGA, software={"blas": "Fast 1"}),
            machine=blas(Blas(name="Fast", path="/old.so", version="0.9", flop_rate=40 * GIGA), FAST_BLAS),
        ),
    ),
    "BLAS variable set": (
        "limit-steered-blas",
        "OPENBLAS_CORETYPE=Haswell was set",
        Situation(variable("OPENBLAS_CORETYPE", "Haswell", USES_OPEN), machine=blas(OPEN)),
        Situation(variable("OPENBLAS_CORETYPE", "", USES_OPEN), machine=blas(OPEN)),
    ),
    "BLAS variable left": (
        "limit-slowed-blas",
        "Touchy was slower with TOUCHY_MODE, which this run did not unset",
        Situation(variable("OTHER", "", USES_TOUCHY), machine=blas(TOUCHY)),
        Situation(variable("TOUCHY_MODE", "", USES_TOUCHY), machine=blas(TOUCHY)),
    ),
    "library preloaded": (
        "limit-preloaded",
        "LD_PRELOAD=/x/libtrace.so was set",
        Situation(variable("LD_PRELOAD", "/x/libtrace.so", USES_OPEN), machine=blas(OPEN)),
        Situation(variable("LD_PRELOAD", "", USES_OPEN), machine=blas(OPEN)),
    ),
    "threads placed by the user": (
        "limit-own-placement",
        "OMP_PROC_BIND=close was set",
        slow(provenance=provenance(variables={"OMP_PROC_BIND": "close"})),
        slow(provenance=provenance(variables={"OMP_PROC_BIND": ""})),
    ),
    "threads placed by several variables": (
        "limit-own-placement",
        "OMP_PLACES=cores and OMP_PROC_BIND=close were set",
        slow(provenance=provenance(variables={"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"})),
        slow(provenance=provenance(variables={})),
    ),
    "threads steered": (
        "limit-steered-threads",
        "OMP_WAIT_POLICY=passive was set",
        slow(provenance=provenance(variables={"OMP_WAIT_POLICY": "passive"})),
        slow(provenance=provenance(variables={"OMP_WAIT_POLICY": "passive"}, variant={"OMP_WAIT_POLICY": "passive"})),
    ),
    "slower MPI": (
        "limit-slow-mpi",
        "8 B took 800 ns with MPICH 5.0.2 and 200 ns with Open MPI 5.0.11 (4 times better)",
        Situation(sent(), machine=senders(MPICH, OPEN_MPI)),
        Situation(sent(mpi=OPEN_VERSION), machine=senders(MPICH, OPEN_MPI)),
    ),
    "an Allreduce that is hardly slower": (
        "limit-slow-mpi",
        "8 B took 800 ns",
        Situation(sent(), machine=senders(MPICH, OPEN_MPI)),
        Situation(sent(ranks=4), machine=senders(MPICH, OPEN_MPI)),
    ),
    "a figure that is not about messages": (
        "limit-slow-mpi",
        "8 B took 800 ns",
        Situation(sent(), machine=senders(MPICH, OPEN_MPI)),
        Situation(sent("solver"), machine=senders(MPICH, OPEN_MPI)),
    ),
    "messages copied twice": (
        "limit-copied-twice",
        "Cross-memory attach, which copies them only once, is forbidden here (process_vm_readv: no)",
        Situation(paired(provenance=provenance(environment_details={"cross_memory_attach": "process_vm_readv: no"}))),
        Situation(paired(provenance=provenance())),
    ),
    "small messages are never copied once": (
        "limit-copied-twice",
        "Cross-memory attach, which copies them only once, is forbidden here (no)",
        Situation(paired(provenance=FORBIDDEN, parameters={"max_size": 1 << 20})),
        Situation(paired(provenance=FORBIDDEN, parameters={"max_size": 1024})),
    ),
    "messages copied twice by a variable": (
        "limit-copied-twice",
        "MPIR_CVAR_CH4_CMA_ENABLE=0 was set",
        Situation(paired(provenance=provenance(variables={"MPIR_CVAR_CH4_CMA_ENABLE": "0"}))),
        Situation(paired(provenance=provenance(variables={"MPIR_CVAR_CH4_CMA_ENABLE": "1"}))),
    ),
}


@pytest.mark.parametrize(("code", "shown", "present", "absent"), CASES.values(), ids=CASES.keys())
def test_a_cause_comes_and_goes_with_its_evidence(code: str, shown: str, present: Situation, absent: Situation) -> None:
    causes = [cause for cause in present.assess().causes if cause.message.code == code]
    assert [shown in evidence(cause) for cause in causes] == [True], [evidence(cause) for cause in causes]
    assert confirm(causes[0])
    assert code not in codes(absent.assess().causes)


def test_a_faster_library_is_named_with_how_to_use_it() -> None:
    built = OPEN_MPI.having(builds=["open"])
    for library, way in ((OPEN_MPI, "Run make build NAME=openmpi MPI=/o, then with --build openmpi"),
                         (built, "Run with --build open")):  # fmt: skip
        (cause,) = Situation(sent(), machine=senders(MPICH, library)).assess().causes
        assert confirm(cause) == way
