"""Tests of mdtest's command lines, and of its output."""

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
    parsed = read("mpiexec -np 32 mdtest -n 5000 -u -i 10 -d /data/me")
    ((ranks, parameters),) = parsed.cases
    assert (ranks, parsed.folder, parsed.notes) == (32, "/data/me", ())
    assert (parameters["items"], parameters["directories"], parameters["rounds"]) == (5000, "private", 10)
    assert (parameters["shift"], parameters["bytes"], parameters["depth"], parameters["branch"]) == (0, 0, 0, 1)


@pytest.mark.parametrize(
    ("line", "items", "holders"),
    [
        ("-I 10", 10, "all"),
        ("-I 10 -z 2 -b 3", 130, "all"),
        ("-I 10 -z 4", 50, "all"),
        ("-n 7 -z 1", 6, "all"),
        ("-n 40 -I 4 -z 1 -b 3 -F", 160, "all"),
        ("-n 40 -I 40 -z 1 -b 3", 160, "all"),
        ("-I 10 -z 2 -b 3 -L", 90, "leaves"),
        ("-n 100 -z 2 -b 3 -L", 99, "leaves"),
        ("-n 40 -I 4 -z 1 -b 3 -L", 120, "leaves"),
        ("-n 7 -z 3 -L", 7, "leaves"),
        ("-n 5 -b 0 -z 0", 5, "all"),
        ("-n 5 -b 9 -L", 5, "all"),
    ],
)
def test_items_are_reckoned_as_mdtest_does(line: str, items: int, holders: str) -> None:
    assert (asked(line)["items"], asked(line)["holders"]) == (items, holders)


def test_io500_s_line_is_taken() -> None:
    parsed = read(
        "--dataPacketType=timestamp -n 1000000 -u -L -F -P -G -135 -N 1 -d /s/easy -x /s/wall -C -Y -W 300 "
        "--saveRankPerformanceDetails=/r/x.csv -a POSIX --random-seed 3 --showRankStatistics --warningAsErrors"
    )
    ((_, parameters),) = parsed.cases
    assert (parameters["items"], parameters["shift"], parameters["stonewall"]) == (1000000, -1, 300)
    notes = "; ".join(parsed.notes)
    for part in (
        "-W: ranks make what they can in 300 s",
        "-Y: nothing is sync",
        "-x:",
        "--saveRank",
        "--random-seed: items are",
    ):
        assert part in notes
    assert "-G, --warningAsErrors: without effect on the figures" in notes


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("-n 7 -z 1", "-n: 6 items, as in mdtest"),
        ("-n 40 -I 4 -z 1 -b 3", "-I: mdtest makes 10 trees with 4 items"),
        ("-n 1 -w 10", "-e: all 10 bytes of a file are read, not 0"),
        ("-n 1 -N 16", "-N: ranks shift by 16"),
        ("-n 1 --run-cmd-before-phase 'echo 3'", "--run-cmd-before-phase: no command is run"),
        ("-n 1 --verify-write -w 8 -e 8", "--verify-write: every file is checked"),
    ],
)
def test_what_is_otherwise_is_said(line: str, note: str) -> None:
    assert any(note in sentence for sentence in read(line).notes)


def test_a_number_of_ranks_for_each_test() -> None:
    assert [ranks for ranks, _ in read("mpirun -np 8 mdtest -n 1 -f 2 -l 8 -s 2").cases] == [2, 4, 6, 8]
    assert [ranks for ranks, _ in read("mpirun -np 8 mdtest -n 1 -f 2").cases] == [8]


def test_files_that_are_synchronised() -> None:
    assert [asked(line)["fsync"] for line in ("-n 1 -y", "-n 1 -y -w 8 -e 8", "-n 1 -y=0 -w 8")] == ["no", "yes", "no"]


def test_another_rank_asks() -> None:
    parameters = asked("-n 10 -N 16 -w 3901 -e 3901")
    assert (parameters["shift"], parameters["bytes"]) == (16, 3901)
    assert asked("-n 10 -N 1")["shift"] == -1


def test_what_is_done_otherwise_is_said() -> None:
    assert read("-n 1 -F -Z").notes == ("-F: directories are made, too", "-Z: rates are printed")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "-n or -I is needed"),
        ("-n 0", "-n or -I is needed"),
        ("-n 3 -z 2 -b 3", "too few"),
        ("-n 5 -b 0 -z 1", "makes no tree"),
        ("-n 8 -I 4 -u", "exclude -u"),
        ("-n 9 -I 4", "no multiple"),
        ("-n 1 -e 8", "reads more"),
        ("-n 9 -W 5 -z 1 -b 2", "-W excludes"),
        ("-n 1 -f 4 -l 2", "not numbers of available ranks"),
        ("-n 1 --posix.odirect", "through the page cache"),
        ("-n 1 --dfs.pool=x", "has no such option"),
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
    printed = {line[3:25].strip(): line[25:].split() for line in lines if line.startswith("   File")}
    assert printed == {
        "File creation": ["300.000", "100.000", "200.000", "141.421"],
        "File stat": ["5.000", "5.000", "5.000", "0.000"],
    }
