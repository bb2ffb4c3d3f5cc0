"""The schema, the golden records that C++ writes, and the model agree."""

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
    written = json.loads(read.model_dump_json(exclude={"provenance"}))
    for moment in ("started", "ended"):
        assert datetime.fromisoformat(written.pop(moment)) == datetime.fromisoformat(record.pop(moment))
    assert written == record


def test_there_are_golden_records_of_all_kinds() -> None:
    assert {file.stem for file in GOLDEN} == {"verified", "breakdown", "curve", "series", "failed"}


def golden(name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((paths.SCHEMA / "golden" / f"{name}.json").read_text())
    return record


def test_records_from_before_the_breakdown_are_read() -> None:
    old = golden("verified")
    del old["breakdown"]
    assert Record.model_validate(old).breakdown is None


def test_the_walls_of_a_breakdown_are_the_sums_of_its_parts() -> None:
    found = Record.model_validate(golden("breakdown")).breakdown
    assert found is not None
    assert (found.begins, found.walls) == ([0.0, 0.5], [0.25, 0.1875])


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
        ("curve", {"points": []}),
        ("curve", {"points": [{"at": 8, "metrics": {}}]}),
        ("curve", {"points": 2 * [{"at": 8, "metrics": {"latency": {"unit": "s", "samples": [1e-6]}}}]}),
        ("matrices", {"latency": {"unit": "s", "values": [[1e-6]]}}),
        ("matrices", {"latency": {"unit": "s", "values": [[], [-1e-6]]}}),
        ("matrices", {"latency": {"unit": "s", "values": [[], [None]]}}),
    ],
    ids=str,
)
def test_what_is_not_a_curve_or_a_matrix_is_refused(part: str, value: dict[str, Any]) -> None:
    record = golden("curve")
    with pytest.raises(ValidationError):
        Record.model_validate(record | {part: record[part] | value})


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
    [("curve", "curve"), ("curve", "matrices"), ("series", "series"), ("series", "distributions")],
)
def test_a_failure_has_no_figures_of_any_kind(kind: str, part: str) -> None:
    with pytest.raises(ValidationError, match="with figures"):
        Record.model_validate(golden("failed") | {part: golden(kind)[part]})


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": 2},
        {"status": "fine"},
        {"unexpected": 1},
        {"ranks": 0},
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
