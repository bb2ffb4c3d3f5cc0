"""STREAM's figure on a machine that is only described: what the memory sustains, on every node alike.

Loops are counted by the definition's bytes. A plain store reads the line first, so processors move more than is
counted; devices, and stores past the caches, do not.
"""

from collections.abc import Mapping

from banzuke.errors import BanzukeError
from banzuke.machine.published import PublishedFigure
from banzuke.plan.benchmark import Scalar
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import Engine, Hardware, NodeGroup
from banzuke.predict.model import Call, Estimate

COUNTED = {"copy": 16, "scale": 16, "add": 24, "triad": 24}
"""Bytes of an element by the definition."""
STORED = 8
"""Of these, bytes that are written: what a plain store reads before."""
ROUNDS = 10
SHARE = 0.4
"""Of the memory, for the three arrays."""
ON = ("processors", "devices")
STORES = ("nontemporal", "plain")
PAST_CACHES = ("XFILL", "zfill", "streaming-stores", "nontemporal")
"""In a compiler's flags: stores that do not read."""


class StreamModel:
    metric = "triad_bandwidth"
    constants: Mapping[str, Constant] = {}
    settings: Mapping[str, str] = {
        "kernel": f"{', '.join(COUNTED)}; else triad",
        "stores": "on processors: nontemporal, past the caches, or plain, which read each line first; else nontemporal",
        "on": "processors or devices",
        "devices": "how many of a node; else all",
        "n": "elements of an array on each processor node or device",
    }

    def estimate(self, of: Hardware, call: Call) -> Estimate:
        kernel = chosen(call, "kernel", tuple(COUNTED), "triad")
        stores = chosen(call, "stores", STORES, "nontemporal")
        described = all(group.host.bandwidth > 0 or not group.devices for group in of.groups)
        on = chosen(call, "on", ON, "processors" if described else "devices")
        figure, slowest = 0.0, 0.0
        n = 0.0
        for group in of.groups:
            engine, number = engine_of(group, on, call)
            counted = COUNTED[kernel]
            plain = on == "processors" and stores == "plain"
            rate = engine.bandwidth * (counted / (counted + STORED) if plain else 1.0)
            figure += group.nodes * number * rate
            n = elements(engine, call)
            slowest = max(slowest, ROUNDS * 3 * 8 * n / engine.bandwidth)
        asked: dict[str, Scalar] = {"kernel": kernel, "on": on, "n": round(n)}
        if on == "processors":
            asked["stores"] = stores
        return Estimate(
            figure, slowest, {"loops": slowest}, {"memory.bytes": slowest}, asked, metric=f"{kernel}_bandwidth"
        )

    def published(self, figure: PublishedFigure) -> Call | str:
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


def chosen(call: Call, name: str, known: tuple[str, ...], default: str) -> str:
    value = str(call.get(name, default))
    if value not in known:
        raise BanzukeError(f"{name}={value} is unknown", remedy=f"Give one of: {', '.join(known)}")
    return value


def engine_of(group: NodeGroup, on: str, call: Call) -> tuple[Engine, int]:
    """What computes, and how many of it in a node."""
    if on == "processors":
        engine, number = group.host, 1
    else:
        if not group.devices:
            raise BanzukeError(f"{group.name} has no devices", remedy="Give on=processors")
        engine = max(group.devices, key=lambda each: each.number * (each.bandwidth if each.bandwidth > 0 else 0.0))
        number = int(call.get("devices", engine.number))
        if not 1 <= number <= engine.number:
            raise BanzukeError(f"a node of {group.name} has {engine.number} devices, not {number}")
    if not engine.bandwidth > 0:
        raise BanzukeError(
            f"the description of {group.name} says no memory bandwidth of its {on}",
            remedy='Add it: peaks."memory.bytes" = { value = ..., unit = "B/s" }',
        )
    return engine, number


def elements(engine: Engine, call: Call) -> float:
    memory = engine.memory if engine.memory > 0 else 8e9
    n = float(call.get("n", SHARE * memory / 24))
    if not n >= 1 or (engine.memory > 0 and 24 * n > engine.memory):
        raise BanzukeError(
            f"three arrays of {n:.0f} elements do not fit",
            why=f"{engine.memory / 1e9:.3g} GB are usable",
            remedy=f"Give n up to {engine.memory / 24:.0f}",
        )
    return n


MODEL = StreamModel()
