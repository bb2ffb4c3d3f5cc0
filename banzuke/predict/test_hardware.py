"""Descriptions as numbers."""

from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.catalogue import find
from banzuke.predict.find import predicted_machine
from banzuke.predict.hardware import PredictedMachine
from banzuke.predict.model import forecast
from banzuke.record.store import Store


@pytest.mark.parametrize("name", ["collectives", "fft", "geofem", "hpcg"])
def test_an_unknown_number_of_cores_is_told(name: str) -> None:
    """And not taken for one."""
    oakleaf = next(each for each in published.load() if each.id == "oakleaf-fx")
    (key, partition), *_ = oakleaf.site.partitions.items()
    processors = [each.model_copy(update={"cores": None}) for each in partition.node.processors]
    node = partition.node.model_copy(update={"processors": processors})
    changed = partition.model_copy(update={"node": node})
    of = PredictedMachine("Oakleaf-FX", oakleaf.site, {key: 1})
    assert forecast(find(name), of, {}).estimate.figure > 0
    site = oakleaf.site.model_copy(update={"partitions": {key: changed}})
    with pytest.raises(BanzukeError, match="no number of cores"):
        forecast(find(name), replace(of, site=site), {})


@pytest.mark.parametrize(
    "key",
    [
        "node.memory.total",
        "node.memory.usable",
        "network.bandwidth",
        "network.latency",
        "network.bisection",
        "node.devices.0.memory",
        "node.devices.0.host_bandwidth",
        "node.devices.0.peer_bandwidth",
    ],
)
def test_zero_is_not_taken_for_unknown(key: str, tmp_path: Path) -> None:
    of = predicted_machine("reedbush-h", Store(tmp_path), ["4"], [f"{key} = 0"])
    with pytest.raises(BanzukeError, match=f"says {key} = 0. Leave it out"):
        forecast(find("hpl"), of, {})
