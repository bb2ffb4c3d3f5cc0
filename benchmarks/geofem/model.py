"""GeoFEM-Cube's figure on a machine that is only described: memory traffic, halos, sums, the slowest node.

Nearly all traffic is loads of the matrix's blocks, twice an iteration.
"""

import math
from collections.abc import Mapping

from banzuke.machine.published import PublishedFigure
from banzuke.predict.asked import amount, one_of, whole
from banzuke.predict.boxes import Triple, cube, external, node_box
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import Hardware, NodeGroup
from banzuke.predict.model import Call, Estimate
from banzuke.words import Quantity, message
from banzuke.words.errors import MessageError

FLOPS, MOVED = 1020.0, 4530.0
"""Flops and bytes of a node of the mesh in an iteration: README.md."""
HELD = 2600.0
"""Bytes of memory of a node of the mesh."""
VECTORS, PRODUCT = 360.0, 27 * 76.0 + 72.0
"""Parts of MOVED: bytes of the vectors and of the product with the matrix."""
EDGE = 40
"""Nodes of the mesh along the edge of a core's part in the reports."""
SUMS = 3
ITERATIONS = 4
"""Iterations until convergence for each node along the longest edge."""
UNKNOWN = 24
"""Bytes received for each node outside the part: three numbers."""


