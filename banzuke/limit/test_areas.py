"""What bounds a storage area: its own rate, the hosts' links to it, and the best that was measured."""

import json
from typing import Any

import pytest

from banzuke import paths
from banzuke.judge.assess import assess
from banzuke.judge.model import Assessment, Figure
from banzuke.judge.siblings import Siblings
from banzuke.limit.areas import area_peaks
from banzuke.limit.ceilings import ceilings
from banzuke.machine.model import Machine
from banzuke.machine.site import Interface, Link, StorageArea
from banzuke.plan.benchmark import Benchmark, Metric
from banzuke.plan.resource import Resource, Resources
from banzuke.record.model import Record
from banzuke.testing import machine
from banzuke.words.language import words

GIGA = 1e9
WRITE = Resource("storage.write", "B/s", "write bandwidth", scope="area")
SPECS = {
    "ior": Benchmark(
        name="ior",
        title="IOR",
        metrics=(
            Metric("write_bandwidth", "B/s", "higher", "Write", headline=True),
            Metric("cached_write_bandwidth", "B/s", "higher", "Write to cache"),
        ),
        resources=Resources((WRITE,)),
    )
}


def with_area(*, kind: str = "ext4", bandwidth: float | None = None, link: float | None = None) -> Machine:
    areas = {"scratch": StorageArea(kind=kind, bandwidth=bandwidth), "home": StorageArea()}
    links = [Link(between=["nodes", "scratch"], bits_per_second=link * 8)] if link else []
    card = Interface(name="ib0", kind="infiniband", bits_per_second=8 * GIGA)
    return machine().changed(site={"areas": areas, "links": links}, node={"interfaces": [card]})


def written(rate: float, *, cached: bool = False, area: str = "scratch", hosts: int = 1) -> Record:
    data: dict[str, Any] = json.loads((paths.SCHEMA / "golden" / "storage.json").read_text(encoding="utf-8"))
    demand = [] if cached else [{"resource": "storage.write", "amount": GIGA, "area": area}]
    name = "cached_write_bandwidth" if cached else "write_bandwidth"
    data["metrics"] = {name: {"unit": "B/s", "samples": [rate], "counted": GIGA, "demand": demand}}
    data["areas"] = {area: {"path": f"/{area}", "type": "lustre"}}
    data["groups"][0] |= {
        "ranks": hosts,
        "hosts": [{"names": f"h[1-{hosts}]" if hosts > 1 else "h1", "ranks": f"0-{hosts - 1}" if hosts > 1 else "0"}],
        "binding": [],
    }
    return Record.model_validate(data)


def judged(record: Record, *others: Record, on: Machine) -> Assessment:
    every = [record, *others]
    bounds = ceilings(every, on, SPECS)
    return assess(record, siblings=Siblings(every, on), machine=on, benchmarks=SPECS, ceilings=bounds)


def figure(record: Record, *others: Record, on: Machine) -> Figure:
    return judged(record, *others, on=on).figures[0]


def test_an_area_is_bounded_by_the_best_that_was_measured_of_it() -> None:
    here = with_area()
    slow, fast, elsewhere = written(1 * GIGA), written(2 * GIGA), written(9 * GIGA, area="home")
    assert figure(slow, fast, elsewhere, on=here).fraction_of_limit == pytest.approx(0.5)
    assert figure(slow, fast, elsewhere, on=here).own_ceiling
    assert figure(slow, fast, elsewhere, on=here).peak is None


def test_what_a_cache_took_is_no_rate_of_the_area() -> None:
    here = with_area()
    slow, cache = written(1 * GIGA), written(50 * GIGA, cached=True)
    assert figure(slow, cache, on=here).fraction_of_limit == pytest.approx(1.0)
    assert figure(cache, slow, on=here).fraction_of_limit is None


def test_the_smaller_of_links_and_area_holds() -> None:
    """The link is a card of 1 GB/s in each host, or as the site describes it."""
    remote = with_area(kind="lustre", bandwidth=3 * GIGA)
    assert figure(written(0.5 * GIGA), on=remote).peak == pytest.approx(1 * GIGA)
    assert figure(written(0.5 * GIGA, hosts=2), on=remote).peak == pytest.approx(2 * GIGA)
    assert figure(written(0.5 * GIGA, hosts=4), on=remote).peak == pytest.approx(3 * GIGA)
    assert figure(written(0.5 * GIGA), on=with_area(kind="lustre", link=2 * GIGA)).peak == pytest.approx(2 * GIGA)
    assert figure(written(0.5 * GIGA), on=with_area(bandwidth=3 * GIGA)).peak == pytest.approx(3 * GIGA)


def test_a_rate_that_cannot_be_is_told_and_sets_no_ceiling() -> None:
    """For example the 139 GB/s of Oakleaf-FX's local file system with a peak of 131 GB/s."""
    here = with_area(bandwidth=131 * GIGA)
    cannot, can = written(139 * GIGA), written(100 * GIGA)
    (warning,) = judged(cannot, can, on=here).warnings
    assert warning.code == "limit-beyond-area"
    assert "139 GB/s is 106% of what the storage area" in words()(warning)
    assert figure(can, cannot, on=here).limit == pytest.approx(100 * GIGA)
    assert not judged(can, cannot, on=here).warnings


def test_a_local_disk_has_no_link() -> None:
    assert not list(area_peaks(WRITE, with_area(kind="ext4"), None))
    assert [peak.value for peak in area_peaks(WRITE, with_area(kind="fuse.glusterfs"), None)] == [1 * GIGA]
