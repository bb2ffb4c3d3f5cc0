"""Tests that the schema, the golden records written by C++, and the model agree."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from banzuke import paths
from banzuke.record import schema
from banzuke.record.model import Record

GOLDEN = sorted((paths.SCHEMA / "golden").glob("*.json"))


def test_the_file_is_what_the_model_says() -> None:
    assert schema.FILE.read_text() == schema.text(), "run `python -m banzuke.record.schema`"


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: str(file.stem))
def test_golden_records_are_valid_for_both(file: Path) -> None:
    record = json.loads(file.read_text())
    jsonschema.Draft202012Validator(json.loads(schema.FILE.read_text())).validate(record)
    read = Record.model_validate(record)
    written = json.loads(read.model_dump_json(exclude_unset=True))
    for moment in ("started", "ended"):
        assert datetime.fromisoformat(written.pop(moment)) == datetime.fromisoformat(record.pop(moment))
    assert written == record


def test_there_are_golden_records_of_all_kinds() -> None:
    today = {"verified", "breakdown", "curve", "series", "failed"}
    to_come = {"fft", "storage", "two-programs", "devices", "power", "energy", "screen"}
    assert {file.stem for file in GOLDEN} == today | to_come


def golden(name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((paths.SCHEMA / "golden" / f"{name}.json").read_text())
    return record


def test_a_record_may_lack_what_it_has_not() -> None:
    old = golden("verified")
    del old["breakdown"]
    assert Record.model_validate(old).breakdown is None


def test_the_walls_of_a_breakdown_are_the_sums_of_its_parts() -> None:
    breakdown = Record.model_validate(golden("breakdown")).breakdown
    assert breakdown is not None
    assert (breakdown.begins, breakdown.walls) == ([0.0, 0.5], [0.25, 0.1875])


@pytest.mark.parametrize(
    "change",
    [
        {"ends": []},
        {"ends": [0.5]},
        {"ends": [0.5, 0.9]},
        {"ends": [1.0, 1.0]},
        {"ends": [0.0, 1.0]},
        {"ends": [0.5, None]},
        {"flops": [1000]},
        {"flops": [1000, -1]},
        {"flops": [1000, float("inf")]},
        {"seconds": {}},
        {"seconds": {"loop": [0.25]}},
        {"seconds": {"loop": [0.25, float("nan")]}},
        {"seconds": {"loop": [0.25, -0.1]}},
        {"unexpected": 1},
    ],
    ids=str,
)
def test_what_is_not_a_breakdown_is_refused(change: dict[str, Any]) -> None:
    record = golden("breakdown")
    with pytest.raises(ValidationError):
        Record.model_validate(record | {"breakdown": record["breakdown"] | change})


def test_a_failure_has_no_breakdown() -> None:
    with pytest.raises(ValidationError, match="with figures"):
        Record.model_validate(golden("failed") | {"breakdown": golden("breakdown")["breakdown"]})


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("curves", {"points": []}),
        ("curves", {"points": [{"at": 8, "metrics": {}}]}),
        ("curves", {"points": 2 * [{"at": 8, "metrics": {"latency": {"unit": "s", "samples": [1e-6]}}}]}),
        ("pairs", {"values": [1e-6]}),
        ("pairs", {"values": [1e-6, 1e-6, -1e-6]}),
        ("pairs", {"values": [1e-6, 1e-6, None]}),
        ("pairs", {"from": [0, 0, -1]}),
        ("pairs", {"ends": [{"host": "h1"}, {"host": "h1", "device": "x"}]}),
    ],
    ids=str,
)
def test_what_is_not_a_curve_or_pairs_is_refused(part: str, value: dict[str, Any]) -> None:
    record = golden("curve")
    name, good = next(iter(record[part].items()))
    with pytest.raises(ValidationError):
        Record.model_validate(record | {part: {name: good | value}})


LINE = {"host": "n1", "rank": 0, "thread": 0, "cpu": 0, "base": 0.0, "values": [1]}


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("series", {"resolution": 0}),
        ("series", {"lines": []}),
        ("series", {"lines": [LINE | {"values": []}]}),
        ("series", {"lines": [LINE | {"values": [-1]}]}),
        ("series", {"lines": [LINE | {"values": [0.5]}]}),
        ("series", {"lines": [LINE | {"base": float("nan")}]}),
        ("series", {"lines": [LINE | {"times": [0.0, 1.0]}]}),
        ("distributions", {"counts": [1]}),
        ("distributions", {"values": [0, 12, 3, 100, 1130]}),
        ("distributions", {"counts": [2, 1, 0, 1, 1]}),
    ],
    ids=str,
)
def test_what_is_not_a_series_or_a_distribution_is_refused(part: str, value: dict[str, Any]) -> None:
    record = golden("series")
    name, good = next(iter(record[part].items()))
    with pytest.raises(ValidationError):
        Record.model_validate(record | {part: {name: good | value}})


@pytest.mark.parametrize(
    ("kind", "part"),
    [("curve", "curves"), ("curve", "pairs"), ("series", "series"), ("series", "distributions")],
)
def test_a_failure_has_no_figures_of_any_kind(kind: str, part: str) -> None:
    with pytest.raises(ValidationError, match="with figures"):
        Record.model_validate(golden("failed") | {part: golden(kind)[part]})


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": 3},
        {"groups": []},
        {"groups": [{"program": "stream-omp", "ranks": 0, "threads": 1}]},
        {"status": "fine"},
        {"unexpected": 1},
        {"started": "yesterday"},
        {"started": "2026-01-02T03:04:05"},
        {"verification": []},
        {"metrics": {}},
        {"metrics": {"triad_bandwidth": {"unit": "B/s", "samples": []}}},
        {"status": "failed"},
        {"status": "failed", "reason": "x"},
    ],
    ids=str,
)
def test_what_is_not_a_record_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Record.model_validate(golden("verified") | change)


def asking(**demand: Any) -> dict[str, Any]:
    asked = [{"resource": "storage.write", "amount": 1.0} | demand]
    return {"write_bandwidth": {"unit": "B/s", "samples": [1.0], "counted": 1.0, "demand": asked}}


def test_what_is_asked_for_is_there() -> None:
    record = golden("storage")
    there = Record.model_validate(record | {"metrics": asking(area="scratch", group=0)})
    assert there.metrics["write_bandwidth"].demanded("storage.write") == 1.0
    with pytest.raises(ValidationError, match=r"asks storage\.write of group 1 of 1"):
        Record.model_validate(record | {"metrics": asking(group=1)})
    with pytest.raises(ValidationError, match=r"asks storage\.write of elsewhere, which is none of its areas"):
        Record.model_validate(record | {"metrics": asking(area="elsewhere")})


def test_ranks_count_on_over_the_groups() -> None:
    record = Record.model_validate(golden("two-programs"))
    assert (record.ranks, record.threads, record.cores) == (6, 2, 12)
    assert record.layout == "2 ranks x 2 threads on 2 devices + 4 ranks x 2 threads"
    assert [(host.name, host.ranks) for host in record.hosts] == [("g1", [0, 1]), ("c1", [2, 3]), ("c2", [4, 5])]
    shared = Record.model_validate_json(json.dumps(golden("two-programs")).replace('"g1"', '"c1"'))
    assert [(host.name, host.ranks) for host in shared.hosts] == [("c1", [0, 1, 2, 3]), ("c2", [4, 5])]
    assert (record.software["library"], record.software["compiler"]) == ("cublas 13", "nvcc 13.0")


def test_ten_thousand_hosts_are_told_in_few_words() -> None:
    record = Record.model_validate(golden("screen"))
    assert (record.nodes, record.ranks) == (10_000, 80_000)
    assert [host.name for host in (record.hosts[0], record.hosts[4999], record.hosts[-1])] == [
        "node00001",
        "node05001",
        "node10001",
    ]
    assert record.hosts[4999].ranks == list(range(8 * 4999, 8 * 5000))


def test_pairs_may_be_of_memories_each_way() -> None:
    pairs = Record.model_validate(golden("devices")).pairs["bandwidth"]
    assert pairs.count == 3
    assert pairs.worst == {(1, 0): 4e10, (2, 1): 3e11}
    assert [end.device for end in pairs.ends] == [None, "GPU-8f2a", "GPU-91c0"]


@pytest.mark.parametrize("version", [1, 3, "2", None])
def test_a_record_of_another_version_is_refused_with_what_to_do(version: object) -> None:
    with pytest.raises(ValidationError) as refused:
        Record.model_validate(golden("verified") | {"schema_version": version, "unexpected": 1})
    (only,) = refused.value.errors()
    refusal = f"a record of schema {version}, and this version of Banzuke reads only schema 2: measure again"
    assert refusal in only["msg"], "that alone, whatever else is odd in it"
