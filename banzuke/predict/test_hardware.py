"""Descriptions as numbers."""

from dataclasses import replace

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.catalogue import find
from banzuke.predict.hardware import PredictedMachine
from banzuke.predict.model import forecast


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
