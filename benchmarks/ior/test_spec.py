"""Tests of IOR's policy on machines and areas of all kinds, and of its table."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke import paths
from banzuke.document import Paragraph
from banzuke.errors import BanzukeError
from banzuke.judge.assess import assess
from banzuke.judge.model import Assessment
from banzuke.judge.siblings import Siblings
from banzuke.launch.check import check
from banzuke.machine.model import Machine
from banzuke.machine.site import Software, StorageArea
from banzuke.plan.benchmark import Layout
from banzuke.plan.cases import plan
from banzuke.plan.catalogue import find
from banzuke.plan.request import Request
from banzuke.record.model import Record
from banzuke.testing import machine, refusal
from banzuke.views.testing import shown, tables, texts
from banzuke.words.language import words
from benchmarks.ior.ior_line import read

from .test_ior_line import IO500_EASY

IOR = find("ior")
SIZE = 1 << 28


def there(cores: int = 4, capacity: int = 1 << 40, hosts: int = 1, free: int = 1 << 20) -> Machine:
    return machine(cores=cores).changed(
        site={"areas": {"scratch": StorageArea(kind="ext4", capacity=capacity)}},
        partition={"software": Software(mpi={"/bin/mpiexec": "MPICH"})},
        allotment={
            "folders": {"scratch": "/scratch/me"},
            "storage_available": {"scratch": free},
            "hosts": [f"n{i}" for i in range(hosts)] if hosts > 1 else [],
        },
    )


def test_clients_with_as_much_each_and_with_as_much_in_all() -> None:
    first, shared, *rest = plan(IOR, there(), Request())
    assert (first.ranks, first.parameters["files"], shared.parameters["files"]) == (4, "per-process", "shared")
    assert [(case.ranks, case.parameters.get("segments", 1)) for case in rest] == [(2, 1), (1, 1), (2, 2), (1, 4)]
    assert len({case.parameters["block"] for case in (first, shared, *rest)}) == 1


def test_all_ranks_of_all_hosts_are_the_headline() -> None:
    first = plan(IOR, there(hosts=4), Request())[0]
    assert (first.nodes, first.ranks) == (4, 16)


@given(
    cores=st.integers(1, 200),
    capacity=st.integers(1 << 20, 1 << 50),
    seconds=st.none() | st.floats(4.0, 3600.0),
)
def test_every_call_is_accepted_and_fits_time_and_space(cores: int, capacity: int, seconds: float | None) -> None:
    here, layout = there(cores, capacity), Layout(cores, 1, seconds)
    call = IOR.defaults(here, layout)
    assert not refusal(IOR, cores, **call)
    assert int(call["block"]) * cores <= max(capacity / 4, cores * (1 << 20))
    assert IOR.seconds(here, layout, call) <= 2 * (seconds or 12.0) + 1.0 + cores * 0.1


def test_what_does_not_fit_now_is_refused_and_not_made_smaller() -> None:
    first, *_ = plan(IOR, there(), Request())
    check(first, there(free=1 << 40))
    with pytest.raises(BanzukeError, match=r"writes \d.* into scratch \(1 MiB are free there\)"):
        check(first, there())


def test_what_hosts_write_into_file_systems_of_their_own_adds_up_on_none() -> None:
    first = plan(IOR, there(hosts=4), Request())[0]
    per_host = int(first.parameters["block"]) * first.ranks // 4
    check(first, there(hosts=4, free=per_host))
    shared = {"areas": {"scratch": StorageArea(kind="nfs4", capacity=1 << 40)}}
    check(first, there(hosts=4, free=4 * per_host).changed(site=shared))
    for here in (there(hosts=4, free=per_host - 1), there(hosts=4, free=4 * per_host - 1).changed(site=shared)):
        with pytest.raises(BanzukeError, match="are free there"):
            check(first, here)


def test_what_a_stonewall_ends_is_not_refused_for_space() -> None:
    """IO500's line asks for 37 TiB here, but writes at most half of the free space."""
    (case,) = plan(IOR, there(), Request(listed=read(IO500_EASY).cases))
    check(case, there(free=1 << 40))


def record(
    files: str, write: float, read: float, *, cached: bool = False, area: str = "scratch", ranks: int = 4
) -> Record:
    data: dict[str, Any] = json.loads((paths.SCHEMA / "golden" / "storage.json").read_text(encoding="utf-8"))
    data["parameters"] = {"area": area, "files": files, "block": SIZE, "transfer": 1 << 20, "segments": 1}
    data["groups"][0] |= {"ranks": ranks, "hosts": [], "binding": []}
    name = "cached_read_bandwidth" if cached else "read_bandwidth"

    def samples(value: float, resource: str) -> dict[str, Any]:
        demand = [{"resource": resource, "amount": 1e9, "area": area}] if resource else []
        return {"unit": "B/s", "samples": [value], "counted": 1e9, "demand": demand}

    data["metrics"] = {
        "write_bandwidth": samples(write, "storage.write"),
        name: samples(read, "" if cached else "storage.read"),
    }
    data["areas"] = {area: {"path": f"/{area}", "type": "ext4"}}
    served, by = ("cache", "pages present") if cached else ("storage", "pages absent")
    data["conditions"] = {"write_to": "storage", "write_evidence": "fsync", "read_from": served, "read_evidence": by}
    return Record.model_validate(data)


