"""Tests of `banzuke compare` with collections, and with messages by size."""

import json
from pathlib import Path

import pytest

from banzuke import paths
from banzuke.cli.test_compare import call, write
from banzuke.compare.test_runs import provenance, record
from banzuke.plan.benchmark import Metric
from banzuke.record.model import Record
from banzuke.report.testing.messages import point_to_point
from banzuke.results.run import Run
from banzuke.testing import changed, machine


def sparse(folder: Path, name: str, factor: float, where: str, rounds: int = 3) -> None:
    """Write a run of SpMV with two families and a file of the user's own."""
    lines: list[Record] = []
    for index, family in enumerate(("band", "band", "road", "road", "")):
        file = "" if family else f"/{where}/west.mtx"
        lines += [
            record(
                [factor * step * (1 + i / 1000) * 1e9 for i in range(8)],
                metric=Metric("flop_rate", "flop/s", "higher", "SpMV"),
                benchmark="spmv",
                parameters={"family": family, "nonzeros": 1000 * (index % 2 + 1), "file": file},
                origin=provenance(f"{where if file else ''}{index}", run=name, machine="m"),
            )
            for step in (1.0, 1.01, 0.99)[:rounds]
        ]
    write(folder, name, lines)


def test_a_collection_is_compared_by_family(tmp_path: Path) -> None:
    for name, factor, where in (("20260101T000000-aaaa", 1.0, "here"), ("20260102T000000-bbbb", 2.0, "there")):
        sparse(tmp_path, name, factor, where)
    outcome = call(tmp_path, "previous", "last", "--json")
    assert outcome.exit_code == 0, outcome.output
    document = json.loads(outcome.stdout)
    assert [line["ratio"] for line in document["comparisons"]] == pytest.approx([2.0] * 5)
    assert [(f["family"], f["cases"], f["faster"]) for f in document["families"]] == [
        ("band", 2, 0),
        ("road", 2, 0),
        ("own files", 1, 0),
        ("all", 5, 0),
    ]
    table = call(tmp_path, "previous", "last").stdout
    assert "`banzuke report last previous` draws the ratio of each problem" in " ".join(table.split())
    assert "The median ratio is" not in table, "the machines are not known"
    for name in ("20260101T000000-aaaa", "20260102T000000-bbbb"):
        Run(tmp_path / name).update_machine(machine())
    table = " ".join(call(tmp_path, "previous", "last").stdout.split())
    assert "B over A: geometric mean 2 over 5 matrices, from 2 to 2; above 1 the former is better." in table
    assert "The median ratio is 2." in table
    assert "own files" in table
    assert "all 5 2 2 2 0 0" in table
    assert "nonzeros" not in table


def test_a_collection_of_one_launch_a_problem_has_no_verdicts(tmp_path: Path) -> None:
    for name, factor in (("20260101T000000-aaaa", 1.0), ("20260102T000000-bbbb", 2.0)):
        sparse(tmp_path, name, factor, "here", rounds=1)
    table = " ".join(call(tmp_path, "previous", "last").stdout.split())
    assert "spmv: 5 ratios without a verdict: one launch in A and B does not show how launches differ" in table


def messages(folder: Path, name: str, factor: float, mpi: str) -> None:
    """Write a run of message passing at two placements, with this MPI library, in three launches."""
    lines = []
    for index, placement in enumerate(("same-complex", "other-socket")):
        for step in (1.0, 1.01, 0.99):
            made = point_to_point(index, "latency", placement, factor=factor * step).record
            assert made.provenance
            origin = made.provenance.model_copy(update={"run": name, "case": placement})
            lines.append(changed(made, provenance=origin, software={**made.software, "mpi": mpi}))
    write(folder, name, lines)


def test_two_mpi_libraries_are_set_side_by_side_by_size(tmp_path: Path) -> None:
    for name, factor, mpi in (
        ("20260101T000000-aaaa", 1.0, "MPICH 5.0.2"),
        ("20260102T000000-bbbb", 0.5, "Open MPI 5.0.8"),
    ):
        messages(tmp_path, name, factor, mpi)
    document = json.loads(call(tmp_path, "previous", "last", "--json").stdout)
    assert "mpi of pt2pt mpi: MPICH 5.0.2 in A, Open MPI 5.0.8 in B" in document["cautions"]
    near, far = document["comparisons"]
    assert (near["placement"], far["placement"]) == ("same-complex", "other-socket")
    assert len(near["sizes"]) == 24
    for at in near["sizes"]:
        assert at["ratio"] == pytest.approx(2, rel=0.05)
        assert (at["interval"], at["verdict"]) == (None, "cannot be told")
    table = call(tmp_path, "previous", "last").stdout
    by_size = table[table.index("pt2pt by size") :]
    assert by_size.split("\n")[1].split()[-4:] == ["64", "KiB", "1", "MiB"]
    assert sum(line.split()[-5:] == ["2"] * 5 for line in by_size.splitlines()) == 2
    assert "195 ns" in by_size
    assert "Latency at 8 B" in " ".join(table.split())


def test_a_part_of_a_site_is_named_after_a_colon(tmp_path: Path) -> None:
    sparse(tmp_path, "20260101T000000-aaaa", 1.0, "here")
    text = call(tmp_path, "last", f"{paths.MACHINES / 'reedbush.toml'}:reedbush-h").stdout
    assert "The figures of Reedbush-H compare two machines" in " ".join(text.split())


def test_published_ratios_are_told_where_a_run_alone_has_none(tmp_path: Path) -> None:
    sparse(tmp_path, "20260101T000000-aaaa", 1.0, "here")
    text = " ".join(call(tmp_path, "last", "reedbush-h").stdout.split())
    assert "The figures of Reedbush-H compare two machines" in text
    assert "spmv time ratio about 0.3. Time over that of a K40" in text
