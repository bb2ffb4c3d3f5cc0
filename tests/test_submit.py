"""Tests of benchmarks as jobs on a real Slurm with four nodes: submitted, followed, interrupted, continued."""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from banzuke.installation import front_end
from tests.clusters import Slurm
from tests.conftest import SCRIPTS, SMALL, Banzuke, Result, Wrapped
from tests.patience import PATIENCE

Submit = Callable[..., Result]


SITE = """
name = "here"
[partitions.cpu]
nodes = 5
[partitions.cpu.batch]
system = "slurm"
longest = 3600.0
[partitions.cpu.node]
power = 100
[partitions.gone.batch]
system = "slurm"
queue = "gone"
[partitions.gone.node]
processors = [{ cores = 2 }]
[partitions.unknown.batch]
system = "slurm"
queue = "unknown"
"""
"""One node more than there are, so that jobs may wait for ever."""


@pytest.fixture
def submit(slurm: Slurm, results: Path, programs: Path, tmp_path: Path) -> Submit:
    """Return a function that calls `banzuke` on the login node; keyword arguments are variables."""
    site = tmp_path / "site.toml"
    site.write_text(SITE)

    def call(*words: str | Path, **variables: str) -> Result:
        ours = {
            "BANZUKE_SITE": str(site),
            "BANZUKE_PARTITION": "cpu",
            "BANZUKE_LIBEXEC": str(programs),
            "BANZUKE_RESULTS": str(results),
            "BANZUKE_TUNED": str(results.parent / "tuned"),
        }
        return slurm.banzuke(*words, **(ours | variables))

    return call


