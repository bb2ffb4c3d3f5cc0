"""Tests of machines as numbers for models."""

from dataclasses import replace
from pathlib import Path

import pytest

from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.catalogue import find
from banzuke.predict.find import predicted_machine
from banzuke.predict.hardware import PredictedMachine
from banzuke.predict.model import forecast
from banzuke.predict.undescribed import UndescribedError
from banzuke.results.store import Store
from banzuke.words.language import words


@pytest.mark.parametrize("name", ["collectives", "fft", "geofem", "hpcg"])
def test_an_unknown_number_of_cores_is_told(name: str) -> None:
    """It is not taken as one."""
    oakleaf = next(machine for machine in published.load() if machine.id == "oakleaf-fx")
    (key, partition), *_ = oakleaf.site.partitions.items()
    processors = [processor.model_copy(update={"cores": None}) for processor in partition.node.processors]
    node = partition.node.model_copy(update={"processors": processors})
    changed = partition.model_copy(update={"node": node})
    described = PredictedMachine("Oakleaf-FX", oakleaf.site, {key: 1})
    assert forecast(find(name), described, {}).estimate.figure > 0
    site = oakleaf.site.model_copy(update={"partitions": {key: changed}})
    with pytest.raises(BanzukeError, match="no number of cores"):
        forecast(find(name), replace(described, site=site), {})


BANDWIDTH = 'node.peaks."memory.bytes" = { value = 100e9, unit = "B/s" }'
FLOPS = 'node.peaks."flops.fp64" = { value = 1e12, unit = "flop/s" }'


def test_a_remedy_that_is_given_word_for_word_mends(tmp_path: Path) -> None:
    """STREAM needs no flop rate."""
    lines: list[str] = []
    for name, lacks, line in (("stream", "no memory bandwidth", BANDWIDTH), ("hpl", "no flop rate", FLOPS)):
        with pytest.raises(BanzukeError, match=lacks) as caught:
            forecast(find(name), predicted_machine("fugaku", Store(tmp_path), ["1"], lines), {})
        assert f"--with '{line}'" in (caught.value.remedy or "")
        lines = [*lines, line]
        if name == "stream":
            machine = predicted_machine("fugaku", Store(tmp_path), ["1"], lines)
            assert forecast(find(name), machine, {}).estimate.figure > 0


def test_what_a_description_lacks_is_said_in_the_language_of_the_report(tmp_path: Path) -> None:
    with pytest.raises(UndescribedError) as caught:
        forecast(find("stream"), predicted_machine("fugaku", Store(tmp_path), ["1"]), {})
    assert words()(caught.value.said) == caught.value.problem
    assert words("ja")(caught.value.said) == "Fugakuの記述にプロセッサのメモリバンド幅がない"


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ('peaks."memory.bytes" = { value = 1e9, unit = "B/s" }', True),
        ("nodes = 5000", True),
        ('node.processors.0.model = "SPARC64, another"', True),
        (BANDWIDTH, False),
        ("network.bisection = 1.0", False),
    ],
)
def test_a_line_that_changes_nothing_is_refused(line: str, *, refused: bool, tmp_path: Path) -> None:
    lines = [line, "node.memory.usable = 1e9"]
    if refused:
        with pytest.raises(BanzukeError, match="changes nothing"):
            predicted_machine("oakleaf-fx", Store(tmp_path), ["4"], lines)
    else:
        again = predicted_machine("oakleaf-fx", Store(tmp_path), ["4"], lines)
        assert again.site.partitions


def test_what_is_described_already_may_be_said_again(tmp_path: Path) -> None:
    machine = predicted_machine("oakleaf-fx", Store(tmp_path))
    cores = machine.site.partitions[next(iter(machine.nodes))].node.processor.cores
    again = predicted_machine("oakleaf-fx", Store(tmp_path), (), [f"node.processors.0.cores = {cores}"])
    assert again.site.partitions == machine.site.partitions


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
    machine = predicted_machine("reedbush-h", Store(tmp_path), ["4"], [f"{key} = 0"])
    with pytest.raises(BanzukeError, match=f"says {key} = 0. Leave it out"):
        forecast(find("hpl"), machine, {})
