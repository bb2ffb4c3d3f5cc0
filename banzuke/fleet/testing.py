"""Makes runs of invented fleets, as a screen or the elements of a job array write them; for tests and
scripts/bench_fleet.py.

The records are complete, have this schema and a realistic length; their figures are random.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from banzuke.amounts import Scalar
from banzuke.record.figures import Pairs
from banzuke.record.hosts import Hosts
from banzuke.record.model import Record
from banzuke.record.sharing import CONDITION
from banzuke.results.lines import NODES
from banzuke.results.run import Run
from banzuke.results.store import Store
from banzuke.testing import machine

BENCHMARKS = (
    ("stream", "omp", "triad_bandwidth", "B/s", 4e11),
    ("dgemm", "blas", "flop_rate", "flop/s", 3e12),
    ("fft", "fftw", "flop_rate", "flop/s", 2e11),
    ("hpcg", "omp", "flop_rate", "flop/s", 4e10),
    ("hpl", "blas", "flop_rate", "flop/s", 2.5e12),
)
"""Benchmark, backend, metric, unit, and the value of a healthy node."""
CORES = 48


@dataclass(frozen=True)
class MadeFleet:
    """A fleet of `nodes` nodes, each with a record of each of `figures` cases."""

    nodes: int
    figures: int = 5
    spread: float = 0.01
    """Relative standard deviation of a figure over healthy nodes."""
    slow: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    """Factors of figures by node."""
    states: Mapping[int, str] = field(default_factory=dict)
    facts: Mapping[int, Mapping[str, Scalar]] = field(default_factory=dict)
    """Facts that differ from the other nodes', by node."""
    racks: int = 100
    """Nodes per rack; 0: no places are known."""
    bins: Mapping[int, str] = field(default_factory=dict)
    """Types of nodes that are not the usual one."""
    links: Sequence[tuple[int, int, float]] = ()
    """Pairs of nodes, and bytes per second from the first to the second."""
    sharing: Sequence[str] = ()
    """Nodes that share one processor."""

    def host(self, node: int) -> str:
        return f"n{node:05}"

    def write(self, store: Store) -> Run:
        """Write the run as `banzuke screen` does."""
        run = store.create(machine(), None)
        source = random.Random(self.nodes)  # noqa: S311
        with (run.folder / NODES).open("w", encoding="utf-8") as nodes:
            for node in range(self.nodes):
                nodes.write(f"{json.dumps(self._node(node))}\n")
        with (run.folder / "records-made-1.jsonl").open("w", encoding="utf-8") as records:
            for figure in range(self.figures):
                before, between, after = _template(figure)
                level = BENCHMARKS[figure % len(BENCHMARKS)][-1]
                for node in range(self.nodes):
                    if node not in self.states:
                        usual = level * self.slow.get(node, {}).get(figure, 1) * source.gauss(1, self.spread)
                        samples = ",".join(repr(usual * source.gauss(1, 0.002)) for _ in range(10))
                        records.write(f"{before}{self.host(node)}{between}{samples}{after}\n")
            if self.links:
                records.write(f"{self._pairs().model_dump_json(by_alias=True)}\n")
        return run

    def _node(self, node: int) -> Mapping[str, object]:
        facts = {
            "type.processor": self.bins.get(node, "Example 9000"),
            "type.cores": CORES,
            "setting.kernel": "6.1.0",
            "setting.governor": "performance",
            "link.ib0.width": 16,
            "memory.modules": 16,
            "state.clock_maximum": 3.2e9,
            **self.facts.get(node, {}),
        }
        state = self.states.get(node, "measured")
        place = f"rack {node // self.racks + 1:02}" if self.racks else ""
        return {"host": self.host(node), "state": state, "why": "", "place": place, "facts": facts}

    def _pairs(self) -> Record:
        a, b, values = zip(*self.links, strict=True)
        pairs = Pairs.model_validate({"unit": "B/s", "from": a, "to": b, "values": values})
        made = record("pt2pt", "mpi", {"test": "pairs"}, "bandwidth", "B/s", [min(values)])
        hosts = [Hosts(names=f"n[{0:05}-{self.nodes - 1:05}]", ranks=f"0-{self.nodes - 1}")]
        group = made.groups[0].model_copy(update={"ranks": self.nodes, "threads": 1, "hosts": hosts, "binding": []})
        conditions = {**made.conditions, **({CONDITION: list(self.sharing)} if self.sharing else {})}
        return made.model_copy(update={"groups": [group], "pairs": {"bandwidth": pairs}, "conditions": conditions})


def record(
    benchmark: str,
    backend: str,
    parameters: Mapping[str, Scalar],
    metric: str,
    unit: str,
    samples: Sequence[float],
    host: str = "n1",
    threads: int = CORES,
) -> Record:
    """Return one verified launch on one host."""
    software = {"compiler": "GNU 14.2.0", "flags": "-O3 -march=native -fopenmp " * 8, "mpi": "MPICH 5.0.2 " * 8}
    return Record.model_validate(
        {
            "benchmark": benchmark,
            "backend": backend,
            "parameters": dict(parameters),
            "groups": [
                {
                    "program": f"{benchmark}-{backend}",
                    "ranks": 1,
                    "threads": threads,
                    "hosts": [{"names": host, "ranks": "0"}],
                    "binding": [{"ranks": "0", "threads": list(map(str, range(threads)))}],
                    "software": software,
                }
            ],
            "status": "ok",
            "started": "2026-11-01T00:00:00Z",
            "ended": "2026-11-01T00:00:05Z",
            "metrics": {metric: {"unit": unit, "samples": list(samples), "counted": 1e9, "demand": []}},
            "verification": [{"quantity": "largest error", "value": 1e-15, "tolerance": 1e-12, "passed": True}],
            "conditions": {f"condition_{at}": 1.234567890123 * at for at in range(40)},
            "provenance": {
                "id": "0123456789ab",
                "run": "made",
                "case": f"{benchmark}-{backend}",
                "machine": "fbb04c245059",
                "command": [
                    f"/opt/banzuke/bin/banzuke-{benchmark}-{backend}",
                    "--binding",
                    ",".join(map(str, range(48))),
                ],
                "batch": "made",
                "banzuke": "0.1.0",
            },
        }
    )


def _template(figure: int) -> tuple[str, str, str]:
    """Return the text before the host, between it and the samples, and after them; each figure has its own settings."""
    benchmark, backend, metric, unit, _ = BENCHMARKS[figure % len(BENCHMARKS)]
    parameters: Mapping[str, Scalar] = {"n": 1000 * (1 + figure // len(BENCHMARKS)), "stores": "plain"}
    text = record(benchmark, backend, parameters, metric, unit, [12345.0], "HOST").model_dump_json()
    before, rest = text.split("HOST")
    between, after = rest.split("12345.0")
    return before, between, after


def write_array_runs(folder: Path, nodes: int) -> list[Run]:
    """Write the runs of a job array's elements: one host each, with sizes that follow the free memory."""
    store, runs = Store(folder), []
    for node in range(nodes):
        run = store.create(machine(), None)
        parameters: Mapping[str, Scalar] = {"n": 1000 + node, "stores": "plain"}
        run.append(record("stream", "omp", parameters, "triad_bandwidth", "B/s", [4e11 + node * 1e9], f"n{node:05}"))
        runs.append(run)
    return runs
