"""IOR's rate on a machine that is only described: the lowest of those of storage, links and clients.

A node's traffic to its storage takes one link: Lustre uses one interface unless configured otherwise, and a torus has
one route to each server.
"""

import math
from collections.abc import Mapping

from banzuke.machine.published import PublishedFigure
from banzuke.predict.asked import amount, one_of
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import Hardware
from banzuke.predict.model import Call, Estimate
from banzuke.predict.reached import ReachedArea
from banzuke.record.model import Record
from banzuke.words import message
from banzuke.words.errors import MessageError

FILES = ("per-process", "shared")
PHASES = ("write", "read")
PHASE = 2.0
"""Seconds of a phase if the call does not say how much is written, as the policy would choose the amount."""
CORI = "https://www.glennklockwood.com/benchmarks/ior-results.html (Cori, Lustre)"
DELL = "Dell white paper on its Lustre storage for HPC, sections 4.1 and 4.3"
LEAST, MOST = 0.3, 1.07
"""Range of either share. Only one file system was measured whose rate is specified as a whole, which tells no spread of
its own: the range is that of both kinds together.
"""
CONSTANTS = {
    "ior.rated": Constant(
        0.95,
        LEAST,
        MOST,
        "share of what storage is rated at that files of their own reach",
        f"{CORI}: 752 and 678 GB/s written and read when new, of more than 700 "
        "(https://nersc.gitlab.io/filesystems/cori-scratch/); 0.53 to 0.66 of that when filled. It is "
        "one file system, so that the range is that of both shares",
    ),
    "ior.theoretical": Constant(
        0.55,
        LEAST,
        MOST,
        "share of the theory of the storage's slowest part that files of their own reach",
        "6 GB/s of eight sets of 8 + 2 disks (abstract of `Optimizing Performance of HPC Storage Systems`), where a "
        "disk is assumed to give 175 MB/s; above 0.9 on servers of flash memory (abstract on Perlmutter's file system)",
    ),
    "ior.shared_write": Constant(
        0.75, 0.48, 1.03, "one shared file written, over files of their own", f"0.48 {CORI}; 1.03 {DELL}"
    ),
    "ior.shared_read": Constant(
        1.0, 0.95, 1.07, "one shared file read, over files of their own", f"0.95 {CORI}; 1.07 {DELL}"
    ),
    "ior.link": Constant(
        0.9,
        0.8,
        1.0,
        "share of what a link sustains that a file system's protocol leaves",
        "the usual goal, more than 0.9 of what the parts below give: https://wiki.lustre.org/Category:Benchmarking; "
        "the range is assumed",
    ),
    "ior.process": Constant(
        1e9, 0.65e9, 1.5e9, "rate of one process", f"{DELL}: 0.65 to 0.95, with newer links 1 to 1.5 GB/s", "B/s"
    ),
}


