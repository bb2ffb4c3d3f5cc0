"""Tests of mdtest's policy on machines and areas of all kinds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.machine.model import Machine
from banzuke.machine.site import Software, StorageArea
from banzuke.plan.benchmark import Layout
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.request import Request
from banzuke.testing import machine, refusal

MDTEST = find("mdtest")


def there(cores: int = 4, kind: str = "ext4", hosts: int = 1) -> Machine:
    return machine(cores=cores).changed(
        site={"areas": {"scratch": StorageArea(kind=kind)}},
        partition={"software": Software(mpi={"/bin/mpiexec": "MPICH"})},
        allotment={
            "folders": {"scratch": "/scratch/me"},
            "storage_available": {"scratch": 1 << 40},
            "hosts": [f"n{i}" for i in range(hosts)] if hosts > 1 else [],
        },
    )


def test_all_clients_first_then_fewer_with_as_many_items_each() -> None:
    cases = plan(MDTEST, there(cores=6), Request())
    assert [(case.ranks, case.parameters["directories"]) for case in cases] == [
        (6, "private"),
        (6, "shared"),
        (4, "private"),
        (2, "private"),
        (1, "private"),
    ]
    assert len({case.parameters["items"] for case in cases}) == 1
    assert {case.places["folder"] for case in cases} == {"/scratch/me"}


def test_several_hosts_are_the_headline() -> None:
    first = plan(MDTEST, there(hosts=4), Request())[0]
    assert (first.nodes, first.ranks) == (4, 16)


@given(
    cores=st.integers(1, 200),
    seconds=st.none() | st.floats(1.0, 600.0),
    kind=st.sampled_from(["ext4", "lustre", "nfs4"]),
)
def test_every_call_is_accepted_and_takes_about_as_long_as_asked(cores: int, seconds: float | None, kind: str) -> None:
    here = there(cores, kind)
    layout = Layout(cores, 1, seconds)
    call = MDTEST.defaults(here, layout)
    assert not refusal(MDTEST, cores, **call)
    assert MDTEST.seconds(here, layout, call) <= 4 * (seconds or 6.0) + 2.0


@pytest.mark.parametrize(("items", "rounded"), [(7.9, 7), (19.0, 10), (5432.1, 5000)])
def test_items_are_round(items: float, rounded: int) -> None:
    seconds = items * 30 / 20e3
    assert MDTEST.defaults(there(cores=1), Layout(1, 1, seconds))["items"] == max(10, rounded)
