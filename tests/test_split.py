"""One product that groups of processors share, with the installed command: its record says who computed what."""

import json
import os

import pytest

from tests.conftest import Banzuke

ALLOWED = sorted(os.sched_getaffinity(0))
SMALL = ("--set", "m=200", "--set", "n=401", "--set", "k=100", "--set", "repetitions=2")
WAYS = ["equal", "rates", "adaptive"]


def test_groups_compute_one_product(banzuke: Banzuke) -> None:
    if len(ALLOWED) < 2:
        pytest.skip("hardware: one processor")
    groups = f"{ALLOWED[0]}+{ALLOWED[1]}"
    done = banzuke("run", "dgemm", *SMALL, "--groups", groups, "--set", f"split={','.join(WAYS)}", "--json")
    assert done.stdout, done.stderr
    records = json.loads(done.stdout)["records"]
    assert [(record["status"], record["parameters"]["split"]) for record in records] == [("ok", way) for way in WAYS]
    for record in records:
        threads = [binding["threads"] for group in record["groups"] for binding in group["binding"]]
        assert threads == [[f"{ALLOWED[0]}"], [f"{ALLOWED[1]}"]]
        metrics = record["metrics"]
        parts = zip(metrics["group_0_in_product"]["samples"], metrics["group_1_in_product"]["samples"], strict=True)
        assert [sum(part) for part in parts] == pytest.approx(metrics["flop_rate"]["samples"])
        assert metrics["flop_rate"]["limit"] == pytest.approx(metrics["sum_of_parts"]["value"])
    assert records[0]["conditions"]["shares"] == pytest.approx([192 / 401, 209 / 401])