class IorModel:
    metric = "write_bandwidth"
    constants: Mapping[str, Constant] = CONSTANTS
    settings: Mapping[str, str] = {
        "area": "name of a storage area that the nodes reach; else the fastest",
        "phase": "write or read; else write",
        "files": "per-process or shared; else per-process",
        "ranks": "processes of a node; else one on each core",
        "clients": "all processes together, if nodes have different numbers",
        "pool": "share of the area's servers that hold the files, from 0 to 1; else 1",
        "block": "bytes of a process",
    }

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        """Return the B/s of a phase by the tightest of storage, links and clients, and its seconds. Raises
        BanzukeError.
        """
        phase = one_of(call, "phase", PHASES, PHASES[0])
        files = one_of(call, "files", FILES, FILES[0])
        area = chosen_area(machine, call)
        processes = clients(machine, call)
        pool = amount(call, "pool", 1.0)
        if pool > 1:
            raise MessageError(message("ior-pool", setting=f"pool={pool:g}"), remedy="Give a share from 0 to 1")
        constants = machine.constants
        share = constants["ior.rated" if area.rated else "ior.theoretical"]
        shared = constants[f"ior.shared_{phase}"] if files == "shared" else 1.0
        linked = min(machine.nodes, processes) * machine.fabric.bandwidth * constants["ior.link"]
        rates = {
            f"storage.{phase}": area.bandwidth * pool * share * shared,
            "clients": processes * constants["ior.process"],
        }
        if linked > 0:
            rates["link.bytes"] = linked
        bound = min(rates, key=lambda name: rates[name])
        rate = rates[bound]
        block = amount(call, "block", PHASE * rate / processes)
        seconds = block * processes / rate
        remarks = [] if linked > 0 else [message("ior-unbounded")]
        if phase == "write" and "block" in call and block * processes / machine.nodes < machine.groups[0].host.memory:
            remarks.append(message("ior-fits-memory"))
        return Estimate(
            rate,
            seconds,
            {phase: seconds},
            {bound: seconds},
            {
                "area": area.key,
                "phase": phase,
                "files": files,
                "clients": processes,
                "pool": pool,
                "block": int(block),
            },
            tuple(remarks),
            f"{phase}_bandwidth",
            min(
                area.bandwidth * pool,
                linked / constants["link.share"] / constants["ior.link"] if linked > 0 else math.inf,
            ),
        )

    def recorded(self, record: Record) -> Call | str:
        """Return the call that the record measured, in the area of its files; its parameter `area` means something
        else.
        """
        parameters = record.parameters
        area = {"area": next(iter(record.areas))} if record.areas else {}
        ranks = math.ceil(record.ranks / record.nodes)
        return {**area, "files": str(parameters.get("files", FILES[0])), "ranks": ranks}

    def published(self, figure: PublishedFigure) -> Call | str:
        """Return the call of a report's figure; one for a part of the servers needs the number of all clients."""
        parameters = figure.parameters
        phase = figure.metric.removesuffix("_bandwidth")
        if phase not in PHASES:
            return "of reading and writing together, and not measured"
        if "files" not in parameters:
            return "whether processes share a file is not printed"
        call = {"phase": phase, "files": str(parameters["files"])}
        if "ost_clients" in parameters:
            clients, everywhere = (
                _number(parameters["ost_clients"]),
                _number(parameters.get("clients_of_all_areas", math.nan)),
            )
            if not everywhere > 0:
                return "which part of the storage was measured is not printed"
            return call | {"area": str(figure.of), "clients": int(clients), "pool": clients / everywhere}
        if figure.nodes is None:
            return "the number of nodes is not printed"
        area = (figure.part or "").removesuffix(" file system")
        call |= {"area": area} if area else {}
        return call | ({"ranks": int(_number(parameters["procs_per_node"]))} if "procs_per_node" in parameters else {})


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def chosen_area(machine: Hardware, call: Call) -> ReachedArea:
    """Return the area that the call names, else the fastest that the nodes reach. Raises BanzukeError."""
    names = ", ".join(area.key for area in machine.areas)
    if not machine.areas:
        raise MessageError(
            message("ior-no-storage", name=machine.name),
            remedy='Add [areas.NAME] with bandwidth = ..., and mounts = ["NAME"] to the partition',
        )
    if "area" in call:
        areas = [area for area in machine.areas if area.key == call["area"]]
        if not areas:
            problem = message("ior-unreached", setting=f"area={call['area']}")
            raise MessageError(problem, remedy=f"Give one of: {names}")
    else:
        areas = sorted(machine.areas, key=lambda area: area.bandwidth if area.bandwidth > 0 else 0.0)
    if not areas[-1].bandwidth > 0:
        raise MessageError(
            message("ior-no-bandwidth", name=machine.name, area=areas[-1].key),
            remedy=f"Add bandwidth = ..., in B/s, to its table [areas.{areas[-1].key}]",
        )
    return areas[-1]


def clients(machine: Hardware, call: Call) -> int:
    cores = sum(group.nodes * max(1, group.cores) for group in machine.groups)
    asked = amount(call, "clients", amount(call, "ranks", cores / machine.nodes) * machine.nodes)
    if asked > max(cores, machine.nodes):
        problem = message("ior-processes", processes=round(asked), nodes=machine.nodes)
        raise MessageError(problem, why=message("ior-cores", cores=cores))
    return max(1, round(asked))


MODEL = IorModel()
