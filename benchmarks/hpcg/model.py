"""HPCG's figure on a machine that is only described: memory traffic, cycles of the cores, messages, waits.

Per iteration and point the code moves a number of bytes at the rate that its loops sustain. On processors each stored
entry also costs about a cycle that the wait for memory does not hide: the indexed load of x. Halo exchanges and sums
are added, and the slowest node sets the pace.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from banzuke.errors import BanzukeError
from banzuke.machine.published import PublishedFigure
from banzuke.plan.benchmark import Scalar
from banzuke.predict.asked import amount, one_of, whole
from banzuke.predict.boxes import Triple, cube, external, is_far_from_cube, node_box
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import HALO, Engine, Hardware, NodeGroup
from banzuke.predict.model import Call, Estimate
from banzuke.record.model import Record
from banzuke.words import Message, Quantity, message
from banzuke.words.errors import MessageError

FLOPS = 372.0
"""Flops of a point in an iteration, as the official code counts them."""
LEVELS = 4
COARSER = sum(8.0**-level for level in range(LEVELS))
"""Points of all levels over those of the finest."""
EXCHANGES = (3, 2, 2, 0)
"""Halo exchanges of an iteration by level, finest first: product, residual, smoothing after correction (README.md)."""
SUMS = 3
"""Global reductions of an iteration."""
VECTORS = {"dot": 48.0, "waxpby": 72.0}
"""Bytes of a point in an iteration."""
KERNELS = 40
"""Kernel launches of a level in an iteration: eight colours, forwards and backwards, twice, and what joins them."""
OFFICIAL_SECONDS = 1800.0
FLAT, TEAM = 16, 8
"""Cores up to which each has a rank, and threads of a rank if there are more; as in spec.py."""
SHARE, MOST_SHARE = 0.28, 0.8
"""Shares of the memory: the wanted one, as the official rules ask for a quarter, and the largest."""


@dataclass(frozen=True)
class HpcgCode:
    """The work of an implementation for a point in an iteration."""

    entries: float
    """Matrix entries read, on all levels."""
    entry: float
    """Bytes of a stored entry."""
    vectors: float
    """Bytes of vectors."""
    held: float
    """Bytes of memory that a point takes in the timed part."""
    needed: float
    """Most bytes of memory that a point takes before the timed part."""

    @property
    def bytes(self) -> float:
        return self.entries * self.entry + self.vectors


CODES = {
    "banzuke": HpcgCode(entries=26 * 3.43, entry=9.3, vectors=251, held=450, needed=1000),
    "vendor": HpcgCode(entries=27 * 4.42, entry=12, vectors=236, held=520, needed=520),
}
"""Our code, whose vectors include the diagonal (README.md), and the best published method, that of NVIDIA's code: three
passes a level.
"""

SOURCES = {
    "device": "ratings over 0.223 flop/B and Triad: a P100 0.79 (reframe-hpc/reframe, CSCS's checks), an H100 0.83 "
    "(aigatech/vpbenchmarking), a GH200 0.85 (NVIDIA/nvidia-hpcg), an MI100 0.90 (ROCm/rocHPCG issue 46)",
    "processors": "0.81 for this HPCG on two Zen 5 cores; 0.95 for a Broadwell node with Intel's code "
    "(reframe-hpc/reframe, CSCS's checks) and one cycle an entry",
    "loads": "10.2 and 15.9 Gflop/s on two Zen 5 cores, with loads alone at 48 and 79 GB/s (README.md), give 0.94 and "
    "1.06 with 0.6 cycles an entry",
    "cycles": "this HPCG on two Zen 5 cores: 0.25 to 0.8 beside the memory, 1.4 with everything in the caches; on two "
    "Zen 3 cores 1.6",
    "launch": "kernel launch latency of a V100 in the README of jjkeijser/clpeak: 7.2 us; newer ones less",
    "setup": "0.007 on an MI100 (ROCm/rocHPCG issue 46), 0.07 for this one",
    "exposed": "this HPCG hides two exchanges of three on the finest level, at best",
}
"""Sources of the constants; README.md says how each was derived."""


class HpcgModel:
    metric = "flop_rate"
    constants: Mapping[str, Constant] = {
        "hpcg.processors": Constant(
            0.9, 0.8, 0.96, "share of Triad that HPCG's loops sustain on processors", SOURCES["processors"]
        ),
        "hpcg.loads": Constant(
            0.95,
            0.85,
            1.0,
            "share of the measured rate of loads alone that HPCG's loops sustain on processors",
            SOURCES["loads"],
        ),
        "hpcg.device": Constant(
            0.85, 0.75, 0.92, "share of Triad that HPCG's loops sustain on a device", SOURCES["device"]
        ),
        "hpcg.cycles": Constant(
            1.0, 0.25, 1.6, "cycles of a core for a matrix entry that HPCG cannot hide", SOURCES["cycles"], "cycles"
        ),
        "hpcg.setup": Constant(
            0.03,
            0.007,
            0.08,
            "share of HPCG's time charged for the set-up",
            SOURCES["setup"],
        ),
        "hpcg.launch": Constant(7e-6, 3e-6, 10e-6, "time of the shortest kernel on a device", SOURCES["launch"], "s"),
        "hpcg.exposed": Constant(
            0.6, 0.33, 1.0, "share of HPCG's halo exchanges that is not hidden", SOURCES["exposed"]
        ),
    }
    settings: Mapping[str, str] = {
        "nx": "points of a rank's box in x; a multiple of 8, at least 16",
        "ny": "points in y; else as nx",
        "nz": "points in z; else as nx",
        "px": "ranks in x",
        "py": "ranks in y",
        "pz": "ranks in z",
        "ranks": "ranks of a node",
        "threads": "threads of a rank on processors; else all cores",
        "on": "processors or devices; else the faster",
        "code": "banzuke, or vendor: the best published method; else vendor, as in public lists, but banzuke on the "
        "processors of a run's machine",
        "seconds": "seconds of the timed part; else 1800",
    }

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        if "on" in call:
            return self._estimate(machine, call, one_of(call, "on", ("processors", "devices"), ""))
        if not all(any(device.bandwidth > 0 for device in group.devices) for group in machine.groups):
            return self._estimate(machine, call, "processors")
        devices = self._estimate(machine, call, "devices")
        try:
            return max(devices, self._estimate(machine, call, "processors"), key=lambda estimate: estimate.figure)
        except BanzukeError:  # the processors' memory is too small for such boxes, or not described
            return devices

    def _estimate(self, machine: Hardware, call: Call, on: str) -> Estimate:
        code = CODES[one_of(call, "code", CODES, "banzuke" if machine.measured and on == "processors" else "vendor")]
        runs = [_Run.of(group, on, call, code) for group in machine.groups]
        ranks = sum(run.group.nodes * run.ranks for run in runs)
        box = _box(call, min((run.points for run in runs), default=0.0))
        for run in runs:
            run.check(box, code)
        procs = _grid(ranks, call)
        points = math.prod(box)
        memory = cycles = launches = 0.0
        for run in runs:
            took = run.seconds(points, code, machine.constants)
            if sum(took) > memory + cycles + launches:
                memory, cycles, launches = took
        peak = min(run.peak for run in runs) or math.inf  # 0: unknown
        flops = max(0.0, points * FLOPS / peak - memory - cycles)  # what is not hidden behind these
        spread = (memory + cycles + flops + launches) * (1 / machine.slowest - 1)
        link, latency = _exchanges(machine, runs[0], box, procs)
        sums = _sums(machine, runs[0])
        work = memory + cycles + flops + launches
        period = (work + spread + link + latency + sums) / (SUMS + sum(EXCHANGES))
        waiters = ranks if on == "devices" else sum(group.nodes * max(1, group.cores) for group in machine.groups)
        noise = machine.delay(waiters, period) * (work + spread)
        per_iteration = work + spread + link + latency + sums + noise
        charged = per_iteration * machine.constants["hpcg.setup"] / (1 - machine.constants["hpcg.setup"])
        figure = ranks * points * FLOPS / (per_iteration + charged)
        seconds = amount(call, "seconds", OFFICIAL_SECONDS)
        iterations = seconds / per_iteration
        parts = _parts(code)
        slowed = work + spread + noise
        phases = {name: share * slowed for name, share in parts.items()}
        phases |= {"halo_wait": link + latency, "allreduce": sums}
        resources = {
            "memory.bytes": memory,
            "cycles": cycles,
            "flops.fp64": flops,
            "latency": latency + sums + launches,
            "link.bytes": link,
            "spread": spread,
            "noise": noise,
        }
        chosen: dict[str, Scalar] = dict(zip(("nx", "ny", "nz", "px", "py", "pz"), (*box, *procs), strict=True))
        chosen |= {
            "ranks": runs[0].ranks,
            "threads": runs[0].threads,
            "on": on,
            "code": next(name for name, candidate in CODES.items() if candidate is code),
        }
        remarks = []
        if on == "processors" and any(math.isnan(run.cycles) for run in runs):
            remarks.append(message("hpcg-no-clock"))
        if on == "devices" and any(math.isnan(group.host.bandwidth) for group in machine.groups):
            remarks.append(message("hpcg-devices-only"))
        return Estimate(
            figure,
            seconds,
            {name: value * iterations for name, value in phases.items()},
            {name: value * iterations for name, value in resources.items()},
            chosen,
            tuple(remarks),
        )

    def ranks(self, _nodes: int, call: Call) -> int:
        return math.prod(int(call[name]) for name in ("px", "py", "pz"))

    def tell_unlike(self, _machine: Hardware, _asked: Call, chosen: Call) -> Iterator[Message]:
        """Yield that the code is not a vendor's, or the grid far from a cube, unlike those of public figures."""
        if chosen.get("code", "vendor") != "vendor":
            yield message("hpcg-other-code", code=str(chosen["code"]))
        if is_far_from_cube(grid := [int(chosen.get(name, 1)) for name in ("px", "py", "pz")]):
            yield message("hpcg-far-grid", grid=" x ".join(map(str, grid)))

    def recorded(self, record: Record) -> Call | Message:
        """Return the call that the record measured, which our program for processors ran; or why there is none."""
        if record.parameters.get("deal", "equal") != "equal":
            return message("hpcg-dealt-boxes")
        ranks = math.ceil(record.ranks / record.nodes)
        parameters = {**record.parameters, "ranks": ranks, "threads": record.threads}
        own = {"on": "processors", "code": "banzuke"}
        return {name: value for name, value in parameters.items() if name in self.settings} | own

    def published(self, figure: PublishedFigure) -> Call | str:
        if not isinstance(figure.nodes, int):
            return "the number of nodes is not printed"
        box = {name: value for name, value in figure.parameters.items() if name in {"nx", "ny", "nz"}}
        call: dict[str, float | int | str] = {**box, "code": "vendor"}  # type: ignore[dict-item]
        if "run_seconds" in figure.parameters:
            call["seconds"] = figure.parameters["run_seconds"]  # type: ignore[assignment]
        return call