def records(results: Path, pattern: str) -> list[dict[str, Any]]:
    files = sorted(results.glob(f"{pattern}/records-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_a_job_is_submitted_followed_and_its_results_join(submit: Submit, results: Path) -> None:
    done = submit("submit", "stream", *SMALL, "--wait")
    assert done.returncode == 0, done.stderr
    assert "1 job done" in done.stderr
    assert "n1: " in done.stdout
    (record,) = records(results, "*-n1")
    assert record["status"] == "ok"


def test_benchmarks_of_one_host_run_on_each_node_by_itself(submit: Submit, results: Path) -> None:
    done = submit("submit", "stream", *SMALL, "--nodes", "2", "--wait")
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = records(results, "*-each.*")
    batch = first["provenance"]["batch"]
    assert second["provenance"]["batch"] == batch
    assert [launch["provenance"]["run"] for launch in (first, second)] == [f"{batch}-each.1", f"{batch}-each.2"]
    assert done.stdout.count("no headline figure") == 2, "so few elements stay in a cache"


def forget_others(results: Path) -> None:
    """Forget other load and the differences between nodes that it caused, because the nodes share processors."""
    for file in results.glob("*/records-*.jsonl"):
        launches = [json.loads(line) for line in file.read_text().splitlines()]
        for launch in launches:
            conditions = launch["conditions"]
            for name in [name for name in conditions if name.startswith(("exchange_", "other_busy", "steal"))]:
                del conditions[name]
        file.write_text("".join(f"{json.dumps(launch)}\n" for launch in launches))


def test_a_scaling_study_is_submitted_and_told_from_its_records(submit: Submit, results: Path) -> None:
    """Two processors carry all four nodes, so that its figures mean nothing."""
    small = ("--set", "n=300", "--set", "nb=32")
    done = submit("submit", "hpl", *small, "--nodes", "1,2,4", "--scaling", "strong", "--wait")
    assert done.returncode == 0, done.stdout + done.stderr
    (record,) = records(results, "*-n2-strong")
    assert (record["status"], record["groups"][0]["ranks"]) == ("ok", 2)
    assert record["provenance"]["batch"] is None
    assert done.stdout.count("HPL") == 3
    forget_others(results)
    (study,) = json.loads(submit("scaling", "--json").stdout)["studies"]
    assert (study["kind"], [count["nodes"] for count in study["counts"]]) == ("strong", [1, 2, 4])


def test_a_job_that_fails_says_why(submit: Submit) -> None:
    done = submit("submit", "stream", "--set", "n=1000000000000", "--wait")
    assert done.returncode == 1
    assert "n1: failed (exit status 2)" in done.stderr
    assert "correct it, and submit again" in done.stderr
    assert "--resubmit" not in done.stderr
    assert "error: " in done.stderr
    assert "memory" in done.stderr


def test_a_job_that_waits_is_cancelled_and_submitted_again(submit: Submit) -> None:
    assert submit("submit", "hpl", "--nodes", "5", "--time", "5m").returncode == 0, "more than there are: it waits"
    assert jobs(submit)[0]["state"] == "queued"
    assert submit("jobs", "--cancel").returncode == 0
    done = submit("jobs", "--wait")
    assert (done.returncode, "n5: cancelled" in done.stderr) == (1, True)
    before = jobs(submit)[0]["id"]
    assert submit("jobs", "--resubmit").returncode == 0
    (again,) = jobs(submit)
    assert (again["state"], again["id"] != before) == ("queued", True)
    assert submit("jobs", "--cancel").returncode == 0


def test_a_job_above_the_power_cap_waits_for_the_others(submit: Submit) -> None:
    words = ("--nodes", "1,2,3", "--begin", "2h", "--power-cap", "300W")
    assert submit("submit", "hpl", *words).returncode == 0
    assert [(job["state"], job["why"]) for job in jobs(submit)] == [
        *2 * [("queued", "BeginTime")],
        ("queued", "Dependency"),
    ]
    assert submit("jobs", "--cancel").returncode == 0


def test_a_job_at_its_time_limit_goes_on_when_it_is_submitted_again(
    submit: Submit, slurm: Slurm, results: Path, wrapped: Wrapped, tmp_path: Path
) -> None:
    first, hang = tmp_path / "first", tmp_path / "hang"
    hang.touch()
    hangs = wrapped(f'[ -e {hang} ] && [ -e {first} ] && exec sleep 10000; touch {first}; exec "$real" "$@"')
    assert submit("submit", "stream", *SMALL, "--repeat", "3", **hangs).returncode == 0
    slurm.wait_for(lambda: bool(records(results, "*-n1")), "no record")
    (job,) = jobs(submit)
    slurm.ask("scancel", "--batch", "--signal=INT", job["id"])  # as Slurm does before the time limit
    done = submit("jobs", "--wait")
    assert done.returncode == 1
    assert "n1: timed-out" in done.stderr
    (kept,) = records(results, "*-n1")
    hang.unlink()
    done = submit("jobs", "--resubmit", "--wait", **hangs)
    assert done.returncode == 0, done.stdout + done.stderr
    launches = records(results, "*-n1")  # from two processes, sorted by process number as text
    assert kept in launches
    assert [record["status"] for record in launches] == 3 * ["ok"]


def test_ctrl_c_leaves_the_jobs(submit: Submit, slurm: Slurm, results: Path, programs: Path) -> None:
    site = ("--site", results.parent / "site.toml", "--partition", "cpu")
    words = (SCRIPTS / "banzuke", "submit", "hpl", "--nodes", "5", "--time", "5m", "--wait", *site)
    ours = {"BANZUKE_LIBEXEC": str(programs), "BANZUKE_RESULTS": str(results), **slurm.variables}
    with subprocess.Popen(
        slurm.hosts.on("login", *words), env=os.environ | ours, stderr=subprocess.PIPE, text=True
    ) as waiting:
        assert waiting.stderr
        said: list[str] = []
        while "queued" not in "".join(said):
            said.append(waiting.stderr.readline())
        waiting.send_signal(signal.SIGINT)
        _, rest = waiting.communicate(timeout=PATIENCE)
    assert waiting.returncode == 130
    assert "The jobs continue without this command" in rest
    assert jobs(submit)[0]["state"] == "queued"


def jobs(submit: Submit) -> list[dict[str, Any]]:
    """Return the jobs of the newest submission."""
    newest: list[dict[str, Any]] = json.loads(submit("jobs", "--json").stdout)["submissions"][-1]["jobs"]
    return newest


def test_a_wrong_call_submits_nothing(submit: Submit, results: Path) -> None:
    done = submit("submit", "stream", "--partition", "gone")
    assert done.returncode == 2
    assert "invalid partition" in done.stderr
    assert "nothing was submitted" in done.stderr
    before = sorted(results.glob("submissions/*"))
    for words, complaint in (
        (("--partition", "gpu"), "describes no partition 'gpu'"),
        (("--partition", "unknown"), "Add [[partitions.unknown.node.processors]] with a line `cores = N`"),
        (("--nodes", "6"), "--nodes 6 is too many (partition cpu has 5)"),
        (("--time", "2h"), "jobs of partition cpu may take 1 h 0 min"),
        (("--shape", "torus", "--nodes", "2"), "--shape has no effect on stream"),
        (("--set", "n"), "--set 'n' is not understood"),
        (("--seconds", "1x"), "is not a length of time"),
        (("--run", "a"), "--run is not for jobs"),
        (("--nodes", "1,x"), "--nodes '1,x' is not understood"),
        (("--begin", "soon"), "--begin 'soon' is not understood"),
        (("--memory", "far"), "is not a memory policy"),
        (("--nodez", "1"), "No such option: --nodez"),
    ):
        done = submit("submit", "stream", *words)
        assert done.returncode == 2, words
        assert complaint in " ".join(done.stderr.split())
    assert sorted(results.glob("submissions/*")) == before


def test_nodes_with_another_version_or_other_folders_fail(submit: Submit, tmp_path: Path) -> None:
    other, site = tmp_path / "banzuke", tmp_path / "other.toml"
    site.write_text(f'name = "here"\n[partitions.cpu.batch]\nsystem = "slurm"\nbanzuke = "{other}"\n')
    for version, complaint in (
        ("0.0.1", f"this script is of banzuke {front_end()}, and here is banzuke 0.0.1"),
        (f"{front_end()}12345678", "is it the same folder on the nodes?"),  # it succeeds and leaves nothing
    ):
        other.write_text(f"#!/bin/sh\necho banzuke {version}\n")
        other.chmod(0o755)
        done = submit("submit", "stream", "--site", site, "--wait")
        assert done.returncode == 1
        assert complaint in done.stderr


def test_scripts_are_printed_and_nothing_is_submitted(submit: Submit, results: Path) -> None:
    words = ("submit", "stream", "hpl", "--begin", "22:00", "--reservation", "r1", "--dry-run")
    done = submit(*words, BANZUKE_NODES="1,2", BANZUKE_REPEAT="2", BANZUKE_UNTUNED="1")
    assert done.returncode == 0, done.stderr
    scripts = done.stdout.split("#!/bin/bash\n")[1:]
    assert [next(line for line in script.splitlines() if "job-name" in line) for script in scripts] == [
        f"#SBATCH --job-name=banzuke-{name}" for name in ("n1", "n2", "each")
    ]
    for script in scripts:
        for line in ("#SBATCH --reservation=r1", "  --repeat 2 \\", "  --untuned \\", "export BANZUKE_NODES=''"):
            assert line in script.splitlines()
        assert "T22:00:00\n" in script
    assert "#SBATCH --array=1-2\n" in scripts[2]
    assert not (results / "submissions").exists()


def test_a_host_is_chosen(submit: Submit, results: Path) -> None:
    done = submit("submit", "stream", *SMALL, "--hosts", "n3", "--wait")
    assert done.returncode == 0, done.stdout + done.stderr
    (record,) = records(results, "*-n1")
    assert record["groups"][0]["hosts"][0]["names"] == "n3"


def test_without_a_batch_system_it_says_what_to_do(banzuke: Banzuke) -> None:
    done = banzuke("submit", "stream", PATH="/nowhere")
    assert (done.returncode, "no batch system was found" in done.stderr) == (2, True)
    assert "banzuke site init" in done.stderr
    done = banzuke("jobs")
    assert (done.returncode, "nothing was submitted into" in done.stderr) == (2, True)


def test_without_a_site_file_the_batch_system_says_what_it_has(slurm: Slurm, results: Path) -> None:
    words = ("submit", "stream", "--results", results, "--dry-run")
    done = slurm.banzuke(*words)
    assert done.returncode == 0, done.stderr
    assert "#SBATCH --ntasks-per-node=2\n" in done.stdout
    done = slurm.banzuke(*words, "--partition", "larg")
    assert (done.returncode, "Did you mean 'large'?" in done.stderr) == (2, True)
    done = slurm.banzuke(*words, "--partition", "large", "--nodes", "3")
    assert (done.returncode, "partition large has 2" in done.stderr) == (2, True)
    done = slurm.banzuke(*words, "--time", "2h")
    assert (done.returncode, "jobs of partition main may take 1 h 0 min" in done.stderr) == (2, True)
