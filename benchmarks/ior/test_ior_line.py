"""IOR's command lines, and what it prints."""

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

IOR = find("ior")
assert IOR.official.command_line
assert IOR.official.output
read, output = IOR.official.command_line.read, IOR.official.output
MEBI = 1 << 20


def asked(line: str) -> dict[str, Any]:
    ((_, parameters),) = read(line).cases
    return dict(parameters)


def test_the_line_of_the_issue() -> None:
    found = read("-a POSIX -w -r -F -b 1g -t 1m -e")
    assert (found.backend, found.folder, found.notes) == ("posix", None, ())
    ((ranks, parameters),) = found.cases
    assert ranks is None
    assert parameters == {
        "files": "per-process",
        "block": 1 << 30,
        "transfer": 1 << 20,
        "segments": 1,
        "rounds": 1,
        "access": "buffered",
        "fsync": "yes",
        "order": "sequential",
        "shift": 0,
        "phases": "write-read",
        "stonewall": 0,
        "most_seconds": 0,
    }


def test_a_whole_line_with_its_launcher() -> None:
    found = read(
        "srun -N 2 -n 32 /opt/ior/bin/ior -a=MPIIO -c -C -wz -s 16 -i3 -b=4k -t 2K --posix.odirect -o /scratch/me/f"
    )
    ((ranks, parameters),) = found.cases
    assert (ranks, found.backend, found.folder) == (32, "mpi", "/scratch/me")
    assert (parameters["collective"], parameters["files"], parameters["phases"]) == ("yes", "shared", "write")
    assert (parameters["block"], parameters["transfer"], parameters["segments"], parameters["rounds"]) == (
        4096,
        2048,
        16,
        3,
    )
    assert (parameters["access"], parameters["order"], parameters["shift"]) == ("direct", "random", -1)


def test_what_is_left_out_is_as_in_ior() -> None:
    found = asked("")
    assert (found["block"], found["transfer"], found["fsync"], found["phases"]) == (MEBI, 256 << 10, "no", "write-read")
    assert asked("-r")["phases"] == "read"


def test_what_is_done_otherwise_is_said() -> None:
    assert read("-w -k -M 50% -vvv").notes == (
        "-k: files are removed at the end",
        "-M: what caches serve is found out, and shown apart",
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("-a DFS", "interface -a DFS"),
        ("-b", "needs a value"),
        ("-b many", "whole number"),
        ("-b 0", "at least 1"),
        ("-b 99999999999g", "whole number"),
        ("-f script", "-f is not supported"),
        ("--hdf5.chunks 3", "--hdf5.chunks is not supported"),
        ("file", "'file' is no option"),
        ("-o 'x", "not understood"),
    ],
)
def test_what_is_not_understood_is_named(line: str, why: str) -> None:
    with pytest.raises(BanzukeError, match=re.escape(why)):
        read(line)


@given(
    st.lists(
        st.sampled_from(["-b", "1g", "-w", "-r", "-a", "POSIX", "ior", "-n", "-o", "/x", "=", "-", "--", "-wF", "'"])
        | st.text(max_size=6)
    )
)
def test_no_line_does_harm(words: list[str]) -> None:
    with suppress(BanzukeError):
        assert isinstance(read(" ".join(words)), InputCases)


def outcome(**samples: list[float]) -> Outcome:
    return Outcome(
        parameters={"files": "per-process", "block": 64 * MEBI, "transfer": MEBI, "segments": 1, "shift": -1},
        status="ok",
        reason=None,
        started=datetime(2026, 1, 1, tzinfo=UTC),
        samples=samples,
        conditions={"storage_bytes": 128.0 * MEBI},
        backend="posix",
        hosts=1,
        ranks=2,
    )


def test_its_lines_are_found_by_its_readers() -> None:
    text = output([outcome(write_bandwidth=[100.0 * MEBI, 200.0 * MEBI], read_bandwidth=[400.0 * MEBI])])
    assert "Max Write: 200.00 MiB/sec (209.72 MB/sec)\n" in text
    assert "Max Read:  400.00 MiB/sec (419.43 MB/sec)\n" in text
    first = next(line for line in text.splitlines() if line.startswith("write "))
    assert [first.split()[place] for place in (0, 1, 4, 5, 9, 10)] == [
        "write",
        "100.00",
        "65536",
        "1024.00",
        "1.28",
        "0",
    ]
    summary = text[text.index("Operation") :].splitlines()
    names, (write, *_) = summary[0].split(), [line.split() for line in summary[1:]]
    told = dict(zip(names, write, strict=True)) | {"first": write[1]}
    assert (told["Operation"], told["first"], told["#Tasks"], told["tPN"], told["blksiz"]) == (
        "write",
        "200.00",
        "2",
        "2",
        f"{64 * MEBI}",
    )
    assert (told["aggs(MiB)"], told["API"], told["reps"], told["Mean(s)"]) == ("128.0", "POSIX", "2", "0.96000")
    assert "WARNING" not in text


def test_what_a_cache_served_is_no_bandwidth_of_the_storage() -> None:
    text = output([outcome(write_bandwidth=[1e9], cached_read_bandwidth=[9e9])])
    assert "WARNING: read was served by a cache" in text
    assert "WARNING: write" not in text


def test_a_case_without_figures_prints_nothing() -> None:
    failed = Outcome({}, "failed", "no space", datetime(2026, 1, 1, tzinfo=UTC))
    assert output([failed]) == ""
