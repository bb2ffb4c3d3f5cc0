"""Tests of storage that two hosts share: GlusterFS and MooseFS, between namespaces that represent hosts."""

import errno
import os
from typing import Any

import pytest

from tests.conftest import Result
from tests.file_systems import Place, Shared
from tests.storage import MDTEST, MPIEXEC, POSIX, PROGRAMS, Program, carried_out, entries, reason, record_of

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)


@pytest.fixture(params=["gluster", "moosefs"])
def shared(request: pytest.FixtureRequest) -> Shared:
    made: Shared = request.getfixturevalue(request.param)
    return made


def on_both(shared: Shared, program: Program, ranks_of_a_host: int = 1, **changed: Any) -> Result:
    """Start the program on the first host, for ranks on both."""
    first = shared.of(shared.hosts.names[0])
    ranks = ranks_of_a_host * len(shared.hosts.names)
    launch = [MPIEXEC, "-n", str(ranks), "-ppn", str(ranks_of_a_host), "-hosts", ",".join(shared.hosts.names)]
    return carried_out(first.on(*launch, *program.words(Place(first.folder), **changed)), **shared.hosts.variables)


@each_program
@pytest.mark.parametrize(
    ("shared", "ranks_of_a_host"),
    [
        ("gluster", 1),
        ("moosefs", 2),
        pytest.param("gluster", 2, marks=pytest.mark.thorough),
        pytest.param("moosefs", 1, marks=pytest.mark.thorough),
    ],
    indirect=["shared"],
)
def test_each_host_meets_what_the_other_made(program: Program, ranks_of_a_host: int, shared: Shared) -> None:
    record = record_of(on_both(shared, program, ranks_of_a_host))
    assert (record["status"], record["reason"]) == ("ok", None)
    assert [hosts["names"] for hosts in record["groups"][0]["hosts"]] == ["h[1-2]"]
    assert record["conditions"]["mounts"] == 2
    assert record["conditions"]["rank_shift"] == ranks_of_a_host
    assert not entries(shared.of("h1").seen)


def test_items_that_another_host_made_are_told_from_cached_ones(shared: Shared) -> None:
    apart = record_of(on_both(shared, MDTEST))["metrics"]
    assert {"file_stat_rate", "cached_file_stat_rate", "directory_stat_rate"} <= set(apart)
    alone = record_of(carried_out(MDTEST.words(shared.of("h1"))))["metrics"]
    assert not {"file_stat_rate", "file_read_rate", "directory_stat_rate"} & set(alone)


@pytest.mark.parametrize("files", ["per-process", "shared"])
def test_what_another_client_wrote_is_read_from_the_storage(files: str, shared: Shared) -> None:
    record = record_of(on_both(shared, POSIX, 2, files=files))
    assert set(record["metrics"]) == {"write_bandwidth", "read_bandwidth"}
    conditions = record["conditions"]
    assert conditions["read_by_other_mounts"] is True
    assert (conditions["read_from"], conditions["read_evidence"]) == ("storage", "pages absent")
    # Neighbours read from each other, even on the same host.
    record = record_of(on_both(shared, POSIX, 2, files=files, shift=1))
    assert record["conditions"]["read_by_other_mounts"] is False
    assert record["conditions"]["read_from"] == "cache"


@each_program
def test_a_quota(program: Program, moosefs: Shared) -> None:
    place = moosefs.of("h1").below(f"quota-{program.name}")
    assert carried_out(place.on("mkdir", place.folder)).returncode == 0
    assert carried_out(place.on("mfssetquota", "-L", "10M", place.folder)).returncode == 0
    words = reason(carried_out(program.words(place, **program.large)))
    assert os.strerror(errno.EDQUOT) in words
    assert not entries(place.seen)
