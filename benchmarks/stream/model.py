"""STREAM's figure on a machine that is only described: the memory's sustained bandwidth, the same on every node.

Loops are counted by the definition's bytes. A plain store reads the line first, so that processors move more than is
counted; devices and non-temporal stores do not.
"""

import math
from collections.abc import Mapping

from banzuke.machine.published import PublishedFigure
from banzuke.plan.benchmark import Scalar
from banzuke.predict.asked import amount, one_of, whole
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import Engine, Hardware, NodeGroup
from banzuke.predict.model import Call, Estimate
from banzuke.record.model import Record
from banzuke.words import Quantity, message
from banzuke.words.errors import MessageError

COUNTED = {"copy": 16, "scale": 16, "add": 24, "triad": 24}
"""Bytes of an element by the definition."""
STORED = 8
"""Bytes that are written, and that a plain store reads before."""
ROUNDS = 10
ARRAYS = 24
"""Bytes of an element of all three arrays."""
SHARE = 0.4
"""Share of the memory for the three arrays."""
USUAL = 1.6e9
"""Bytes of the three arrays if the memory is not described: beyond any cache."""
ON = ("processors", "devices")
STORES = ("nontemporal", "plain")
PAST_CACHES = ("XFILL", "zfill", "streaming-stores", "nontemporal")
"""Words in a compiler's flags for stores that do not read the line."""


class StreamModel:
    metric = "triad_bandwidth"
    constants: Mapping[str, Constant] = {
        "stream.copy": Constant(
            0.9,
            0.81,
            1.03,
            "rate of Copy and Scale over that of Triad, with stores past the processors' caches",
            "BabelStream in UoB-HPC/performance-portability, 2020: A64FX 1.03, Broadwell 0.92, Cascade Lake 0.87, "
            "Skylake 0.81",
        )
    }
    settings: Mapping[str, str] = {
        "kernel": f"{', '.join(COUNTED)}; else triad",
        "stores": "on processors: nontemporal, past the caches, or plain, which read each line first; else nontemporal",
        "on": "processors or devices",
        "devices": "devices of a node; else all",
        "n": "elements of an array of each rank or device",
        "ranks": "ranks of a node, on processors; else 1",
        "rounds": f"rounds of all loops; else {ROUNDS}",
    }

    def estimate(self, machine: Hardware, call: Call) -> Estimate:
        """Return the B/s of one loop on all nodes, and the seconds of all loops on the slowest. Raises BanzukeError."""
        kernel = one_of(call, "kernel", COUNTED, "triad")
        stores = one_of(call, "stores", STORES, "nontemporal")
        described = all(group.host.bandwidth > 0 or not group.devices for group in machine.groups)
        on = one_of(call, "on", ON, "processors" if described else "devices")
        ranks = whole(call, "ranks", 1) if on == "processors" else 1
        rounds = whole(call, "rounds", ROUNDS)
        figure, seconds = 0.0, 0.0
        n = min(elements(engine_of(group, on, call)[0], ranks, call) for group in machine.groups)
        for group in machine.groups:
            engine, number = engine_of(group, on, call)
            rates = {loop: rate_of(loop, engine.bandwidth, on, stores, machine.constants) for loop in COUNTED}
            figure += group.nodes * number * rates[kernel]
            once = sum(ranks * n * counted / rates[loop] for loop, counted in COUNTED.items())
            seconds = max(seconds, rounds * once)
        asked: dict[str, Scalar] = {"kernel": kernel, "on": on, "n": round(n), "rounds": rounds}
        if on == "processors":
            asked |= {"stores": stores, "ranks": ranks}
        return Estimate(
            figure, seconds, {"loops": seconds}, {"memory.bytes": seconds}, asked, metric=f"{kernel}_bandwidth"
        )

    def recorded(self, record: Record) -> Call | str:
        """Return the call that the record measured; our program for processors."""
        ranks = math.ceil(record.ranks / record.nodes)
        parameters = {**record.parameters, "ranks": ranks, "threads": record.threads}
        return {name: value for name, value in parameters.items() if name in self.settings} | {"on": "processors"}

    def published(self, figure: PublishedFigure) -> Call | str:
        """Return the call of a report's figure for a device or a node; stores are non-temporal if the compiler's flags
        say so.
        """
        kernel = figure.metric.removesuffix("_bandwidth")
        if kernel not in COUNTED:
            return "a ratio of two other figures"
        device = figure.part is not None and figure.part.startswith("one ")
        if not device and figure.nodes != 1:
            return "not of one node, nor of one device"
        if device:
            return {"kernel": kernel, "on": "devices", "devices": 1}
        flags = str(figure.parameters.get("flags", ""))
        past = any(word in flags for word in PAST_CACHES)
        return {"kernel": kernel, "on": "processors", "stores": "nontemporal" if past else "plain"}


def rate_of(kernel: str, moved: float, on: str, stores: str, constants: Mapping[str, float]) -> float:
    """Return the counted B/s of a loop on a memory that moves `moved` B/s with Triad."""
    counted = COUNTED[kernel]
    if on == "devices":
        return moved
    if stores == "plain":
        return moved * counted / (counted + STORED)
    return moved * (constants["stream.copy"] if kernel in {"copy", "scale"} else 1.0)


def engine_of(group: NodeGroup, on: str, call: Call) -> tuple[Engine, int]:
    """Return the processors or device that compute, and their number in a node."""
    if on == "processors":
        engine, number = group.host, 1
    else:
        if not group.devices:
            raise MessageError(message("stream-no-devices", name=group.name), remedy="Give on=processors")
        engine = max(
            group.devices, key=lambda device: device.number * (device.bandwidth if device.bandwidth > 0 else 0.0)
        )
        number = whole(call, "devices", engine.number)
        if number > engine.number:
            raise MessageError(message("stream-devices", name=group.name, devices=engine.number, asked=number))
    group.check_bandwidth(engine)
    return engine, number


def elements(engine: Engine, ranks: int, call: Call) -> float:
    """Return the elements of a rank's array. Raises BanzukeError if three arrays do not fit in the memory."""
    memory = engine.memory if engine.memory > 0 else math.inf
    usual = SHARE * memory if math.isfinite(memory) else USUAL
    n = amount(call, "n", usual / ranks / ARRAYS)
    if n < 1 or n * ranks * ARRAYS > memory:
        raise MessageError(
            message("stream-arrays", n=f"n={n:.0f}", ranks=ranks),
            why=message("stream-usable", size=Quantity(memory, "B", 4)),
            remedy=f"Give n up to {memory / ranks / ARRAYS:.0f}" if math.isfinite(memory) else "Give n of 1 or more",
        )
    return n


MODEL = StreamModel()
