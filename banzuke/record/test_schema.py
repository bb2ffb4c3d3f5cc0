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


def test_there_are_golden_records_of_both_kinds() -> None:
    assert {file.stem for file in GOLDEN} == {"verified", "failed"}


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
    verified = json.loads((paths.SCHEMA / "golden" / "verified.json").read_text())
    with pytest.raises(ValidationError):
        Record.model_validate(verified | change)
