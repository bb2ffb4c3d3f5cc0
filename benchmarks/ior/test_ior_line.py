"""Tests of IOR's command lines, and of its output."""

import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
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
    parsed = read("-a POSIX -w -r -F -b 1g -t 1m -e")
    assert (parsed.backend, parsed.folder, parsed.notes) == ("posix", None, ())
    ((ranks, parameters),) = parsed.cases
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
    parsed = read(
        "srun -N 2 -n 32 /opt/ior/bin/ior -a=MPIIO -c -C -w -s 16 -i3 -b=4k -t 2K --posix.odirect -o /scratch/me/f"
    )
    ((ranks, parameters),) = parsed.cases
    assert (ranks, parsed.backend, parsed.folder) == (32, "mpi", "/scratch/me")
    assert (parameters["collective"], parameters["files"], parameters["phases"]) == ("yes", "shared", "write")
    assert (parameters["block"], parameters["transfer"], parameters["segments"], parameters["rounds"]) == (
        4096,
        2048,
        16,
        3,
    )
    assert (parameters["access"], parameters["order"], parameters["shift"]) == ("buffered", "sequential", -1)
    assert "--posix.odirect: has no effect with MPIIO" in parsed.notes


@pytest.mark.parametrize(
    ("launcher", "ranks", "note"),
    [
        ("mpirun -np 4", 4, ""),
        ("flux run -n4", 4, ""),
        ("time mpirun --np=4", 4, ""),
        ("mpirun -np 4 --map-by node -x A=b", 4, "mpirun --map-by node -x"),
        ("srun -N 2 --ntasks-per-node=4 -c 2", 8, "srun -N 2 --ntasks-per-node=4 -c 2"),
        ("srun -N10 --tasks-per-node 24", 240, "srun -N10 --tasks-per-node 24"),
        ("mpirun -ppn 4 -hosts a,b", None, "mpirun -ppn 4 -hosts a,b"),
        ("mpirun -np 4 nice -n 10", 4, "nice -n 10"),
        ("nice -n 10 mpirun -np 4", 4, "nice -n 10"),
        ("ccc_mprun -n 8 numactl -N 0", 8, "numactl -N 0"),
        ("mpirun -np 2 other : -np 4", 4, "mpirun other :"),
        ("srun -n 16 --mpi=pmix flux", 16, "srun --mpi=pmix"),
    ],
)
def test_what_else_a_launcher_is_told_is_said(launcher: str, ranks: int | None, note: str) -> None:
    parsed = read(f"{launcher} ior -w")
    assert parsed.cases[0][0] == ranks
    sentences = [text for text in parsed.notes if "only the number of ranks" in text]
    assert sentences == ([f"{note}: only the number of ranks is taken from what starts ior"] if note else [])


@pytest.mark.parametrize("path", ["/scratch/ior", "/scratch/IOR"])
def test_a_path_that_ends_like_the_program_is_not_taken_for_it(path: str) -> None:
    ranks, parameters = read(f"-w -b 1g -t 1m -o {path}").cases[0]
    assert (ranks, parameters["block"], parameters["transfer"], parameters["phases"]) == (
        None,
        1 << 30,
        1 << 20,
        "write",
    )


def test_old_versions_of_the_program_are_called_in_capitals() -> None:
    ranks, parameters = read("mpiexec -np 4 --machinefile hosts /opt/src/C/IOR -w -b 24m -o /tmp/datafile").cases[0]
    assert (ranks, parameters["block"], parameters["phases"]) == (4, 24 << 20, "write")


def test_words_are_as_a_shell_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRATCH", "/scratch/me")
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.delenv("SIZE", raising=False)
    assert [read(line).folder for line in ("-o $SCRATCH/f", "-o ${SCRATCH}/a/f", "-o ~/f")] == [
        "/scratch/me",
        "/scratch/me/a",
        "/home/me",
    ]
    for line, why in (("-b $SIZE", "variable SIZE is not set"), ("-o $(pwd)/f", "only variables"), ("-o `pwd`/f", "`")):
        with pytest.raises(BanzukeError, match=re.escape(why)):
            read(line)


@pytest.mark.parametrize("behind", ["# a comment", "> out.txt 2>&1 &", "&", ";", "| tee out # x", "2> e"])
def test_what_a_shell_takes_is_no_option(behind: str) -> None:
    assert read(f"-w -r {behind}") == read("-w -r")


def test_direct_twice_is_buffered_as_in_ior() -> None:
    parsed = read("-w -O useO_DIRECT=2")
    assert parsed.cases[0][1]["access"] == "buffered"
    assert parsed.notes == ("-O useO_DIRECT: given 2 times, it has no effect, as in IOR",)


def test_what_is_left_out_is_as_in_ior() -> None:
    parameters = asked("")
    assert (parameters["block"], parameters["transfer"], parameters["fsync"], parameters["phases"]) == (
        MEBI,
        256 << 10,
        "no",
        "write-read",
    )
    assert asked("-r")["phases"] == "read"


