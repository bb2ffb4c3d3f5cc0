"""STREAM's figure on a machine that is only described: what the memory sustains, on every node alike."""

from collections.abc import Mapping

from banzuke.machine.published import PublishedFigure
from banzuke.predict.constants import Constant
from banzuke.predict.hardware import Engine, Hardware
from banzuke.predict.model import Call, Estimate

COUNTED = {"copy": 16, "scale": 16, "add": 24, "triad": 24}
"""Bytes of an element by the definition."""
ROUNDS = 10


class StreamModel:
    metric = "triad_bandwidth"
    constants: Mapping[str, Constant] = {}
    settings: Mapping[str, str] = {"n": "elements of an array on each node", "on": "processors or devices"}

    def estimate(self, of: Hardware, call: Call) -> Estimate:
        (group,) = of.groups
        engine: Engine = group.devices[0] if call.get("on") == "devices" and group.devices else group.host
        rate = engine.number * engine.bandwidth
        n = int(call.get("n", engine.memory / 16 / 8))  # far past any cache
        seconds = ROUNDS * sum(COUNTED.values()) * n / rate
        return Estimate(
            of.nodes * rate,
            seconds,
            {"loops": seconds},
            {"memory.bytes": seconds},
            {"n": n, "on": call.get("on", "processors")},
        )

    def published(self, figure: PublishedFigure) -> Call | str:
        if figure.nodes != 1:
            return "not of one node"
        return {}


MODEL = StreamModel()
