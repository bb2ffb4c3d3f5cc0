"""Records of scaling studies with known efficiencies, for tests."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from banzuke.amounts import Scalar
from banzuke.machine.hosts import folded
from banzuke.record.figures import Samples, Verification
from banzuke.record.hosts import Hosts
from banzuke.record.model import Group, Provenance, Record

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
NODE_RATE = 1e12
"""Flop/s of one node."""


def record(
    nodes: int,
    rate: float,
    *,
    benchmark: str = "hpl",
    repetition: int = 0,
    parameters: Mapping[str, Scalar] | None = None,
    partition: str | None = None,
    run: str = "",
    batch: str | None = None,
    host: int = 1,
    at: float = 0.0,
    failed: str = "",
    version: str = "1",
    machine: str = "m",
) -> Record:
    """Return one launch; `host`: the number of its first host, `at`: seconds after the start of all."""
    settings: dict[str, Scalar] = dict(parameters or {"n": 20000, "broadcast": "ring"})
    names = [f"n{number:04}" for number in range(host, host + nodes)]
    began = START + timedelta(seconds=at)
    case = f"{benchmark} {nodes} {sorted(settings.items())} {partition}"
    unit = {"stream": "B/s"}.get(benchmark, "flop/s")
    metric = {"stream": "triad_bandwidth"}.get(benchmark, "flop_rate")
    return Record(
        benchmark=benchmark,
        backend="blas",
        parameters=settings,
        groups=[
            Group(
                program=f"{benchmark}-blas",
                ranks=2 * nodes,
                threads=4,
                hosts=[Hosts(names=folded(names), ranks=f"0-{2 * nodes - 1}")],
                software={"compiler": "GNU 12", "mpi": "MPICH 5", "blas": "OpenBLAS"},
                partition=partition,
            )
        ],
        status="failed" if failed else "ok",
        reason=failed or None,
        started=began,
        ended=began + timedelta(seconds=60),
        metrics={} if failed else {metric: Samples(unit=unit, samples=[rate], counted=1e15)},
        verification=[] if failed else [Verification(quantity="residual", value=0.1, tolerance=16.0, passed=True)],
        provenance=Provenance(
            id=f"{run}-{case}-{repetition}-{host}",
            run=run or f"r{nodes}",
            case=case,
            repetition=repetition,
            machine=machine,
            command=["banzuke-hpl"],
            batch=batch,
            banzuke=version,
        ),
    )


def scaled(
    counts: Sequence[int], efficiency: Callable[[int], float], *, noise: float = 0.0, launches: int = 3, seed: int = 1,
    grows: bool = False, partition: str | None = None, together: bool = False,
) -> list[Record]:  # fmt: skip
    """Return launches on each number of nodes, each a run on a day of its own; `together`: in one run. `grows`: the
    order grows with the nodes, as in weak scaling.
    """
    source = random.Random(seed)  # noqa: S311
    return [
        record(
            nodes,
            NODE_RATE * nodes * efficiency(nodes) * math.exp(source.gauss(0, noise)),
            repetition=repetition,
            parameters={"n": round(20000 * math.cbrt(nodes)) if grows else 20000, "broadcast": "ring"},
            partition=partition,
            run="r" if together else f"r{nodes}.{repetition}",
            at=repetition * 86400.0 + 3600.0 * nodes,
        )
        for nodes in counts
        for repetition in range(launches)
    ]


def copies(number: int, *, apart: float = 0.0, rate: float = 1e11, shared: bool = False) -> list[Record]:
    """Return one-node copies that start `apart` seconds after each other; `shared`: on the same node."""
    return [
        record(
            1, rate, benchmark="stream", parameters={"n": 10**8}, run=f"c{number}.{copy}", batch=f"c{number}",
            host=1 if shared else copy, at=apart * copy,
        )
        for copy in range(1, number + 1)
    ]  # fmt: skip
