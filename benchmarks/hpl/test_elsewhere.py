"""Checks README.md's table of machines from which no constant was taken: predictions over TOP500's highlights."""

import tomllib

import pytest

from banzuke.machine import published
from banzuke.machine.site import Partition, Site
from banzuke.predict.hardware import PredictedMachine, hardware
from banzuke.predict.model import Call, constants_of

from .model import MODEL, RECORD

CONSTANTS = {name: constant.value for name, constant in constants_of(MODEL).items()}
ON_HOST: Call = {"split": 0.0, "fill": RECORD, "panel": "host"}
"""The call for published figures without `n`."""
ON_DEVICE: Call = {"panel": "device"}
K = """
network = { links = 4, bandwidth = 5e9, topology = "torus", group = 12 }
node.memory.total = 16_000_000_000
node.peaks."memory.bytes" = { value = 64e9, unit = "B/s" }
[[node.processors]]
sockets = 1
cores = 8
nominal_hz = 2e9
peaks."flops.fp64" = { value = 128e9, unit = "flop/s" }
"""
POWER9_V100 = """
network = {{ links = 2, bandwidth = 12.5e9, topology = "fat-tree" }}
node.memory.total = {memory}
node.peaks."memory.bytes" = {{ value = 340e9, unit = "B/s" }}
[[node.processors]]
sockets = 2
cores = 44
peaks."flops.fp64" = {{ value = 1.08e12, unit = "flop/s" }}
[[node.devices]]
name = "V100"
count = {devices}
memory = 16_000_000_000
host_bandwidth = {link}
peer_bandwidth = {link}
peaks."flops.fp64" = {{ value = 7.8e12, unit = "flop/s" }}
peaks."memory.bytes" = {{ value = 900e9, unit = "B/s" }}
"""
SIERRA = POWER9_V100.format(memory=256_000_000_000, devices=4, link=75e9)
SUMMIT = POWER9_V100.format(memory=512_000_000_000, devices=6, link=50e9)


def described(text: str) -> Partition:
    return Partition.model_validate(tomllib.loads(text))


def fugaku() -> Partition:
    """Return nodes of Flow Type I, as many as there are."""
    flow = next(machine.site for machine in published.load() if machine.site.name == "Flow")
    return flow.partitions["flow-type-i"].model_copy(update={"nodes": None, "peaks": {}})


def error(part: Partition, nodes: int, printed: float, call: Call) -> float:
    on = PredictedMachine("elsewhere", Site(name="elsewhere", partitions={"all": part}), {"all": nodes})
    return MODEL.estimate(hardware(on, CONSTANTS), call).figure / printed - 1


@pytest.mark.parametrize(
    ("part", "nodes", "printed", "call", "off"),
    [
        (described(K), 68_544, 8.162e15, ON_HOST, -0.07),
        (described(K), 88_128, 10.51e15, ON_HOST, -0.07),
        (fugaku(), 158_976, 442.01e15, ON_HOST, -0.01),
        (described(SIERRA), 4_320, 94.64e15, ON_HOST, -0.02),
        (described(SUMMIT), 4_356, 148.6e15, ON_HOST, -0.32),
        (described(SIERRA), 4_320, 94.64e15, ON_DEVICE, 0.08),
        (described(SUMMIT), 4_356, 148.6e15, ON_DEVICE, -0.04),
    ],
    ids=["K-june", "K-november", "Fugaku", "Sierra", "Summit", "Sierra-device", "Summit-device"],
)
def test_errors_are_those_of_the_table(part: Partition, nodes: int, printed: float, call: Call, off: float) -> None:
    assert error(part, nodes, printed, call) == pytest.approx(off, abs=0.01)