@dataclass(frozen=True)
class _Run:
    """The layout of HPCG on the nodes of a group."""

    group: NodeGroup
    ranks: int
    """Ranks of a node."""
    threads: int
    """Threads of a rank."""
    engine: Engine
    sharing: int
    """Ranks that share the engine."""
    points: float
    """Points of a rank that suit the memory."""
    on_processors: bool

    @classmethod
    def of(cls, group: NodeGroup, on: str, call: Call, code: HpcgCode) -> "_Run":
        """Return how the call runs on the group's processors or on its fastest devices. Raises BanzukeError."""
        group.check_flops()
        if on == "devices":
            able = [device for device in group.devices if device.bandwidth > 0]
            if not able:
                raise MessageError(message("hpcg-no-devices", name=group.name), remedy="Give on=processors")
            engine = max(able, key=lambda device: device.number * device.bandwidth)
            if whole(call, "ranks", engine.number) != engine.number:
                raise MessageError(message("hpcg-device-ranks", name=group.name, devices=engine.number))
            ranks, sharing, threads = engine.number, 1, 1
        else:
            engine = group.host
            group.check_bandwidth(engine)
            if "nx" not in call and engine.fast_bandwidth > engine.bandwidth:
                engine = replace(engine, bandwidth=engine.fast_bandwidth, memory=engine.fast_memory)
            ranks = sharing = whole(call, "ranks", usual_ranks(group.known_cores))
            threads = whole(call, "threads", max(1, group.known_cores // ranks))
            if ranks * threads > group.cores:
                raise MessageError(
                    message("unpredicted-has-cores", name=group.name, cores=group.cores, asked=ranks * threads),
                    remedy=f"Give ranks and threads whose product is at most {group.cores}",
                )
        memory = engine.memory / sharing
        suggested = min(SHARE * memory / code.held, MOST_SHARE * memory / code.needed) if memory > 0 else 104.0**3
        return cls(group, ranks, threads, engine, sharing, suggested, on != "devices")

    @property
    def peak(self) -> float:
        """Return the flop/s of a rank; 0 if unknown."""
        return self.engine.peak / self.sharing

    @property
    def cycles(self) -> float:
        """Return the cycles per second of a rank's cores."""
        return self.threads * self.group.hertz

    def check(self, box: Triple, code: HpcgCode) -> None:
        """Raise BanzukeError if the box does not fit in the memory, naming the largest that does."""
        needed = math.prod(box) * code.needed * self.sharing
        if self.engine.memory > 0 and needed > self.engine.memory:
            edge = math.cbrt(self.engine.memory / self.sharing / code.needed)
            most = legal(edge)
            taken, memory = Quantity(needed, "B", 4), Quantity(self.engine.memory, "B", 4)
            raise MessageError(
                message("hpcg-large-box", box=" x ".join(map(str, box))),
                why=message("unpredicted-they-take", taken=taken, memory=memory),
                remedy=f"Give a smaller box, at most about {most} x {most} x {most}"
                if edge >= most
                else "Give fewer ranks: the rules allow no box that fits",
            )

    def seconds(self, points: float, code: HpcgCode, constants: Mapping[str, float]) -> tuple[float, float, float]:
        """Return the seconds of an iteration: memory, cycles, and launch times of kernels that exceed their memory
        time.
        """
        device = not self.on_processors
        memory = points * code.bytes / (self._bandwidth(constants) / self.sharing)
        if device:
            launch = constants["hpcg.launch"]
            kernel = [memory / COARSER / 8**level / KERNELS for level in range(LEVELS)]
            return memory, 0.0, KERNELS * sum(max(0.0, launch - took) for took in kernel)
        cycles = constants["hpcg.cycles"] * points * code.entries / self.cycles if self.cycles > 0 else 0.0
        return memory, cycles, 0.0

    def _bandwidth(self, constants: Mapping[str, float]) -> float:
        """Return the B/s that the loops sustain: a share of loads alone where a run measured these, else of Triad."""
        if not self.on_processors:
            return self.engine.bandwidth * constants["hpcg.device"]
        if loads := self.engine.rates.get("memory.loads"):
            return loads * constants["hpcg.loads"]
        return self.engine.bandwidth * constants["hpcg.processors"]


def usual_ranks(cores: int) -> int:
    """Return the usual ranks of a node: one for each core if there are few, else one for each team of cores."""
    if cores <= FLAT:
        return max(1, cores)
    return cores // max(threads for threads in range(1, TEAM + 1) if cores % threads == 0)


def legal(edge: float) -> int:
    """Return the next edge below that the rules allow: a multiple of 8, at least 16."""
    return max(16, int(edge + 1e-9) // 8 * 8)


def _box(call: Call, points: float) -> Triple:
    x = whole(call, "nx", legal(math.cbrt(points)))
    box = (x, whole(call, "ny", x), whole(call, "nz", x))
    if min(box) < 16 or any(edge % 8 for edge in box) or 8 * min(box) < max(box):
        near = legal(max(16, x))
        problem = message("hpcg-local-grid", box=" x ".join(map(str, box)))
        raise MessageError(problem, why=message("hpcg-local-rule"), remedy=f"Give nx={near}")
    return box


def _grid(ranks: int, call: Call) -> Triple:
    asked = tuple(whole(call, name, 0, 0) for name in ("px", "py", "pz"))
    if any(asked):
        grid = (asked[0] or 1, asked[1] or 1, asked[2] or 1)
        if math.prod(grid) != ranks:
            problem = message("hpcg-grid", grid=" x ".join(map(str, grid)), ranks=ranks)
            raise MessageError(problem, remedy="Leave px, py, pz")
        return grid
    return cube(ranks)


def _exchanges(machine: Hardware, run: _Run, box: Triple, procs: Triple) -> tuple[float, float]:
    """Return the seconds of an iteration that wait for halos: for their bytes, and for their latency."""
    if machine.nodes == 1:
        return 0.0, 0.0
    edges, sides = node_box(box, procs, run.ranks)
    neighbours = math.prod(1 + s for s in sides) - 1
    rate = machine.fabric.node_bandwidth / machine.fabric.congested(HALO)
    device = not run.on_processors
    if device and not machine.fabric.direct:
        rate = 1 / (1 / rate + 2 / (run.ranks * run.engine.host_link)) if run.engine.host_link > 0 else rate
    launch = 3 * machine.constants["hpcg.launch"] if device else 0.0  # pack, wait for it, unpack
    link = latency = 0.0
    for level, exchanges in enumerate(EXCHANGES):
        coarse = (edges[0] >> level, edges[1] >> level, edges[2] >> level)
        link += exchanges * 8 * external(coarse, sides) / rate
        latency += exchanges * (machine.fabric.latency * (1 + neighbours / 4) + launch)  # posting is a part of it
    exposed = machine.constants["hpcg.exposed"]
    return exposed * link, exposed * latency


def _sums(machine: Hardware, run: _Run) -> float:
    """Return the seconds of an iteration in global reductions."""
    device = not run.on_processors
    copied = 2 * machine.constants["hpcg.launch"] if device else 0.0
    return SUMS * (math.ceil(math.log2(machine.nodes)) * machine.fabric.latency + copied)


def _parts(code: HpcgCode) -> dict[str, float]:
    """Return the shares of an iteration's bytes, by the names of the breakdown."""
    vectors = {name: of_point / code.bytes for name, of_point in VECTORS.items()}
    product = (27 * code.entry + 16) / code.bytes
    return {"mg": 1 - product - sum(vectors.values()), "spmv": product, **vectors}


MODEL = HpcgModel()