def judged(*records: Record) -> list[Assessment]:
    siblings = Siblings(records, there())
    specs = {"ior": IOR}
    return [assess(launch, siblings=siblings, machine=there(), benchmarks=specs, ceilings=()) for launch in records]


def test_the_table_is_that_of_the_flow_report() -> None:
    assessments = judged(
        record("per-process", 2e9, 4e9),
        record("shared", 1e9, 3e9),
        record("per-process", 5e9, 6e9, area="home"),
        record("per-process", 1e9, 9e9, ranks=2, cached=True),
        record("shared", 1e9, 2e9, ranks=2),
    )
    (table,) = tables(shown(IOR, "areas", *assessments))
    assert texts(table) == [
        ["scratch", "1", "4", "256 MiB", "2 GB/s", "4 GB/s", "1 GB/s", "3 GB/s", "0.5", "0.75"],
        ["scratch", "1", "2", "256 MiB", "1 GB/s", "9 GB/s (cache)", "1 GB/s", "2 GB/s", "1", "–"],
        ["home", "1", "4", "256 MiB", "5 GB/s", "6 GB/s", "–", "–", "–", "–"],
    ]


def test_the_verdict_says_what_a_cache_served() -> None:
    (plain, cached) = judged(record("shared", 1e9, 1e9), record("shared", 1e9, 9e9, cached=True))
    assert "cache" not in words().joined(plain.verdict)
    assert "the caches of the hosts served what was read" in words().joined(cached.verdict)


def test_the_knee_is_where_more_clients_add_little() -> None:
    assessments = judged(
        *(record("per-process", rate, rate, ranks=ranks) for ranks, rate in ((1, 1e9), (2, 1.9e9), (4, 2e9)))
    )
    said = [block.text for block in shown(IOR, "areas", *assessments) if isinstance(block, Paragraph)]
    assert said[2:] == [
        f"scratch, {timed}: 2 clients reach 1.9 GB/s, 95% of the best of up to 4." for timed in ("writing", "reading")
    ]
    assert len([block for block in shown(IOR, "areas", assessments[0]) if isinstance(block, Paragraph)]) == 2


def test_the_evidence_stands_under_the_table() -> None:
    assessments = judged(record("shared", 1e9, 1e9), record("shared", 1e9, 9e9, cached=True, area="home"))
    said = [block.text for block in shown(IOR, "areas", *assessments) if isinstance(block, Paragraph)]
    assert said == [
        "scratch, writes: fsync is timed: the clock ran until the storage had the data.",
        "scratch, reads: the pages of the files were shown to be absent from the memory of the hosts that read them.",
        "home, writes: fsync is timed: the clock ran until the storage had the data.",
        "home, reads: pages of the files were in the memory of the hosts: a cache served them.",
    ]


@pytest.mark.parametrize(
    ("cache", "english", "japanese"),
    [
        (
            {"kind": "loop", "device": "loop0", "over": "/x.img"},
            "loop0 without direct I/O over /x.img",
            "ダイレクトI/Oを行わないloop0",
        ),
        (
            {"kind": "own", "device": "nfs4", "over": "::1"},
            "nfs4 from ::1, which is this host",
            "が提供するnfs4",
        ),
        (
            {"kind": "process", "device": "nbd0"},
            "nbd0, which a process of this host may serve",
            "本ホストのプロセスが提供しうるnbd0",
        ),
        (
            {"kind": "zfs", "device": "tank/a"},
            "tank/a of ZFS, which has a cache of its own",
            "独自のキャッシュを持つZFSのtank/a",
        ),
        ("nbd0, as an older record tells it", "nbd0, as an older record tells it", "nbd0, as an older record tells it"),
    ],
)
def test_what_the_program_tells_of_caches_is_said_in_each_language(cache: object, english: str, japanese: str) -> None:
    launch = record("shared", 1e9, 9e9, cached=True)
    seen = launch.model_copy(update={"conditions": {**launch.conditions, "cached_below": [cache]}})
    for language, words_of_it in (("en", f"({english})."), ("ja", japanese)):
        blocks = shown(IOR, "areas", *judged(seen), language=language)
        assert any(words_of_it in block.text for block in blocks if isinstance(block, Paragraph))


def test_what_lies_below_an_area_is_named_once() -> None:
    launch = record("shared", 1e9, 9e9, cached=True)
    below = {"cached_below": [{"kind": "loop", "device": "loop0", "over": "/x.img"}], "read_evidence": "no evidence"}
    seen = launch.model_copy(update={"conditions": {**launch.conditions, **below}})
    said = [block.text for block in shown(IOR, "areas", *judged(seen, seen)) if isinstance(block, Paragraph)]
    assert said[1] == "scratch, reads: nothing shows that no cache served them."
    assert said[2:] == [
        (
            "scratch: a cache of the hosts lies below the file system (loop0 without direct I/O over /x.img), "
            "which read figures cannot tell from the storage."
        )
    ]
