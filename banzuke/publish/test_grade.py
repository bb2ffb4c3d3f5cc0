"""Tests of the reproducibility grade: each rule can be missed alone, and the points follow."""

from typing import Any

import pytest

from banzuke.plan.catalogue import benchmarks
from banzuke.publish.grade import LETTERS, RULES, grade
from banzuke.publish.summary import evaluation, headline_cases
from banzuke.publish.test_make import document
from banzuke.record.model import Record
from banzuke.testing import machine


def launch(**changes: Any) -> dict[str, Any]:
    """Return a launch that meets every rule."""
    record = document()
    record["conditions"] |= {"other_busy_fraction": 0.0, "steal_fraction": 0.0, "clock_hz": 3e9}
    record["provenance"] |= {"commit": "9d6665f69fe2"}
    for group in record["groups"]:
        group["software"] |= {"compiler": "GNU 12.2.0", "flags": "-O3", "mpi": "MPICH 5.0", "blas": "none"}
        for binding in group["binding"]:
            binding["threads"] = [str(at) for at in range(len(binding["threads"]))]
    return record | changes


def graded(*launches: dict[str, Any]) -> dict[str, bool]:
    records = []
    for number, record in enumerate(launches):
        own = record["provenance"] | {"id": str(number), "repetition": number}
        records.append(Record.model_validate(record | {"provenance": own}))
    cases = headline_cases(evaluation(records, machine(), (), benchmarks()))
    return {rule.rule.code: not rule.missing for rule in grade(cases).rules}


def test_five_whole_launches_meet_every_rule_but_the_limit_which_nothing_measured() -> None:
    met = graded(*(launch() for _ in range(5)))
    assert {code for code, yes in met.items() if not yes} <= {"limits"}


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("commit", lambda record: record["provenance"].update(commit="9d6665f69fe2+")),
        ("commit", lambda record: record["provenance"].update(commit=None)),
        ("compiler", lambda record: record["groups"][0]["software"].pop("flags")),
        ("libraries", lambda record: record["groups"][0]["software"].update(blas="BLAS")),
        ("undisturbed", lambda record: record["conditions"].update(other_busy_fraction=0.5)),
        ("undisturbed", lambda record: record["conditions"].pop("other_busy_fraction")),
        ("binding", lambda record: record["groups"][0]["binding"][0].update(threads=["0-3"])),
        ("binding", lambda record: record["groups"][0].update(binding=[])),
        ("state", lambda record: record["conditions"].pop("clock_hz")),
    ],
)
def test_each_rule_can_be_missed_alone(code: str, change: Any) -> None:
    changed = launch()
    change(changed)
    whole, broken = graded(*(launch() for _ in range(5))), graded(changed, *(launch() for _ in range(4)))
    assert {name for name in whole if whole[name] != broken[name]} == {code}


def test_four_launches_are_too_few() -> None:
    assert graded(*(launch() for _ in range(4)))["launches"] is False


def test_a_failed_launch_is_not_reproduced() -> None:
    failed = document("failed")
    failed["parameters"] = launch()["parameters"]
    met = graded(*(launch() for _ in range(5)), launch() | {key: failed[key] for key in _OUTCOME if key in failed})
    assert met["checks"] is False


_OUTCOME = ("status", "reason", "metrics", "verification", "breakdown", "curves", "pairs", "series", "distributions")


def test_the_points_add_up() -> None:
    assert sum(rule.points for rule in RULES) == 100
    assert list(LETTERS.values()) == sorted(LETTERS.values(), reverse=True)
    assert grade({}).letter == "D"
