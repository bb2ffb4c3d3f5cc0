"""mdtest's command lines, and what it prints."""

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banzuke.errors import BanzukeError
from banzuke.plan.catalogue import find
from banzuke.plan.official import InputCases, Outcome

MDTEST = find("mdtest")
assert MDTEST.official.command_line
assert MDTEST.official.output
read, output = MDTEST.official.command_line.read, MDTEST.official.output


def asked(line: str) -> dict[str, Any]:
    ((_, parameters),) = read(line).cases
    return dict(parameters)


def test_the_line_of_the_oakleaf_report() -> None:
    found = read("mpiexec -np 32 mdtest -n 5000 -u -i 10 -d /data/me")
    ((ranks, parameters),) = found.cases
    assert (ranks, found.folder, found.notes) == (32, "/data/me", ())
    assert (parameters["items"], parameters["directories"], parameters["rounds"]) == (5000, "private", 10)
    assert (parameters["shift"], parameters["bytes"], parameters["depth"], parameters["branch"]) == (0, 0, 0, 1)


@pytest.mark.parametrize(
    ("line", "items"), [("-I 10", 10), ("-I 10 -z 2 -b 3", 130), ("-I 10 -z 4", 50), ("-n 7 -z 1", 7)]
)
def test_items_of_each_directory_of_the_tree(line: str, items: int) -> None:
    assert asked(line)["items"] == items


def test_another_rank_asks() -> None:
    assert asked("-n 10 -N 16 -w 3901 -e 3901") | {"shift": 16, "bytes": 3901} == asked("-n 10 -N 16 -w 3901")


def test_what_is_done_otherwise_is_said() -> None:
    assert read("-n 1 -F -Z").notes == ("-F: directories are made, too", "-Z: rates are printed")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "-n or -I is needed"),
        ("-n 0", "at least 1"),
        ("-n 1 -a DFS", "interface -a DFS"),
        ("-n 1 -d /a@/b", "one folder"),
        ("-n 1 -S", "-S is not supported"),
        ("-I 1 -z 99 -b 9", "too many"),
    ],
)
def test_what_is_not_understood_is_named(line: str, why: str) -> None:
    with pytest.raises(BanzukeError, match=re.escape(why)):
        read(line)


@given(
    st.lists(
        st.sampled_from(["-n", "10", "-I", "-z", "99999", "-b", "-u", "mdtest", "-d", "/x", "--", "'"])
        | st.text(max_size=6)
    )
)
def test_no_line_does_harm(words: list[str]) -> None:
    with suppress(BanzukeError):
        assert isinstance(read(" ".join(words)), InputCases)


def test_its_summary() -> None:
    done = Outcome(
        {},
        "ok",
        None,
        datetime(2026, 1, 1, tzinfo=UTC),
        samples={"file_create_rate": [100.0, 300.0], "cached_file_stat_rate": [5.0]},
    )
    lines = output([done]).splitlines()
    assert "SUMMARY rate (in ops/sec): (of 2 iterations)" in lines
    found = {line[3:25].strip(): line[25:].split() for line in lines if line.startswith("   File")}
    assert found == {
        "File creation": ["300.000", "100.000", "200.000", "141.421"],
        "File stat": ["5.000", "5.000", "5.000", "0.000"],
    }
