"""Tests of the command line end to end, on this machine, with small sizes."""

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

from banzuke.compare.statistics import median
from banzuke.record.schema import FILE
from tests.conftest import SCRIPTS, SMALL, Banzuke, Wrapped


def test_a_run_gives_one_json_document_and_nothing_else(banzuke: Banzuke) -> None:
    done = banzuke("run", "stream", *SMALL, "--threads", "1", "--json")
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["records"]
    assert record["benchmark"] == "stream"
    assert record["parameters"] == {"n": 100000, "rounds": 3, "stores": "nontemporal"}
    assert record["verification"][0]["passed"]
    triad = record["metrics"]["triad_bandwidth"]
    assert len(triad["samples"]) == 2
    assert min(triad["samples"]) <= triad["value"] <= triad["best"] == max(triad["samples"])
    assert triad["unit"] == "B/s"
    assert {"limit", "fraction_of_limit", "fraction_of_peak"} <= triad.keys()
    (binding,) = record["groups"][0]["binding"]
    assert binding["threads"][0].isdecimal()


def test_programs_write_records_of_the_schema(banzuke: Banzuke, results: Path) -> None:
    program = subprocess.run(
        [SCRIPTS / "banzuke-stream-omp", "--n", "1000", "--rounds", "2"], capture_output=True, text=True, check=True
    )
    validator = jsonschema.Draft202012Validator(json.loads(FILE.read_text()))
    validator.validate(json.loads(program.stdout))
    assert banzuke("run", "stream", *SMALL).returncode == 0
    (stored,) = results.glob("*/records-*.jsonl")
    validator.validate(json.loads(stored.read_text()))


def test_a_trial_starts_a_rank_where_it_may_be_and_measures_nothing() -> None:
    def tried(cpus: str) -> subprocess.CompletedProcess[str]:
        words = [str(SCRIPTS / "banzuke-noise-omp"), "--trial", "--binding", cpus]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    here = tried(str(min(os.sched_getaffinity(0))))
    assert (here.returncode, here.stdout, here.stderr) == (0, "", "")
    assert "cannot bind a thread to processor 9999" in tried("9999").stderr


def test_two_ranks_share_the_work_and_are_bound_apart(banzuke: Banzuke) -> None:
    done = banzuke("run", "stream", *SMALL, "--ranks", "2", "--threads", "1", "--json")
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["records"]
    assert record["groups"][0]["ranks"] == 2
    assert record["groups"][0]["hosts"][0]["ranks"] == "0-1"
    places = [binding["threads"] for binding in record["groups"][0]["binding"]]
    assert len(places) == 2
    assert places[0] != places[1]


def test_dgemm_names_its_library(banzuke: Banzuke) -> None:
    sizes = [word for name in "mnk" for word in ("--set", f"{name}=200")]
    done = banzuke("run", "dgemm", *sizes, "--json")
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["records"]
    assert record["groups"][0]["software"]["blas"]
    assert Path(record["groups"][0]["software"]["blas_path"]).is_file()
    assert record["provenance"]["variables"]["BANZUKE_BLAS"] == record["groups"][0]["software"]["blas_path"]


def test_a_sweep_has_a_case_for_each_value_and_repetition(banzuke: Banzuke) -> None:
    done = banzuke("run", "stream", "--set", "n=1000,2000", "--set", "rounds=2", "--repeat", "2", "--json")
    document = json.loads(done.stdout)
    records, cases = document["records"], document["cases"]
    assert [record["parameters"]["n"] for record in records] == [1000, 2000, 1000, 2000]
    assert [record["provenance"]["repetition"] for record in records] == [0, 0, 1, 1]
    assert [[launch["id"] for launch in case["launches"]] for case in cases] == [
        [record["provenance"]["id"] for record in launches] for launches in (records[::2], records[1::2])
    ]
    for case, launches in zip(cases, (records[::2], records[1::2]), strict=True):
        triad = case["metrics"]["triad_bandwidth"]
        assert triad["launches"] == [record["metrics"]["triad_bandwidth"]["value"] for record in launches]
        assert triad["value"] == median(triad["launches"])


def test_a_case_of_which_a_launch_failed_says_so_and_is_no_success(banzuke: Banzuke, wrapped: Wrapped) -> None:
    """The program fails the second time that it is started."""
    script = (
        'n=$(cat "$0.n" 2>/dev/null || echo 0); echo $((n + 1)) > "$0.n"; [ "$n" = 1 ] && exit 3; exec "$real" "$@"'
    )
    done = banzuke("run", "stream", *SMALL, "--repeat", "3", **wrapped(script))
    assert done.returncode == 1
    assert "2 of 3 launches verified; 1 failed: " in " ".join(done.stdout.split())
    assert len([line for line in done.stdout.splitlines() if line.startswith("stream, ") and "Triad" in line]) == 1
    written = banzuke("report", "last")
    assert written.returncode == 0, written.stderr
    content = json.loads(Path(written.stdout.splitlines()[-1]).with_name("report.json").read_text())
    assert (content["measured"], content["verified"], content["launches"]) == (1, 1, 3)
    (case,) = content["cases"]
    assert [launch["status"] for launch in case["launches"]] == ["ok", "failed", "ok"]


def test_a_dry_run_prints_commands_that_work(banzuke: Banzuke, results: Path) -> None:
    done = banzuke("run", "stream", *SMALL, "--dry-run")
    assert done.returncode == 0
    assert not list(results.glob("*/records-*.jsonl"))
    by_hand = subprocess.run(["sh", "-c", done.stdout], capture_output=True, text=True, check=True)
    assert json.loads(by_hand.stdout)["status"] == "ok"


def test_variables_take_the_place_of_options(banzuke: Banzuke) -> None:
    done = banzuke("run", "stream", BANZUKE_SET="n=1234", BANZUKE_THREADS="1", BANZUKE_JSON="1")
    (record,) = json.loads(done.stdout)["records"]
    assert record["parameters"]["n"] == 1234
    assert record["groups"][0]["threads"] == 1


def test_runs_are_listed_and_compared(banzuke: Banzuke) -> None:
    for _ in range(2):
        assert banzuke("run", "stream", *SMALL, "--repeat", "5").returncode == 0
    listed = json.loads(banzuke("list", "--json").stdout)
    assert [run["verified"] for run in listed["runs"]] == [5, 5]
    assert {"stream", "dgemm"} <= {benchmark["name"] for benchmark in listed["benchmarks"]}
    assert len(listed["machines"]) >= 19
    compared = banzuke("compare", "previous", "last", "--json")
    assert compared.returncode == 0, compared.stderr
    assert "triad_bandwidth" in compared.stdout


def test_a_report_is_written_again_elsewhere(banzuke: Banzuke, tmp_path: Path) -> None:
    assert banzuke("run", "stream", *SMALL).returncode == 0
    done = banzuke("report", "last", "--output", str(tmp_path / "page"))
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "page").iterdir()}
    assert {"report.html", "report.md", "report.csv", "report.json", "figures"} <= names


def test_pages_are_explained(banzuke: Banzuke) -> None:
    for name in ("stream", "dgemm"):
        done = banzuke("explain", name)
        assert done.returncode == 0
        assert "Verification" in done.stdout


@pytest.mark.parametrize("name", ["banzuke-stream-omp", "banzuke-dgemm-blas"])
def test_programs_explain_themselves(name: str) -> None:
    done = subprocess.run([SCRIPTS / name, "--help"], capture_output=True, text=True, check=True)
    assert "usage:" in done.stdout
