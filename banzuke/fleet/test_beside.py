"""What else used a node's processors, from the lines of the shell that started the program there."""

import subprocess

import pytest

from banzuke.fleet.beside import ProcessorTimes, counting

BEFORE, AFTER = "cpu  1000 0 100 5000 0 0 0 10 0 0", "cpu  1300 0 150 5140 0 0 0 60 20 0"
"""3.5 s of 5.4 s were used, and half a second was stolen."""
SOON = BEFORE.replace("5000", "5090")


def counted(*lines: str) -> ProcessorTimes:
    seen = ProcessorTimes()
    for line in lines:
        seen.take(line)
    return seen


@pytest.mark.parametrize("times", [("0m0.00s 0m0.01s", "0m1.000s 0m0.09s"), ("0m0,000s 0m0,1s", "0m1s 0m0.000000s")])
def test_what_the_program_did_not_use_others_had(times: tuple[str, str]) -> None:
    seen = counted(BEFORE, '{"status": "ok", "a": "1m2s"}', AFTER, *times).conditions
    assert seen == pytest.approx({"other_busy_fraction": 2.4 / 5.4, "steal_fraction": 0.5 / 5.4})


@pytest.mark.parametrize(
    "lines",
    [
        (BEFORE,),
        (BEFORE, AFTER, AFTER),
        (BEFORE, SOON),
        ("cpu 1 2", "cpu 1 3"),
        ("cpu  a b", AFTER),
        ("", "cpu"),
    ],
    ids=["ended", "three", "too short", "short", "no numbers", "empty"],
)
def test_what_cannot_be_read_is_not_recorded(lines: tuple[str, ...]) -> None:
    assert counted(*lines).conditions == {}


def test_the_shell_counts_and_leaves_output_and_status_alone() -> None:
    words = counting(["sh", "-c", "echo said; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exit 3"])
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    seen = ProcessorTimes()
    left = [line for line in ended.stdout.splitlines() if not seen.take(line)]
    assert (left, ended.returncode) == (["said"], 3)
    assert all(0 <= share <= 1 for share in seen.conditions.values())
