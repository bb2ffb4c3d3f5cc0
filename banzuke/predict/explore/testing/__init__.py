"""A benchmark whose model depends on all sliders and has kinks where one resource hides another."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from banzuke.machine.published import PublishedFigure
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import find
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import Hardware
from banzuke.predict.model import Call, Estimate
from banzuke.words import declared

STEPS = 100


class SolverModel:
    metric = "flop_rate"
    constants: Mapping[str, Constant] = {
        "solver.panel": Constant(2.0, 1.0, 4.0, "bytes of a flop of a panel", "a test")
    }
    settings: Mapping[str, str] = {"n": "order"}

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        """Return the time of some flops and messages on one kind of node."""
        (group,) = machine.groups
        group.check_flops()
        memory = group.host.memory + sum(device.number * device.memory for device in group.devices)
        n = int(call.get("n", (machine.nodes * memory / 8) ** 0.5 // 100 * 100))
        left = n * (1 - np.arange(STEPS) / STEPS)
        block = n / STEPS
        engines = [group.host, *group.devices]
        rate = machine.nodes * sum(engine.number * engine.dgemm for engine in engines)
        update = 2 * left**2 * block / rate / machine.slowest
        host_links = machine.nodes * sum(device.number * device.host_link for device in group.devices)
        transfer = 8 * left * left / host_links if host_links else 0.0 * left
        panel = machine.constants["solver.panel"] * left * block**2 / machine.nodes**0.5 / group.host.bandwidth
        link = (
            8 * left * block / machine.nodes**0.5 / machine.fabric.node_bandwidth if machine.nodes > 1 else 0.0 * left
        )
        latency = (
            np.full(STEPS, block * np.log2(machine.nodes) * machine.fabric.latency) if machine.nodes > 1 else 0.0 * left
        )
        computed = np.maximum(update, transfer)
        exposed = np.maximum(0.0, link + latency - 0.5 * computed)
        resources = {
            "flops.fp64": float(np.sum(update * machine.slowest)),
            "spread": float(np.sum(update * (1 - machine.slowest))),
            "host_link": float(np.sum(computed - update)),
            "memory.bytes": float(np.sum(panel)),
            "link.bytes": float(np.sum(exposed * link / np.maximum(link + latency, 1e-300))),
            "latency": float(np.sum(exposed * latency / np.maximum(link + latency, 1e-300))),
        }
        working = sum(resources.values())
        resources["noise"] = working * machine.delay(machine.nodes, 1e-3)
        seconds = sum(resources.values())
        return Estimate(
            2 / 3 * n**3 / seconds, seconds, {}, resources, {"n": n}, (declared("solver-full", "The matrix is full"),)
        )

    def published(self, figure: PublishedFigure) -> Call | str:
        n = figure.parameters.get("n")
        return {"n": n} if isinstance(n, int) else {}


MODEL = SolverModel()


def solver() -> Benchmark:
    return replace(find("hpl"), model=lambda: MODEL)
