"""Runs that are moved apart keep all but their times."""

import json
from pathlib import Path

from scripts.space_runs import in_turn, space

RECORD = {"benchmark": "stream", "started": "2026-01-01T00:00:10+00:00", "ended": "2026-01-01T00:00:20+00:00"}


def test_each_run_begins_three_hours_after_the_one_before(tmp_path: Path) -> None:
    for name in ("20260101T000000-aaaa", "20260101T000100-bbbb"):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        (folder / "plan.json").write_text(json.dumps({"started": "2026-01-01T00:00:00+00:00", "cases": []}))
        (folder / "machine.json").write_text("{}")
        record = RECORD | {"conditions": {"timed_parts": [[1, 2]], "clock_hz": 3e9}}
        (folder / "records-n-1.jsonl").write_text(f"{json.dumps(record)}\n" * 2)
    first, second = space(tmp_path / "results", tmp_path / "spaced")
    assert (first, second) == ("20260101T000000-aaaa", "20260101T000100-bbbb")
    moved = [json.loads(line) for line in (tmp_path / "spaced" / second / "records-n-1.jsonl").read_text().splitlines()]
    later = {"started": "2026-01-01T03:00:10+00:00", "ended": "2026-01-01T03:00:20+00:00"}
    assert moved == [RECORD | later | {"conditions": {"clock_hz": 3e9}}] * 2
    plan = json.loads((tmp_path / "spaced" / second / "plan.json").read_text())
    assert plan == {"started": "2026-01-01T03:00:00+00:00", "cases": []}


def test_sides_alternate() -> None:
    assert list(in_turn("abcdefgh")) == [("a,c,e", "b,d,f")]