def test_what_is_done_otherwise_is_said() -> None:
    assert read("-w -k -M 50% -vvv").notes == (
        "-k: files are removed at the end",
        "-M: what caches serve is detected, and shown apart",
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-O useO_DIRECT=1", {"access": "direct"}),
        ("-B", {"access": "direct"}),
        ("--posix.odirect=0", {"access": "buffered"}),
        ("-w -r -O checkRead=1,useO_DIRECT=1,keepFile=1", {"access": "direct", "phases": "write-read"}),
        ("-O USEo_direct=0", {"access": "buffered"}),
        ("-O --posix.odirect=1", {"access": "direct"}),
        ("-O api=MPIIO,collective=1", {"collective": "yes"}),
        ("-O writeFile=1,filePerProc=1,fsync=1", {"phases": "write", "files": "per-process", "fsync": "yes"}),
        ("-b 1g -O blockSize=2m,segmentCount=3 -t 1m", {"block": 2 << 20, "segments": 3, "transfer": 1 << 20}),
        ("-O lustreStripeCount=-1,lustreStripeSize=4m", {"stripe_count": -1, "stripe_size": 4 << 20}),
        ("--posix.beegfs.NumTargets=4 --posix.beegfs.ChunkSize=1m", {"stripe_count": 4, "stripe_size": 1 << 20}),
        ("-F=0 -e=0 -C=0", {"files": "shared", "fsync": "no", "shift": 0}),
        ("-wFe=0", {"files": "shared", "fsync": "no", "phases": "write-read"}),
        ("-F -F=0", {"files": "shared"}),
        ("-z=0", {"order": "sequential"}),
        ("-w -r=0", {"phases": "write"}),
        ("-w -R", {"phases": "write-read"}),
        ("-R -G 1", {"phases": "read"}),
        ("-w -Y", {"fsync": "each"}),
        ("-e -e", {"fsync": "no"}),
        ("-C -Q 0", {"shift": 0}),
        ("-Q 2", {"shift": 0}),
        ("-C -Q 2", {"shift": -1}),
        ("-D 5", {"most_seconds": 5, "stonewall": 0}),
        ("-D 5 -O stoneWallingWearOut=1", {"most_seconds": 0, "stonewall": 5}),
        ("-b 16MiB -t 4kb", {"block": 16 << 20, "transfer": 4096}),
        ("-b16m", {"block": 16 << 20}),
        ("-s16 -i3", {"segments": 16, "rounds": 3}),
        ("-w \\\n -F > out.txt 2>&1", {"phases": "write", "files": "per-process"}),
    ],
)
def test_every_option_that_changes_the_figures_is_taken(line: str, expected: dict[str, Any]) -> None:
    parameters = asked(line)
    assert {name: parameters.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("-z -z -F", "-z: each transfer comes once, in a random order; IOR draws with repetition"),
        ("-zz -F", "draws with repetition"),
        ("-z", "-z: transfers of all blocks of a rank are mixed"),
        ("-p", "-p: has no effect with POSIX"),
        ("-U hints", "-U: has no effect with POSIX"),
        ("-c", "-c: has no effect with POSIX"),
        ("-r", "-r: files are first written"),
        ("-e -e", "-e: given 2 times, it has no effect"),
        ("-b16m", "-m: each round has new files"),
        ("-A 3 -G 5 --random-offset-seed=11", "-A, -G, --random-offset-seed: without effect on the figures"),
        ("-O summaryFile=x", "-O summaryFile: this file is not written"),
        ("--dataPacketType=timestamp", "--dataPacketType: what is written is random"),
        ("X=1 ior -w", "X=1: no variable is set"),
    ],
)
def test_what_is_otherwise_is_said(line: str, note: str) -> None:
    assert any(note in sentence for sentence in read(line).notes)


IO500_EASY = (
    "--dataPacketType=timestamp -C -Q 1 -g -G -12 -k -e -o /s/easy/f -O stoneWallingStatusFile=/s/wall -t 2m "
    "-b 9920000m -F -w -D 300 -O stoneWallingWearOut=1 -a POSIX -O saveRankPerformanceDetailsCSV=/r/easy.csv"
)


def test_io500_s_lines_are_taken() -> None:
    easy = read(IO500_EASY)
    ((_, parameters),) = easy.cases
    assert (parameters["block"], parameters["stonewall"], parameters["phases"]) == (9920000 << 20, 300, "write")
    assert easy.folder == "/s/easy"
    random = read("-r -D 30 -z -z -a POSIX -O stoneWallingWearOut=1 -t=4096 -b=4096 -s=10000000 -F -C -Q 1")
    assert random.cases[0][1]["order"] == "random"


def script(folder: Path, text: str) -> str:
    (folder / "ior.script").write_text(text, encoding="utf-8")
    return f"-f {folder / 'ior.script'}"


