import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from banzuke import paths
from banzuke.cli.compare import compare
from banzuke.cli.compare_notes import Notes
from banzuke.cli.compare_sides import chosen_axis
from banzuke.compare.runs import PublishedComparison
from banzuke.compare.test_runs import TRIAD, launches, provenance, record
from banzuke.errors import BanzukeError
from banzuke.machine import published
from banzuke.plan.benchmark import Metric
from banzuke.record.model import Binding, Record
from banzuke.report.testing import stream
from banzuke.report.testing.parts import machine as here
from banzuke.results.store import Store
from banzuke.testing import changed

DGEMM = Metric("flop_rate", "flop/s", "higher", "Rate")
app = typer.Typer()
app.command()(compare)


def write(folder: Path, name: str, records: Sequence[Record]) -> None:
    (folder / name).mkdir()
    (folder / name / "records.jsonl").write_text("".join(record.model_dump_json() + "\n" for record in records))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Return a results folder with two runs of five launches, one day apart."""
    for number, (name, factor) in enumerate({"20260101T000000-aaaa": 1.0, "20260102T000000-bbbb": 1.5}.items()):
        origin = provenance("h", run=name, machine=f"m{number}")
        write(tmp_path, name, launches(1e9 * factor, first=86400 * number, origin=origin))
    return tmp_path


def call(results: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--results", str(results)])


def test_two_runs_as_json(results: Path) -> None:
    outcome = call(results, "previous", "last", "--json")
    assert outcome.exit_code == 0, outcome.output
    document = json.loads(outcome.stdout)
    (line,) = document["comparisons"]
    assert (line["benchmark"], line["metric"], line["verdict"]) == ("stream", "triad_bandwidth", "cannot be told")
    assert line["ratio"] == pytest.approx(1.5)
    assert (line["interval"], line["blocks"]) == (None, [1, 1])
    assert [message["code"] for message in line["told"]] == ["compare-cannot-be-told"]
    assert (line["a"]["launches"], line["a"]["samples"], line["paired"]) == (5, 40, False)
    machines, apart = document["cautions"]
    assert machines == "Machine: m0 in A, m1 in B"
    assert "23 h 59 min between the launches in A and those in B" in apart


def test_two_runs_as_a_table(results: Path) -> None:
    outcome = call(results, "20260102", str(results / "20260101T000000-aaaa"))
    assert outcome.exit_code == 0, outcome.output
    text = " ".join(outcome.stdout.split())
    assert "cannot be told (1)" in text
    assert "Measure 2 times more on each side, in turn and hours apart, with `banzuke run stream --repeat 5`" in text
    assert "0.667" in text
    assert "5 launches" in text
    assert "Caution:" in text
    assert "interval" not in text


def of_days(folder: Path, factors: Sequence[float]) -> list[str]:
    """Write runs of five launches, one a day, and return their names."""
    names = [f"202601{day:02}T000000-aaaa" for day, _ in enumerate(factors, 1)]
    for day, (name, factor) in enumerate(zip(names, factors, strict=True)):
        write(folder, name, launches(1e9 * factor, first=86400 * day, origin=provenance("h", run=name)))
    return names


def test_several_runs_are_one_side(tmp_path: Path) -> None:
    names = of_days(tmp_path, (1.0, 1.5, 1.01, 1.52, 0.99, 1.49))
    sides = ",".join(names[::2]), ",".join(names[1::2])
    text = " ".join(call(tmp_path, *sides).stdout.split())
    assert "95% interval from the medians of launches, or of runs that were not interleaved." in text
    (line,) = json.loads(call(tmp_path, *sides, "--json").stdout)["comparisons"]
    assert (line["verdict"], line["blocks"], line["told"]) == ("faster", [3, 3], [])
    assert line["interval"][0] < 1.5 < line["interval"][1]
    with pytest.raises(BanzukeError, match="begins with 'none'"):
        compare(f"{names[0]},none", names[1], results=tmp_path)


def test_earlier_runs_tell_how_runs_differ(tmp_path: Path) -> None:
    of_days(tmp_path, (1.0, 1.01, 0.99, 1.005, 1.0, 0.995, 1.3))
    (line,) = json.loads(call(tmp_path, "previous", "last", "--json").stdout)["comparisons"]
    assert (line["verdict"], line["blocks"]) == ("faster", [1, 1])
    assert [message["facts"] for message in line["told"]] == [{"runs": 5}]


def test_load_that_the_runs_warned_of_is_a_caution(tmp_path: Path) -> None:
    for number, (name, busy) in enumerate({"20260101T000000-aaaa": 0.4, "20260102T000000-bbbb": 0.01}.items()):
        records = launches(1e9, first=9e4 * number, origin=provenance("h", run=name))
        write(tmp_path, name, [changed(record, conditions={"other_busy_fraction": busy}) for record in records])
    sentence = "A: during 5 of 5 launches other processes used 40% of the processors (median)"
    cautions = json.loads(call(tmp_path, "previous", "last", "--json").stdout)["cautions"]
    assert next(caution for caution in cautions if "other processes" in caution).startswith(sentence)
    assert not any(caution.startswith("B: ") for caution in cautions)
    beside = " ".join(call(tmp_path, "previous", "Oakleaf-FX").stdout.split())
    assert "Caution: previous: during 5 of 5 launches other processes used 40%" in beside


def test_one_launch_a_side_has_no_verdict_and_the_way_to_one(tmp_path: Path) -> None:
    for number, name in enumerate(("20260101T000000-aaaa", "20260102T000000-bbbb")):
        write(tmp_path, name, launches(1e9 * (1 + number), count=1, origin=provenance("h", run=name)))
    text = " ".join(call(tmp_path, "previous", "last").stdout.split())
    assert "no verdict from one launch (1, 2)" in text
    assert "measure with --repeat 5" in text
    assert "interval" not in text


def test_earlier_launches_tell_how_they_differ_where_a_published_machine_is_beside_one(tmp_path: Path) -> None:
    for number, count in enumerate((5, 5, 1)):
        origin = provenance("h", run=f"2026010{number + 1}T000000-aaaa")
        write(tmp_path, origin.run, launches(1e9 * (1 + number // 2), count=count, first=9e4 * number, origin=origin))
    lines = json.loads(call(tmp_path, "last", "Oakleaf-FX", "--json").stdout)["comparisons"]
    triad = next(line for line in lines if line["metric"] == "triad_bandwidth")
    assert (triad["run"]["launches"], triad["verdict"]) == (1, "faster")
    assert "one launch in the run" in triad["reason"]


def test_backends_of_one_run_in_turn_are_compared_pair_by_pair(tmp_path: Path) -> None:
    name = "20260101T000000-aaaa"
    mine = launches(1e9, origin=provenance("h", run=name))
    theirs = launches(1.1e9, first=5, origin=provenance("g", run=name))
    write(tmp_path, name, mine + [record.model_copy(update={"backend": "mkl"}) for record in theirs])
    text = call(tmp_path, "last:omp", "last:mkl").stdout
    assert "paired, because the launches were interleaved" in " ".join(text.split())
    assert "Caution" not in text


HPL_RATE = Metric("flop_rate", "flop/s", "higher", "HPL")


def test_values_of_a_parameter_of_one_run_are_compared(tmp_path: Path) -> None:
    name = "20260101T000000-aaaa"
    few, many = (
        [
            record.model_copy(update={"benchmark": "hpl", "parameters": record.parameters | {"deal": deal}})
            for record in launches(rate, first=first, origin=provenance(deal, run=name), metric=HPL_RATE)
        ]
        for deal, rate, first in (("equal", 1e9, 0), ("rates", 1.1e9, 5))
    )
    write(tmp_path, name, [*few, *many])
    for parameter in ("deal", "shares"):  # in records, and for users
        text = " ".join(call(tmp_path, f"last:{parameter}=equal", f"last:{parameter}=rates").stdout.split())
        assert "1.1" in text
        assert "deal: equal in A, rates in B" in text
    outcome = call(tmp_path, "last:deal=rate", "last:deal=equal")
    assert "Did you mean 'deal=rates'?" in str(outcome.exception)


def test_what_was_asked_to_differ_is_no_caution() -> None:
    assert chosen_axis("last:pages=base", "previous:pages=transparent") == "pages"
    assert chosen_axis("last:pages=base", "last:memory=local") == ""
    assert chosen_axis("last", "previous") == ""


def test_runs_of_different_benchmarks_have_nothing_to_compare(results: Path) -> None:
    other = [record(metric=DGEMM, benchmark="dgemm", origin=provenance("d", run="r"))]
    write(results, "20260103T000000-cccc", other)
    for arguments in (("previous", "last"), ("previous", "last", "--json")):
        outcome = call(results, *arguments)
        assert isinstance(outcome.exception, BanzukeError)
        assert str(outcome.exception) == (
            "previous and last have no case in common (stream omp in A, dgemm omp in B). "
            "`banzuke list --benchmark NAME` shows the runs of a benchmark"
        )
        assert outcome.stdout == ""


def test_benchmarks_that_one_run_lacks_are_counted_and_not_tabulated(results: Path) -> None:
    file = results / "20260102T000000-bbbb" / "records.jsonl"
    more = [record(metric=DGEMM, benchmark="dgemm", parameters={"n": n}, origin=provenance(f"d{n}")) for n in (1, 2)]
    file.write_text(file.read_text() + "".join(record.model_dump_json() + "\n" for record in more))
    text = call(results, "previous", "last").stdout
    assert "dgemm: 2 cases only in B" in text
    assert text.count("dgemm") == 1
    assert "–" not in text


@pytest.mark.parametrize("order", [("Oakleaf-FX", "last"), ("last", "oakleaf fx")])
def test_a_run_beside_a_published_machine(results: Path, order: tuple[str, str]) -> None:
    outcome = call(results, *order, "--json")
    assert outcome.exit_code == 0, outcome.output
    document = json.loads(outcome.stdout)
    assert document["machine"] == "oakleaf-fx"
    triad = [line for line in document["comparisons"] if line["metric"] == "triad_bandwidth"]
    assert triad[0]["verdict"] == "faster"
    assert triad[0]["ratio"] == pytest.approx(1.5e11 / 64.7122441e9, rel=0.01)
    assert "Table 2" in triad[0]["source"]
    table = call(results, *order)
    assert table.exit_code == 0, table.output
    assert "per node" in table.stdout
    assert "Oakleaf-FX" in table.stdout
    assert len(triad) == 1
    assert table.stdout.count("STREAM Triad") == 1
    assert "above 1: this run is better than published" in " ".join(table.stdout.split())
    text = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "400"}).stdout.split())
    assert "with a published machine on either side, that the run is better" in text


def test_doubts_that_differ_in_a_percentage_alone_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    (machine,) = (candidate for candidate in published.load() if candidate.id == "oakleaf-fx")
    figure, notes = machine.figure[0], Notes()
    line = PublishedComparison("stream", "copy_bandwidth", figure, "")
    doubts = ("doubtful in print: it is 70.6%", "doubtful in print: it is 76.1%", "doubtful in print: another")
    marks = [notes.verdict(replace(line, differences=(doubt,))).text[-3:] for doubt in doubts]
    marks.append(notes.verdict(replace(line, reason="only 70.6% here")).text[-3:])
    marks.append(notes.verdict(replace(line, reason="only 76.1% here")).text[-3:])
    assert marks == ["(1)", "(1)", "(2)", "(3)", "(4)"]
    notes.show()
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["(1) doubtful in print: it is 70.6%, 76.1%", "(2) doubtful in print: another"]


def test_records_that_cannot_be_read_are_what_is_wrong(results: Path) -> None:
    file = results / "20260102T000000-bbbb" / "records.jsonl"
    file.write_text(file.read_text().replace('"status":"ok"', '"status":"okay"'))
    for name in ("last", "last:omp"):
        error = call(results, "previous", name).exception
        assert isinstance(error, BanzukeError)
        assert str(error).startswith("no record of last can be read (")
        assert "records.jsonl, line 1: status: " in str(error)


def test_a_machine_may_be_a_file_of_the_users_own(results: Path, tmp_path: Path) -> None:
    text = (paths.MACHINES / "oakleaf-fx.toml").read_text(encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text.replace("64712.2441", "75000"), encoding="utf-8")
    document = json.loads(call(results, "last", str(file), "--json").stdout)
    assert document["machine"] == "mine"
    triad = [line for line in document["comparisons"] if line["metric"] == "triad_bandwidth"]
    assert triad[0]["ratio"] == pytest.approx(2, rel=0.01)
    for wrong in (f"{file}:gpu", f"{tmp_path}/not-there.toml"):
        assert isinstance(call(results, "last", wrong).exception, BanzukeError)


def test_nothing_in_common_with_a_published_machine_is_an_error(results: Path) -> None:
    error = call(results, "last", "fugaku").exception
    assert isinstance(error, BanzukeError)
    assert str(error) == "last and Fugaku have no benchmark in common (stream here, hpcg, noise there)"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("last", "fugako"), "did you mean 'fugaku'"),
        (("fugaku", "flow"), "both published machines"),
        (("last", "nothing-like-it"), "nothing-like-it"),
    ],
)
def test_a_wrong_call_is_an_error_with_a_remedy(results: Path, arguments: tuple[str, str], said: str) -> None:
    error = call(results, *arguments).exception
    assert isinstance(error, BanzukeError)
    assert said in str(error)
    assert error.remedy


def test_the_libraries_of_one_run_are_set_side_by_side(results: Path) -> None:
    file = next(results.glob("20260102*")) / "records.jsonl"
    other = record([2e11 + 1e8 * i for i in range(8)], metric=TRIAD, origin=provenance("g", run="r", machine="m1"))
    file.write_text(file.read_text() + other.model_copy(update={"backend": "mkl"}).model_dump_json() + "\n")
    outcome = call(results, "last:omp", "last:mkl", "--json")
    assert outcome.exit_code == 0, outcome.output
    (line,) = json.loads(outcome.stdout)["comparisons"]
    assert line["ratio"] == pytest.approx(2 / 1.5, rel=0.01)
    outcome = call(results, "last:omp", "last:mk")
    assert "no case with the backend, environment or value 'mk'" in str(outcome.exception)
    assert "Did you mean 'mkl'?" in str(outcome.exception)


def test_the_environments_of_one_run_are_set_side_by_side(results: Path) -> None:
    file = next(results.glob("20260102*")) / "records.jsonl"
    where = {"environment": "container:podman", "case": "other"}
    there = provenance("h", run="r", machine="m1").model_copy(update=where)
    other = record([1.2e11 + 1e8 * i for i in range(8)], metric=TRIAD, origin=there)
    file.write_text(file.read_text() + other.model_dump_json() + "\n")
    outcome = call(results, "last:native", "last:container:podman", "--json")
    assert outcome.exit_code == 0, outcome.output
    (line,) = json.loads(outcome.stdout)["comparisons"]
    assert line["ratio"] == pytest.approx(1.2 / 1.5, rel=0.01)
    assert "container:podman" in call(results, "last:native", "last:container:podman").stdout
    assert "have launches in common" in str(call(results, "last", "last:native").exception)


def test_a_run_is_not_compared_with_itself(results: Path) -> None:
    for other in ("last", "20260102", str(results / "20260102T000000-bbbb")):
        refused = call(results, "last", other)
        assert isinstance(refused.exception, BanzukeError)
        assert "with itself" in str(refused.exception) or "are the same run" in str(refused.exception)


def test_variables_of_the_shell_and_threads_that_share_a_processor_are_cautions(tmp_path: Path) -> None:
    for number, variables in enumerate(({"OMP_PROC_BIND": "close", "OMP_DYNAMIC": ""}, {})):
        origin = provenance("h", run=f"2026010{number + 1}T000000-aaaa")
        origin = origin.having(variables={"OMP_NUM_THREADS": str(2 + number), **variables})
        bound = Binding(ranks="0", threads=["0", "0" if variables else "1"])
        records = launches(1e9, first=9e4 * number, origin=origin)
        write(tmp_path, origin.run, [changed(record, binding=[bound]) for record in records])
    warnings = json.loads(call(tmp_path, "previous", "last", "--json").stdout)["cautions"]
    assert warnings[0] == "OMP_PROC_BIND=close was set only in A"
    shared = "2 threads of stream omp shared processor 0, so it is no headline (OMP_PROC_BIND=close was set)"
    assert warnings[2] == f"In A {shared}"
    assert len(warnings) == 3
    assert f"Caution: In A {shared}" in " ".join(call(tmp_path, "previous", "last").stdout.split())
    assert f"Caution: In previous {shared}" in " ".join(call(tmp_path, "previous", "Oakleaf-FX").stdout.split())


def test_runs_without_sizes_have_no_such_table(results: Path) -> None:
    assert "by size" not in call(results, "previous", "last").stdout
    assert json.loads(call(results, "previous", "last", "--json").stdout)["comparisons"][0]["sizes"] == []


def test_values_of_an_axis_are_set_side_by_side(results: Path) -> None:
    file = next(results.glob("20260102*")) / "records.jsonl"
    for number, policy in enumerate(("local", "interleave"), 1):
        origin = provenance(policy, run="r", machine="m1").model_copy(update={"variant": {"memory": policy}})
        measured = record([number * 1e11 + 1e8 * i for i in range(8)], metric=TRIAD, origin=origin)
        file.write_text(file.read_text() + measured.model_dump_json() + "\n")
    outcome = call(results, "last:memory=local", "last:memory=interleave", "--json")
    (line,) = json.loads(outcome.stdout)["comparisons"]
    assert line["ratio"] == pytest.approx(2, rel=0.01)
    assert line["variant"] == {"memory": "local"}
    assert line["differences"] == ["memory policy: local in A, interleave in B"]
    assert "memory=local" in str(call(results, "last:memory=loca", "last").exception)


def test_a_rate_of_the_cache_is_not_compared_with_one_of_the_memory(tmp_path: Path) -> None:
    measured = stream(1, 2, 0.9).record
    assert measured.provenance
    names = []
    for working_set in (1e6, 1e12, 1e12, 2e6):
        kept = Store(tmp_path).create(here(), None)
        names.append(kept.name)
        conditions = {**measured.conditions, "working_set": working_set}
        kept.append(measured.having(conditions=conditions, provenance=measured.provenance.having(run=kept.name)))
    for a, b, evidence in (
        (0, 1, "of the cache in A, of the memory in B"),
        (2, 3, "of the cache in B, of the memory in A"),
    ):
        lines = json.loads(call(tmp_path, names[a], names[b], "--json").stdout)["comparisons"]
        assert all(evidence in line["reason"] for line in lines)
        assert {(line["ratio"], line["interval"], line["verdict"]) for line in lines} == {
            (None, None, "not comparable")
        }
    for a, b in ((0, 3), (1, 2)):
        lines = json.loads(call(tmp_path, names[a], names[b], "--json").stdout)["comparisons"]
        assert all(line["ratio"] for line in lines), "both of the one or the other"
    lines = json.loads(call(tmp_path, names[0], "Oakleaf-FX", "--json").stdout)["comparisons"]
    assert all("a rate of the cache here: the working set of " in line["reason"] for line in lines)
    assert {line["ratio"] for line in lines} == {None}


@pytest.mark.parametrize(
    ("factors", "status", "totals"),
    [
        ((1.0, 1.5, 1.01, 1.52, 0.99, 1.49), 0, "1 at least 0.95 times, 0 below, 0 cannot be told"),
        ((1.0, 0.8, 1.01, 0.81, 0.99, 0.79), 1, "0 at least 0.95 times, 1 below, 0 cannot be told"),
        ((1.0, 0.95, 1.01, 0.96, 0.99, 0.94), 3, "0 at least 0.95 times, 0 below, 1 cannot be told"),
    ],
)
def test_scripts_learn_whether_a_figure_fell_below(
    tmp_path: Path, factors: Sequence[float], status: int, totals: str
) -> None:
    names = of_days(tmp_path, factors)
    sides = ",".join(names[::2]), ",".join(names[1::2])
    outcome = call(tmp_path, *sides, "--fail-below", "0.95")
    assert outcome.exit_code == status, outcome.output
    assert f"1 figure: {totals}" in " ".join(outcome.stdout.split())
    document = call(tmp_path, *sides, "--fail-below", "0.95", "--json")
    assert document.exit_code == status
    numbers = json.loads(document.stdout)["totals"]
    assert (numbers["least"], numbers["pass"] + numbers["fail"] + numbers["untold"]) == (0.95, 1)
    assert call(tmp_path, *sides).exit_code == 0


def test_what_only_the_first_run_has_cannot_be_told_to_have_stayed(results: Path) -> None:
    origin = provenance("k", run="20260101T000000-aaaa", machine="m0")
    more = [record.model_copy(update={"benchmark": "hpl"}) for record in launches(1e9, origin=origin)]
    with (results / "20260101T000000-aaaa" / "records.jsonl").open("a") as file:
        file.writelines(record.model_dump_json() + "\n" for record in more)
    document = json.loads(call(results, "previous", "last", "--fail-below", "0.5", "--json").stdout)
    assert document["totals"] == {"least": 0.5, "pass": 0, "fail": 0, "untold": 2}
    assert "totals" not in json.loads(call(results, "previous", "last", "--json").stdout)


@pytest.mark.parametrize("ratio", ["0", "-1", "nan", "inf"])
def test_a_ratio_that_is_none_is_refused(results: Path, ratio: str) -> None:
    assert isinstance(call(results, "previous", "last", "--fail-below", ratio).exception, BanzukeError)
