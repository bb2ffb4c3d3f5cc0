"""A machine that was found in a job, as a partition of a described site."""

import os
from pathlib import Path

import pytest

from banzuke import paths
from banzuke.errors import BanzukeError
from banzuke.machine import probe
from banzuke.machine.areas import with_areas, with_described
from banzuke.machine.conftest import Plant
from banzuke.machine.described import Place, _alike, placed
from banzuke.machine.discover import discover, measured
from banzuke.machine.model import Machine
from banzuke.machine.published import read
from banzuke.machine.site import Source
from banzuke.machine.test_discover import xeon
from banzuke.testing import machine

SITE = """
name = "Sea"
sources."partitions.cpu.node.memory" = {{ how = "printed", where = "manual" }}

[[links]]
between = ["cpu", "scratch"]
bits_per_second = 100e9

[partitions.cpu]
title = "Nodes without accelerators"
nodes = 500
hosts = ["c[001-500]"]
launcher = "srun"
power_sensor = "ipmi"
mounts = ["scratch"]
batch = {{ system = "slurm", queue = "normal", account = "x", longest = 86400 }}

[partitions.cpu.node]
memory = {{ peak_bandwidth = 400e9, kind = "DDR4", usable = 8000000000 }}
peaks."flops.fp64" = {{ value = 5e12, unit = "flop/s" }}
[[partitions.cpu.node.processors]]
model = "Intel Xeon Gold 6330 (Ice Lake)"
cores = {cores}
vector_bits = 128

[partitions.gpu]
name = "Sea GPU"
hosts = ["g[01-20]"]

[areas.scratch]
title = "Lustre"
mount = "{mount}"
bandwidth = 40e9
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path)


def written(folder: Path, cores: int = 4) -> Path:
    path = folder / "sea.toml"
    path.write_text(SITE.format(cores=cores, mount=folder))
    return path


def found(plant: Plant) -> Machine:
    return discover(root=plant(xeon()).root)


@pytest.mark.skipif(os.geteuid() != 0, reason="hardware: only root is root")
def test_root_takes_no_launcher_from_what_others_can_write(tmp_path: Path) -> None:
    site = tmp_path / "site.toml"
    site.write_text('name = "x"\n[partitions.cpu]\n')
    assert Place.find(site, None).key == "cpu"
    site.chmod(0o666)
    with pytest.raises(BanzukeError, match=r"root takes no launcher .*can be written by everybody"):
        Place.find(site, None)


def test_what_was_found_goes_before_what_is_described(plant: Plant, file: Path) -> None:
    before = found(plant)
    machine, doubts = placed(before, Place.find(file, "cpu"))
    assert doubts == []
    assert (machine.name, machine.allotment.partition) == ("Sea cpu", "cpu")
    assert (machine.partition.nodes, machine.partition.hosts, machine.partition.launcher) == (
        500,
        ["c[001-500]"],
        "srun",
    )
    assert machine.partition.batch
    assert machine.partition.batch.queue == "normal"
    assert (machine.node.processor.model, machine.node.processor.vector_bits) == (before.node.processor.model, 512)
    assert machine.node.memory.total == 8 << 30
    assert machine.node.memory.peak_bandwidth == 400e9
    assert machine.site.partitions["gpu"].name == "Sea GPU"
    assert machine.fingerprint == before.fingerprint, "comparable with runs without the file"
    assert Machine.model_validate_json(machine.model_dump_json()) == machine


def test_a_queue_of_unlike_nodes_is_no_partition(file: Path) -> None:
    file.write_text(
        file.read_text().replace("[partitions.gpu]", '[partitions.gpu]\nbatch = {system = "slurm", queue = "normal"}')
    )
    with pytest.raises(BanzukeError, match="describes the queue 'normal' as cpu and gpu"):
        Place.find(file, "normal")


def test_sources_say_what_was_found_and_what_is_described(plant: Plant, file: Path) -> None:
    site = placed(found(plant), Place.find(file, "cpu"))[0].site
    assert site.source("partitions.cpu.node.processors.0.model") == Source(how="read", where="/proc/cpuinfo")
    assert site.source("partitions.cpu.kernel") == Source(how="read", where="the running system")
    assert site.source("partitions.cpu.node.memory.total") == Source(how="read", where="/proc/meminfo and SMBIOS")
    assert site.source("partitions.cpu.node.memory.kind") == Source(how="printed", where="manual")
    assert site.source("partitions.cpu.launcher") == Source(how="assumed", where=str(file))


def test_described_peaks_hold_where_none_follows_from_what_was_found(plant: Plant, file: Path) -> None:
    text = file.read_text()
    of_modules = measured(placed(found(plant), Place.find(file, "cpu"))[0]).node.peaks
    assert (of_modules["memory.bytes"].value, of_modules["flops.fp64"].value) == (400e9, 5e12)
    whole = 'peaks."memory.bytes" = { value = 300e9, unit = "B/s" }'
    file.write_text(
        text.replace("peak_bandwidth = 400e9, ", "").replace("[partitions.cpu.node]", f"[partitions.cpu.node]\n{whole}")
    )
    machine = placed(found(plant), Place.find(file, "cpu"))[0]
    assert machine.node.peaks["memory.bytes"].value == 300e9
    assert measured(machine).node.peaks["memory.bytes"].value == 300e9


def test_what_is_measured_is_that_of_the_partition(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = probe.Clock(
        simd="AVX2",
        vector_bits=256,
        fma_per_cycle=2,
        cpus=[],
        scalar_hz=2e9,
        single_vector_hz=2e9,
        vector_hz=2e9,
        fma_rate=1e9,
    )
    monkeypatch.setattr(probe, "clock", lambda _: clock)
    machine = measured(placed(discover(measure=False), Place.find(file, "gpu"))[0])
    assert machine.node.processor.simd == "AVX2"
    source = machine.site.source("partitions.gpu.node.processors.0.simd")
    assert source
    assert source.how == "measured"
    assert not [path for path in machine.site.sources if path.startswith("partitions.nodes")]


def test_contradictions_are_told_and_nothing_of_such_a_part_is_taken(plant: Plant, tmp_path: Path) -> None:
    file = written(tmp_path, cores=96)
    text = file.read_text().replace("6330", "6430").replace('kind = "DDR4"', 'kind = "DDR4", total = 99000000000')
    file.write_text(text.replace("cores = 96", "cores = 96\nassistant_cores = '2'\narchitecture = 'aarch64'"))
    machine, doubts = placed(found(plant), Place.find(file, "cpu"))
    assert [doubt.partition(":")[0] for doubt in doubts] == [
        "the processors",
        "the architecture",
        "the cores of a node",
        "the memory of a node",
    ]
    assert "96 as described, 4 found" in doubts[2]
    assert machine.node.processor.assistant_cores is None
    assert machine.node.memory.kind is None
    assert machine.partition.flags == doubts


def test_an_area_at_a_found_mount_is_that_area(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("USER", raising=False)
    here = discover(measure=False)
    mount = next(iter(here.site.areas))
    file.write_text(file.read_text().replace(f'mount = "{file.parent}"', f'mount = "{mount}"'))
    machine, _ = placed(here, Place.find(file, "cpu"))
    area = machine.site.areas["scratch"]
    assert (area.title, area.capacity) == ("Lustre", here.site.areas[mount].capacity)
    assert mount not in machine.site.areas
    assert machine.partition.mounts[0] == "scratch"
    assert machine.allotment.storage_available["scratch"] == here.allotment.storage_available[mount]


def test_the_described_areas_of_the_partition_are_measured(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("USER", raising=False)
    here = discover(measure=False)
    chosen = with_described(placed(here, Place.find(file, "cpu"))[0])
    assert chosen
    assert chosen.allotment.folders == {"scratch": str(file.parent)}
    assert chosen.site.areas["scratch"].bandwidth == 40e9
    assert len(chosen.site.links) == 1
    assert with_areas(chosen, [f"{file}:scratch"]).site.links == chosen.site.links
    assert with_described(placed(here, Place.find(file, "gpu"))[0]) is None
    assert with_described(here) is None


def test_without_a_name_the_partition_is_the_one_of_this_host(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "g07.sea.example")
    assert Place.find(file, None).key == "gpu"
    assert Place.find(file, "Sea GPU").key == "gpu"
    monkeypatch.setattr("socket.gethostname", lambda: "login")
    with pytest.raises(BanzukeError, match=r"several partitions \(login is among the hosts of none\).*cpu, gpu"):
        Place.find(file, None)
    with pytest.raises(BanzukeError, match=r"no partition 'gpus'. Did you mean 'gpu'"):
        Place.find(file, "gpus")


@pytest.mark.parametrize("name", ["a;rm -rf /", "$(x)", "n1 n2", "n[1-99999999]", "@all", "`x`"])
def test_hosts_that_a_shell_would_take_for_more_are_refused(name: str, file: Path) -> None:
    file.write_text(file.read_text().replace("g[01-20]", name))
    with pytest.raises(BanzukeError, match=r"partitions.gpu.hosts: .* is not a list of hosts"):
        Place.find(file, "gpu")


@pytest.mark.parametrize(
    ("seen", "said", "same"),
    [
        ("Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz", "Intel Xeon Gold 6230 (Cascade Lake)", True),
        ("AMD EPYC 7742 64-Core Processor", "EPYC 7742", True),
        ("Fujitsu A64FX (Armv8.2-A + SVE)", "A64FX", True),
        ("NVIDIA A100-SXM4-80GB", "NVIDIA A100", True),
        ("Neoverse", "Intel Xeon", True),
        ("Intel Xeon E5-2690 v3", "Intel Xeon E5-2690 v4", False),
        ("NVIDIA A100-SXM4-80GB", "NVIDIA H100", False),
    ],
)
def test_models_are_compared_by_their_numbers(seen: str, said: str, *, same: bool) -> None:
    assert _alike(seen, said) is _alike(said, seen) is same


@pytest.mark.parametrize("file", sorted(paths.MACHINES.glob("*.toml")), ids=lambda file: file.stem)
def test_a_machine_takes_its_place_in_any_published_site(file: Path) -> None:
    here = machine(memory=24 << 30)
    for key, said in read(file).partitions.items():
        taken, doubts = placed(here, Place.find(file, key))
        assert taken.node.processor.model == "Example"
        assert taken.partition.flags == [*said.flags, *doubts]
        assert Machine.model_validate_json(taken.model_dump_json()) == taken