def test_tests_of_a_script_go_on_from_the_one_before(tmp_path: Path) -> None:
    line = script(
        tmp_path,
        "not read\nIOR START\n  api=POSIX\n# blockSize=1g\ntestFile = ./f\ntransferSize=1m, blockSize=4m # small\n"
        "filePerProc=1\n\nRUN\nfilePerProc=0\nRUN\nRUN\nior stop\nblockSize=9m\n",
    )
    parsed = read(f"-i 2 {line} -e")
    assert (parsed.backend, parsed.folder) == ("posix", ".")
    values = [(p["files"], p["block"], p["transfer"], p["rounds"], p["fsync"]) for _, p in parsed.cases]
    same = (4 << 20, 1 << 20, 2, "yes")
    assert values == [("per-process", *same), ("shared", *same), ("shared", *same)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("api=POSIX\n", "no line in it is 'IOR START'"),
        ("IOR START\nuseThis=1\nRUN\n", "directive useThis is not supported"),
        ("IOR START\napi=POSIX\nRUN\napi=MPIIO\nRUN\n", "the same interface, not posix and mpi"),
        ("IOR START\ntransferSize=[1m, 2m]\nRUN\n", "not understood"),
    ],
)
def test_a_script_that_cannot_be_followed(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(BanzukeError, match=re.escape(why)):
        read(script(tmp_path, text))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("-a DFS", "interface -a DFS"),
        ("-b", "needs a value"),
        ("-b many", "whole number"),
        ("-b 0", "at least 1"),
        ("-b 99999999999g", "whole number"),
        ("--hdf5.chunks 3", "--hdf5.chunks is not supported"),
        ("file", "'file' is no option"),
        ("-f /no/such", "/no/such"),
        ("-O foo=1", "directive foo is not supported"),
        ("-O checkRead", "'checkRead' is not understood"),
        ("-O checkRead=yes", "-O checkRead=yes is not understood"),
        ("-F=true", "takes it as 0"),
        ("-y -F", "two mount points"),
        ("-O interIODelay=5", "pause after each transfer"),
        ("-O minTimeDuration=5", "the same bytes again"),
        ("--randomPrefill=1m -z", "and time it"),
        ("--posix.lustre.pool=x", "the pool of their folder"),
        ("-a MPIIO -p", "-p is not supported (files get their space"),
        ("-a MPIIO --mpiio.hintsFileName=x", "hints change"),
        ("-C -Z", "exclude each other"),
        ("-z -C", "of a shared file"),
        ("-W", "times nothing"),
        ("-O stoneWallingWearOut=1", "needs a deadline"),
        ("-b1t", "takes the letter t in it as its option -t"),
        ("-o /a/f@/b/f", "one folder"),
        ("jsrun -n 2 ior -w", "jsrun"),
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
    columns = dict(zip(names, write, strict=True)) | {"first": write[1]}
    assert (columns["Operation"], columns["first"], columns["#Tasks"], columns["tPN"], columns["blksiz"]) == (
        "write",
        "200.00",
        "2",
        "2",
        f"{64 * MEBI}",
    )
    assert (columns["aggs(MiB)"], columns["API"], columns["reps"], columns["Mean(s)"]) == (
        "128.0",
        "POSIX",
        "2",
        "0.96000",
    )
    assert "WARNING" not in text


EACH = r"\s+([0-9]+\.[0-9]+)"
EVERY_COLUMN = re.compile(rf"(read|write){EACH * 3}\s+([0-9]+){EACH * 5}\s+([0-9]+)\s*$", re.MULTILINE)
"""A pattern that needs numbers in all columns, as Ramble's does."""


def test_every_column_of_a_round_has_its_number() -> None:
    of_a_round = {"open": [0.001], "transfer": [0.25], "close": [0.004], "total": [0.3], "latency": [0.002]}
    measured = outcome(write_bandwidth=[100.0 * MEBI])
    text = output([replace(measured, conditions={**measured.conditions, "parts": {"write": of_a_round}})])
    (line,) = EVERY_COLUMN.findall(text)
    wanted = "write 100.00 100.00 0.002000 65536 1024.00 0.001000 0.250000 0.004000 0.300000 0"
    assert " ".join(line) == wanted
    summary = next(row for row in text.splitlines()[::-1] if row.startswith("write"))
    assert "30.0 POSIX" in " ".join(summary.split())  # bytes moved in its time
    assert not EVERY_COLUMN.search(output([measured]))


def test_what_a_cache_served_is_no_bandwidth_of_the_storage() -> None:
    text = output([outcome(write_bandwidth=[1e9], cached_read_bandwidth=[9e9])])
    assert "WARNING: read was served by a cache" in text
    assert "WARNING: write" not in text


def test_a_case_without_figures_prints_nothing() -> None:
    failed = Outcome({}, "failed", "no space", datetime(2026, 1, 1, tzinfo=UTC))
    assert output([failed]) == ""
