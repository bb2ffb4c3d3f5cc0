"""An example machine and an example case for unit tests; not installed."""

from typing import Any

from banzuke.machine.model import Blas, Cache, Cpu, Machine, Memory, NumaNode, Peak, Software
from banzuke.plan.benchmark import Case


def machine(
    *,
    cores: int = 4,
    last_level: int = 32 << 20,
    memory: int = 64 << 30,
    vector_bits: int | None = 512,
    blas_rate: float | None = 200e9,
    threads_per_core: int = 1,
) -> Machine:
    """A one-socket machine; processors of a core are `cores` apart, as Linux numbers them."""
    logical = cores * threads_per_core
    cpu = Cpu(
        model="Example",
        vendor=None,
        architecture="x86_64",
        microarchitecture=None,
        sockets=1,
        cores=cores,
        logical=logical,
        allowed=list(range(logical)),
        allowed_cores=cores,
        one_per_core=list(range(cores)),
        quota=None,
        simd="AVX-512" if vector_bits else None,
        vector_bits=vector_bits,
        fma_units=2,
        fma_per_cycle=2.0,
        nominal_hz=None,
        maximum_hz=None,
        scalar_hz=3e9,
        vector_hz=3e9,
        fma_rate=None,
    )
    library = Blas(name="OpenBLAS", path="/lib/libopenblas.so", unset=["OPENBLAS_CORETYPE"])
    rate = {"flop_rate": blas_rate, "problem": None if blas_rate else "it crashed"}
    return Machine(
        name="example",
        fingerprint="0123456789ab",
        cpu=cpu,
        caches=[Cache(level=3, kind="unified", bytes=last_level, instances=1, shared_by=logical)],
        numa=[NumaNode(node=0, cpus=cpu.allowed)],
        memory=Memory(total=memory, allowed=memory, available=memory, kind=None, peak_bandwidth=None),
        gpus=[],
        network=[],
        filesystems=[],
        kernel={},
        hypervisor=None,
        topology_source="sysfs",
        software=Software(compilers={}, mpi={}, blas=[library.model_copy(update=rate)]),
        peaks={"peak_flop_rate": Peak(value=None, unit="flop/s", derivation="unknown")},
    )


def case(**changes: Any) -> Case:
    fields: dict[str, Any] = {
        "benchmark": "stream",
        "backend": "omp",
        "parameters": {"n": 1000},
        "ranks": 1,
        "threads": 2,
        "seconds": 1.0,
    }
    return Case(**(fields | changes))
