"""Sizes are chosen by the machine's description, and by nothing that changes with its load."""

import pytest

from banzuke.machine.allotment import AllottedDevice, in_steps
from banzuke.machine.model import Machine
from banzuke.machine.site import Device, Interface, Peak, Software, StorageArea
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.case import Case
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import benchmarks, find
from banzuke.plan.estimate import flop_rate
from banzuke.plan.request import Request
from banzuke.testing import machine

GIB = 1 << 30


def test_the_rate_follows_from_the_cores_and_their_vectors() -> None:
    assert [flop_rate(machine(cores=4), cores) for cores in (1, 4, 8)] == [50e9, 200e9, 200e9]
    assert flop_rate(machine(vector_bits=256), 4) == 0.7 * flop_rate(machine(vector_bits=512), 4)
    assert flop_rate(machine(vector_bits=64), 4) == 20e9
    assert flop_rate(machine(vector_bits=None), 4) == flop_rate(machine(vector_bits=128), 4)
    assert flop_rate(machine().changed(processor={"nominal_hz": 5e9}), 4) == 400e9


def test_steps_are_quarters_of_a_power_of_two() -> None:
    assert [in_steps(size * GIB) // GIB for size in (16, 17, 20, 27, 28, 31, 32)] == [16, 16, 20, 24, 28, 28, 32]
    assert [in_steps(size) for size in range(10)] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]


def quiet() -> Machine:
    devices = [
        AllottedDevice(identity=f"GPU-{i}", name="H", vendor="NVIDIA", memory=80 * GIB, memory_available=79 * GIB)
        for i in range(2)
    ]
    here = machine(cores=8, memory=int(62.5 * GIB))
    blas = here.software.blas[0].having(flop_rate=400e9, update_rates={128: 390e9, 256: 400e9})
    return here.changed(
        site={"areas": {"scratch": StorageArea(kind="ext4", capacity=1 << 40)}},
        partition={"software": Software(mpi={"/bin/mpiexec": "MPICH"}, blas=[blas])},
        node={
            "devices": [Device(name="H", count=2, peaks={"flops.fp64": Peak(value=3e13, unit="flop/s")})],
            "interfaces": [Interface(name="ib0", kind="infiniband", bits_per_second=1e11)],
        },
        allotment={
            "devices": devices,
            "fma_rate": 4e11,
            "folders": {"scratch": "/scratch"},
            "hosts": ["n1", "n2"],
            "storage_available": {"scratch": 1 << 39},
        },
    )


def loaded(here: Machine) -> Machine:
    """Return the machine with little free memory, low probed rates because of other processes, and another kernel."""
    allotment, library = here.allotment, here.software.blas[0]
    slow = library.having(name="MKL", flop_rate=30e9, update_rates={128: 9e9, 256: 30e9, 384: 29e9})
    return here.changed(
        partition={"software": here.software.having(blas=[slow, library])},
        processor={"fma_units": None, "fma_per_cycle": 0.3},
        allotment={
            "devices": [device.having(memory_available=GIB) for device in allotment.devices],
            "fma_rate": 2e10,
            "memory_allowed": allotment.memory_allowed - (100 << 20),
            "memory_available": GIB,
            "scalar_hz": 1e9,
            "storage_available": {"scratch": GIB},
            "vector_hz": 1e9,
        },
    )


def planned(benchmark: Benchmark, here: Machine) -> list[Case]:
    return plan(benchmark, here, Request(), lambda *_: ("band", "road"))


@pytest.mark.catalogue
@pytest.mark.parametrize("name", sorted(benchmarks()))
def test_a_machine_under_load_has_the_same_cases(name: str) -> None:
    usual, busy = find(name), loaded(quiet())
    for benchmark in (usual, *([usual.at_length(10.0)] if usual.sizing.lengths else [])):
        before = planned(benchmark, quiet())
        assert before or not usual.of_processors
        assert planned(benchmark, busy) == before
        assert [case.seconds for case in planned(benchmark, busy)] == [case.seconds for case in before]


@pytest.mark.catalogue
@pytest.mark.parametrize("name", sorted(name for name, benchmark in benchmarks().items() if benchmark.devices))
def test_devices_in_use_have_the_same_cases(name: str) -> None:
    benchmark = find(name)

    def cases(here: Machine) -> list[object]:
        assert benchmark.devices
        planned: list[object] = []
        for layout, own in benchmark.devices.sweep(here):
            call = {**benchmark.defaults(here, layout), **own}
            problems = benchmark.collection.problems(here, layout, ("band",)) if benchmark.collection else ()
            planned += [(layout, call), *problems]
        return planned

    assert cases(quiet())
    assert cases(loaded(quiet())) == cases(quiet())
