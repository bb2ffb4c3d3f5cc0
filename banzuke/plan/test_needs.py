"""Rates of caches stand for those of the memory where they are known, and are never measured for it."""

from dataclasses import replace

from banzuke.plan.benchmark import Benchmark
from banzuke.plan.catalogue import find
from banzuke.plan.needs import also_known, needed, short_case
from banzuke.plan.resource import Resource, Resources
from banzuke.testing import machine

BASE = find("noise")
MEMORY = Resource("memory.bytes", "B/s", "memory bandwidth", "host")
CACHE = Resource("memory.l1.bytes", "B/s", "bandwidth of L1", "core", cache=1, instead_of="memory.bytes")
OTHER = Resource("memory.others", "load/s", "rate of others", "host")


def named(name: str, *measures: Resource, needs: tuple[str, ...] = ()) -> Benchmark:
    return replace(BASE, name=name, resources=Resources(measures, needs))


EVERY = {
    benchmark.name: benchmark
    for benchmark in (
        named("streams", MEMORY),
        named("caches", CACHE, OTHER, needs=("memory.bytes",)),
        named("solver", needs=("memory.bytes",)),
        named("other"),
    )
}


def test_caches_are_looked_up_with_all_that_their_benchmark_measures() -> None:
    assert also_known([EVERY["solver"]], EVERY) == {
        "memory.l1.bytes": (CACHE, "caches"),
        "memory.others": (OTHER, "caches"),
    }
    assert set(needed([EVERY["solver"]], EVERY)) == {"memory.bytes"}


def test_nothing_is_looked_up_without_a_need_or_where_it_is_measured() -> None:
    assert also_known([EVERY["other"]], EVERY) == {}
    assert also_known([EVERY["solver"], EVERY["caches"]], EVERY) == {}


def test_a_resource_that_the_headline_does_not_measure_has_a_short_case_of_its_own() -> None:
    """Random loads bound `banzuke run gups`; the headline of memory is of loads in order."""
    memory = replace(find("memory"), devices=None)
    headline = short_case(memory, machine())
    gather = short_case(memory, machine(), ["memory.gathers"])
    other = short_case(memory, machine(), ["memory.others"])
    assert headline is not None
    assert gather is not None
    assert (headline.parameters["test"], gather.parameters["test"]) == ("bandwidth", "gather")
    assert gather.threads == headline.threads
    assert other == headline
    assert set(needed([find("gups")], {name: find(name) for name in ("gups", "memory", "stream")})) == {
        "memory.bytes",
        "memory.gathers",
    }
