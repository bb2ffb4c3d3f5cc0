"""A benchmark with a model that depends on all that sliders move, with kinks where one resource hides another."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from banzuke.machine.published import PublishedFigure
from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import find
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import Hardware
from banzuke.predict.model import Call, Estimate

STEPS = 100


class SolverModel:
    metric = "flop_rate"
    constants: Mapping[str, Constant] = {
        "solver.panel": Constant(2.0, 1.0, 4.0, "bytes of a flop of a panel", "a test")
    }
    settings: Mapping[str, str] = {"n": "order"}

    def estimate(self, of: Hardware, call: Call) -> Estimate:
        (group,) = of.groups
        group.check_flops()
        memory = group.host.memory + sum(each.number * each.memory for each in group.devices)
        n = int(call.get("n", (of.nodes * memory / 8) ** 0.5 // 100 * 100))
        left = n * (1 - np.arange(STEPS) / STEPS)
        block = n / STEPS
        engines = [group.host, *group.devices]
        rate = of.nodes * sum(each.number * each.dgemm for each in engines)
        update = 2 * left**2 * block / rate / of.slowest
        host_links = of.nodes * sum(each.number * each.host_link for each in group.devices)
        transfer = 8 * left * left / host_links if host_links else 0.0 * left
        panel = of.constants["solver.panel"] * left * block**2 / of.nodes**0.5 / group.host.bandwidth
        link = 8 * left * block / of.nodes**0.5 / of.fabric.node_bandwidth if of.nodes > 1 else 0.0 * left
        latency = np.full(STEPS, block * np.log2(of.nodes) * of.fabric.latency) if of.nodes > 1 else 0.0 * left
        computed = np.maximum(update, transfer)
        exposed = np.maximum(0.0, link + latency - 0.5 * computed)
        resources = {
            "flops.fp64": float(np.sum(update * of.slowest)),
            "spread": float(np.sum(update * (1 - of.slowest))),
            "host_link": float(np.sum(computed - update)),
            "memory.bytes": float(np.sum(panel)),
            "link.bytes": float(np.sum(exposed * link / np.maximum(link + latency, 1e-300))),
            "latency": float(np.sum(exposed * latency / np.maximum(link + latency, 1e-300))),
        }
        working = sum(resources.values())
        resources["noise"] = working * of.delay(of.nodes, 1e-3)
        seconds = sum(resources.values())
        return Estimate(2 / 3 * n**3 / seconds, seconds, {}, resources, {"n": n}, ("The matrix is full.",))

    def published(self, figure: PublishedFigure) -> Call | str:
        n = figure.parameters.get("n")
        return {"n": n} if isinstance(n, int) else {}


MODEL = SolverModel()


def solver() -> Benchmark:
    return replace(find("hpl"), model=lambda: MODEL)