class GeofemModel:
    metric = "flop_rate"
    constants: Mapping[str, Constant] = {
        "geofem.loads": Constant(
            1.0,
            0.75,
            4 / 3,
            "rate of GeoFEM's loads over that which Triad counts",
            "0.75 on two Zen 5 cores far from each other, with Triad's stores past the caches (README.md); 4/3 where "
            "all bytes cost the same and Triad's plain stores read each line first",
        ),
        "geofem.reads": Constant(
            0.75,
            0.4,
            0.95,
            "share of the measured rate of loads alone that GeoFEM reaches",
            "0.91 to 0.95 on two Zen 5 cores (README.md); 0.42 of Triad on two Zen 3 cores, where loads were not "
            "measured beside",
        ),
        "geofem.exposed": Constant(
            0.5,
            0.0,
            1.0,
            "share of GeoFEM's halo exchanges that is not hidden",
            "assumed: the product hides them at best",
        ),
    }
    settings: Mapping[str, str] = {
        "nx": "nodes of the whole mesh in x",
        "ny": "in y",
        "nz": "in z",
        "ranks": "ranks of a computing node; else one per core",
        "on": "processors; what devices reach is not predicted",
        "triad": "B/s that Triad was measured to reach on a computing node; else as described",
    }

    measured_settings = frozenset({"triad"})

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        """Return the solver's flop/s, for which all wait for the largest part, and the seconds to converge. Raises
        BanzukeError.
        """
        if one_of(call, "on", ("processors", "devices"), "processors") == "devices":
            raise MessageError(message("geofem-devices"), why=message("geofem-no-model"), remedy="Give on=processors")
        ranks = [_ranks(group, call) for group in machine.groups]
        procs = cube(sum(count * group.nodes for count, group in zip(ranks, machine.groups, strict=True)))
        mesh = _mesh(machine, call)
        box = tuple(-(-edge // along) for edge, along in zip(mesh, procs, strict=True))
        points = math.prod(box)  # of the largest part, for which all wait
        memory = flops = 0.0
        for group, count in zip(machine.groups, ranks, strict=True):
            group.check_flops()
            _check(group, points * count)
            rate = _rate(machine, group, call)
            memory = max(memory, points * count * MOVED / rate)
            peak = group.host.peak or math.inf  # 0: unknown
            flops = max(flops, points * count * FLOPS / peak)
        flops = max(0.0, flops - memory)  # what is not hidden behind the wait for memory
        spread = (memory + flops) * (1 / machine.slowest - 1)
        link = latency = sums = 0.0
        if machine.nodes > 1:
            edges, sides = node_box((box[0], box[1], box[2]), procs, ranks[0])
            neighbours = math.prod(1 + side for side in sides) - 1
            exposed = machine.constants["geofem.exposed"]
            link = exposed * UNKNOWN * external(edges, sides) / machine.fabric.node_bandwidth
            latency = exposed * machine.fabric.latency * (1 + neighbours / 4)  # posting takes a quarter
            sums = SUMS * math.ceil(math.log2(machine.nodes)) * machine.fabric.latency
        quiet = memory + flops + spread + link + latency + sums
        noise = (
            machine.delay(sum(group.nodes * group.known_cores for group in machine.groups), quiet / (SUMS + 1)) * quiet
        )
        each_iteration = quiet + noise
        iterations = ITERATIONS * max(mesh)
        slowed = memory + flops + spread + noise
        shares = {"spmv": PRODUCT / MOVED, "vectors": VECTORS / MOVED}
        shares["precondition"] = 1 - sum(shares.values())
        phases = {name: share * slowed for name, share in shares.items()}
        phases |= {"halo_wait": link + latency, "allreduce": sums}
        resources = {
            "memory.bytes": memory,
            "flops.fp64": flops,
            "link.bytes": link,
            "latency": latency + sums,
            "spread": spread,
            "noise": noise,
        }
        chosen = dict(zip(("nx", "ny", "nz"), mesh, strict=True)) | {"ranks": ranks[0]}
        return Estimate(
            FLOPS * math.prod(mesh) / each_iteration,
            each_iteration * iterations,
            {name: value * iterations for name, value in phases.items()},
            {name: value * iterations for name, value in resources.items()},
            chosen | ({"triad": call["triad"]} if "triad" in call else {}),
        )

    def published(self, figure: PublishedFigure) -> Call | str:
        if not isinstance(figure.nodes, int):
            return "the number of nodes is not printed"
        triad = figure.parameters.get("triad_bandwidth")
        return {"triad": triad} if isinstance(triad, float | int) else {}


def _ranks(group: NodeGroup, call: Call) -> int:
    """Return the ranks of a computing node: as asked, else one a core. Raises BanzukeError."""
    cores = group.known_cores
    ranks = whole(call, "ranks", cores)
    if ranks > cores:
        problem = message("unpredicted-has-cores", name=group.name, cores=cores, asked=ranks)
        raise MessageError(problem, remedy=f"Give ranks up to {cores}")
    return ranks


def _mesh(machine: Hardware, call: Call) -> Triple:
    """Return a mesh with the reports' part for every core, or smaller parts if memory is small."""
    cores = sum(group.nodes * group.known_cores for group in machine.groups)
    held = [group.host.memory / group.known_cores / HELD for group in machine.groups if group.host.memory > 0]
    edge = min(EDGE, int(math.cbrt(min(held))) if held else EDGE)
    if edge < 1 and not all(name in call for name in ("nx", "ny", "nz")):
        raise MessageError(
            message("geofem-no-mesh", name=machine.name),
            why=message("geofem-core", held=Quantity(min(held) * HELD, "B"), taken=Quantity(HELD, "B")),
            remedy="Give a small mesh by nx, ny and nz",
        )
    usual = tuple(edge * along for along in cube(cores))
    mesh = tuple(whole(call, name, own, 2) for name, own in zip(("nx", "ny", "nz"), usual, strict=True))
    return (mesh[0], mesh[1], mesh[2])


def _rate(machine: Hardware, group: NodeGroup, call: Call) -> float:
    """Return the B/s at which the solver moves its bytes, of which nearly all are loads."""
    if "triad" in call:
        return amount(call, "triad", math.nan) * machine.constants["geofem.loads"]
    if loads := group.host.rates.get("memory.loads"):
        return loads * machine.constants["geofem.reads"]
    group.check_bandwidth(group.host)
    return group.host.bandwidth * machine.constants["geofem.loads"]


def _check(group: NodeGroup, points: float) -> None:
    if group.host.memory > 0 and points * HELD > group.host.memory:
        most = int(group.host.memory / HELD)
        taken, memory = Quantity(points * HELD, "B", 4), Quantity(group.host.memory, "B", 4)
        raise MessageError(
            message("geofem-mesh", points=round(points), name=group.name),
            why=message("unpredicted-they-take", taken=taken, memory=memory),
            remedy=f"Give a mesh of at most {most} nodes for each computing node",
        )


MODEL = GeofemModel()
