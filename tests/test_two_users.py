"""Tests of two real users in one folder: nothing that one of them put there controls the other, least of all root."""

import json
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from banzuke import __version__
from banzuke.batch.job import Chunk, Job
from banzuke.batch.submission import PlannedJob, Submission
from banzuke.fleet.baseline import Baseline
from banzuke.fleet.baseline import write as write_baseline
from banzuke.fleet.launches import Launch, Launches
from banzuke.fleet.measure import read_facts
from banzuke.fleet.model import kind_of
from banzuke.machine.cluster import Batch
from banzuke.testing import case
from tests.conftest import SCRIPTS, SMALL, Banzuke, Result, installed
from tests.patience import PATIENCE

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="hardware: only root can be other users")

ALICE, MALLORY = "bin", "games"
"""Users of every Linux system, each in a private group of the same name."""
STREAM = ("run", "stream", *SMALL)
As = Callable[..., Result]


def give(path: Path, user: str) -> None:
    """Give a path to a user with all that is in it; a link itself, not its target."""
    account = pwd.getpwnam(user)
    for entry in (path, *path.rglob("*")):
        os.chown(entry, account.pw_uid, account.pw_gid, follow_symlinks=False)


@pytest.fixture
def open_path() -> Iterator[Path]:
    """Yield a folder that other users can reach, unlike pytest's own."""
    reach = ["setpriv", "--reuid=2", "--clear-groups", "test", "-x", str(SCRIPTS / "banzuke-probe")]
    if subprocess.run(reach, check=False).returncode != 0:
        pytest.skip(f"hardware: other users do not reach {SCRIPTS}")
    with tempfile.TemporaryDirectory(prefix="banzuke-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def as_user(open_path: Path) -> Iterator[As]:
    """Return a function that runs `banzuke` as this user, who may read all: the interpreter may be in root's home."""
    states = [Path(f"/tmp/banzuke-{pwd.getpwnam(user).pw_uid}") for user in (ALICE, MALLORY)]

    def call(user: str, *words: str | Path, groups: str = "", mask: int = 0o022, **variables: str) -> Result:
        home = open_path / f"home-{user}"
        home.mkdir(exist_ok=True)
        give(home, user)
        account = pwd.getpwnam(user)
        rights = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        groups_given = f"--groups={groups}" if groups else "--clear-groups"
        by = (f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", groups_given, *rights)
        own = {"HOME": str(home)}
        dropped = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        return subprocess.run(
            ["setpriv", *by, SCRIPTS / "banzuke", *words],
            env=dropped | own | variables,
            cwd="/",
            umask=mask,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    yield call
    for state in states:
        shutil.rmtree(state, ignore_errors=True)


@pytest.fixture
def planted(results: Path) -> Callable[[str], str]:
    """Return a function that makes a program, which leaves a file of its name when somebody starts it."""

    def made(name: str) -> str:
        script = results.parent / name
        script.write_text(f"#!/bin/sh\n: > {results.parent}/started-{name}\n")
        script.chmod(0o755)
        return str(script)

    return made


def started(results: Path) -> list[str]:
    return [path.name for path in results.parent.glob("started-*")]


def cut_off(results: Path) -> Path:
    """Return the newest run after removing its records."""
    run = max((path for path in results.iterdir() if (path / "plan.json").exists()), key=lambda path: path.name)
    for file in run.glob("records-*"):
        file.unlink()
    return run


def edit(file: Path, change: Callable[[Any], object]) -> None:
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def runs(results: Path) -> list[Path]:
    return sorted(path.parent for path in results.glob("*/plan.json"))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Path:
    """Return results of two runs of root's, the later one called `named`."""
    results = tmp_path_factory.mktemp("measured") / "results"
    for further in ((), ("--run", "named", "--fresh")):
        assert installed(results, programs)(*STREAM, *further).returncode == 0
    return results


@pytest.fixture
def copied(measured: Path, results: Path) -> list[Path]:
    """Return those runs, copied to the results folder of the test."""
    shutil.copytree(measured, results)
    return runs(results)


@pytest.mark.parametrize("steers", ["variables", "launcher", "library"])
def test_root_does_not_continue_what_another_user_could_have_planted(
    banzuke: Banzuke, results: Path, copied: list[Path], planted: Callable[[str], str], steers: str
) -> None:
    assert copied[1].name == "named"
    run, program = cut_off(results), planted(steers)
    steering = run / ("machine.json" if steers == "library" else "plan.json")
    if steers == "library":
        edit(steering, lambda site: site["site"]["partitions"].popitem()[1]["software"]["blas"][0].update(path=program))
    else:
        value = [["LD_PRELOAD", program]] if steers == "variables" else f"-launcher-exec {program}"
        edit(steering, lambda plan: plan["cases"][0]["variant"].update({steers: value}))
    give(steering, MALLORY)
    assert banzuke(*STREAM).returncode == 0
    assert len(runs(results)) == 3
    refused = banzuke(*STREAM, "--run", "named")
    assert refused.returncode == 2, refused.stderr
    assert f"nothing is taken from {steering} ({steering} belongs to {MALLORY})" in flat(refused)
    give(run, MALLORY)
    refused = banzuke(*STREAM, "--run", "named")
    assert f"run named is not yours ({run} belongs to {MALLORY})" in flat(refused)
    assert not [*run.glob("records-*")]
    assert not started(results)


@pytest.fixture
def submission(results: Path, planted: Callable[[str], str]) -> Path:
    """Return the submission of an unfinished job, with a script, and an output beside which root has a file."""
    folder = results / "submissions" / "20260101T000000-aaaa"
    folder.mkdir(parents=True)
    chunk = Chunk("", Batch(system="slurm"), 1, 1)
    job = Job("banzuke-each", (chunk,), ("true",), folder, results.parent / "precious", 60.0)
    content = Submission(
        name=folder.name,
        asked="2026-01-01T00:00:00Z",  # type: ignore[arg-type]
        banzuke="0",
        words=["submit"],
        jobs=[PlannedJob(job=job, run="20260101T000000-aaaa")],
    )
    (folder / "submission.json").write_text(content.model_dump_json())
    shutil.copy(planted("each"), folder / "each.sh")
    (folder / "each.attempt.json").write_text('{"asked": "2026-01-01T00:00:00Z", "id": "17"}')
    return folder


@pytest.mark.parametrize("action", ["--cancel", "--resubmit"])
def test_jobs_of_another_user_are_neither_cancelled_nor_submitted(
    banzuke: Banzuke, results: Path, submission: Path, action: str
) -> None:
    commands = results.parent / "commands"
    commands.mkdir()
    for name in ("sbatch", "scancel", "squeue"):
        (commands / name).write_text(f"#!/bin/sh\n: > {results.parent}/started-{name}\necho '17|RUNNING|None'\n")
        (commands / name).chmod(0o755)
    end = results.parent / "precious.end"
    if action == "--resubmit":
        end.write_text("failed 1\n")
    give(submission, MALLORY)
    path = {"PATH": f"{commands}:{os.environ['PATH']}"}
    done = banzuke("jobs", action, **path)
    assert done.returncode == 2
    assert f"not yours to act on ({submission} belongs to {MALLORY})" in " ".join(done.stderr.split())
    assert end.exists() == (action == "--resubmit")
    assert not {"started-sbatch", "started-scancel"} & {*started(results)}
    give(submission, "root")
    end.unlink(missing_ok=True)
    assert "yours" not in banzuke("jobs", action, **path).stderr
    assert ("started-scancel" in started(results)) == (action == "--cancel")


def test_a_mark_that_another_user_left_ends_no_process(banzuke: Banzuke, copied: list[Path]) -> None:
    mark = {"BANZUKE_MARK": "0123456789abcdef"}
    with subprocess.Popen(["sleep", "600"], env=os.environ | mark) as victim:
        owner = {"host": os.uname().nodename, "pid": 1 << 22, "started": 5, "mark": mark["BANZUKE_MARK"]}
        (copied[0] / "owner.json").write_text(json.dumps(owner))
        done = banzuke(*STREAM, "--fresh")
        assert done.returncode == 0, done.stderr
        assert "stopped" not in done.stderr
        assert victim.poll() is None
        victim.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("link", ["run", "reports", "submissions", "figures", "results"])
def test_links_of_another_user_lead_nowhere(banzuke: Banzuke, results: Path, copied: list[Path], link: str) -> None:
    first, second = copied
    elsewhere = results.parent / "elsewhere"
    shutil.copytree(first, elsewhere)
    before = {path: path.stat().st_mtime_ns for path in elsewhere.iterdir()}
    planted, words = {
        "run": (results / "x", ("report", "x")),
        "reports": (results / "reports", ("report", first.name, second.name)),
        "submissions": (results / "submissions", ("submit", "run", "stream", "--time", "1m")),
        "figures": (first / "figures", ("report", first.name)),
        "results": (results.parent / "others", ("run", "stream", *SMALL, "--results", results.parent / "others")),
    }[link]
    planted.symlink_to(elsewhere)
    os.chown(planted, pwd.getpwnam(MALLORY).pw_uid, -1, follow_symlinks=False)
    done = banzuke(*words)
    assert done.returncode == 2, done.stdout
    assert "link" in done.stderr or link == "submissions", done.stderr
    assert {path: path.stat().st_mtime_ns for path in elsewhere.iterdir()} == before


def test_a_shared_folder_with_the_sticky_bit(as_user: As, open_path: Path) -> None:
    """Each user continues his own runs without a message, and reads those of others."""
    shared = open_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    assert as_user(ALICE, *STREAM, "--results", shared).returncode == 0
    run = cut_off(shared)
    theirs = as_user(MALLORY, *STREAM, "--results", shared)
    assert theirs.returncode == 0, theirs.stderr
    assert f"run {run.name} was cut off and is not continued ({run} belongs to {ALICE})" in flat(theirs)
    assert len(runs(shared)) == 2
    cut_off(shared)
    again = as_user(MALLORY, *STREAM, "--results", shared)
    assert again.returncode == 0
    assert "continuing" in again.stderr
    assert "belongs to" not in again.stderr
    assert len(runs(shared)) == 2
    hers = as_user(ALICE, *STREAM, "--results", shared)
    assert f"continuing {run.name}" in hers.stderr, hers.stderr
    read = as_user(ALICE, "query", "SELECT run FROM records", "--results", shared)
    assert all(folder.name in read.stdout for folder in runs(shared)), read.stderr
    drawn = as_user(
        ALICE, "report", runs(shared)[1].name, "--output", open_path / "home-bin" / "report", "--results", shared
    )
    assert drawn.returncode == 0, drawn.stderr


def flat(done: Result) -> str:
    return " ".join(done.stderr.split())


def test_a_folder_of_ones_own_under_a_private_group_goes_on_without_a_word(as_user: As, open_path: Path) -> None:
    own = open_path / "own"
    own.mkdir()
    give(own, ALICE)
    own.chmod(0o775)
    assert as_user(ALICE, *STREAM, "--results", own, mask=0o002).returncode == 0
    run = cut_off(own)
    assert run.stat().st_mode & 0o777 == 0o775
    again = as_user(ALICE, *STREAM, "--results", own, mask=0o002)
    assert "continuing" in again.stderr, again.stderr
    assert "can be written" not in again.stderr
    assert len(runs(own)) == 1


def test_a_team_goes_on_with_each_others_runs_where_it_is_trusted(
    as_user: As, banzuke: Banzuke, open_path: Path
) -> None:
    """The folder belongs to the group of MALLORY, of which ALICE is a member; root takes only data from it."""
    team = open_path / "team"
    team.mkdir()
    shutil.chown(team, MALLORY, MALLORY)
    team.chmod(0o2775)
    call = (*STREAM, "--results", team)
    gid = str(pwd.getpwnam(MALLORY).pw_gid)
    assert as_user(MALLORY, *call, mask=0o002).returncode == 0
    run = cut_off(team)
    for user in (ALICE, "root"):
        done = as_user(ALICE, *call, groups=gid) if user == ALICE else banzuke(*call, BANZUKE_TRUST_GROUP=MALLORY)
        assert done.returncode == 0, done.stderr
        assert f"run {run.name} was cut off and is not continued" in flat(done)
        shutil.rmtree(runs(team)[1])
    trusting = as_user(ALICE, "--trust-group", MALLORY, *call, groups=gid)
    assert trusting.returncode == 0, trusting.stderr
    assert f"continuing {run.name}" in trusting.stderr
    assert runs(team) == [run]


def test_jobs_take_no_commands_from_a_site_file_that_another_user_left(
    banzuke: Banzuke, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results.mkdir()
    monkeypatch.chdir(results)
    (results / "site.toml").write_text('name = "x"\n[partitions.cpu.batch]\nsystem = "slurm"\nsetup = ["touch x"]\n')
    give(results / "site.toml", MALLORY)
    done = banzuke("submit", "stream", "--dry-run")
    assert done.returncode == 2
    assert f"site.toml of the current folder (site.toml belongs to {MALLORY})" in flat(done)


@pytest.mark.parametrize("checked", ["--epilog", "--boot"])
def test_root_checks_a_node_with_no_command_that_another_user_could_have_written(
    banzuke: Banzuke, results: Path, planted: Callable[[str], str], checked: str
) -> None:
    """A batch system's epilog does so, with a results folder that all share."""
    said = subprocess.run([SCRIPTS / "banzuke-probe", "survey"], capture_output=True, text=True, check=True).stdout
    kind, folder = kind_of(read_facts(said)), results / "baselines"
    write_baseline(folder, Baseline(kind=kind, version=__version__, figures={}))
    launch = Launch(case=case(), words=(planted("launch"),), variables={}, machine="m", seconds=9.0)
    launches = folder / f"{kind}.launches.json"
    launches.write_bytes(Launches.dump_json({kind: [launch]}))
    give(launches, MALLORY)
    done = banzuke("screen", checked)
    assert done.returncode == 2
    assert f"nothing is taken from {launches} ({launches} belongs to {MALLORY})" in flat(done)
    assert not started(results)
    give(launches, "root")
    banzuke("screen", checked)
    assert started(results) == ["started-launch"]
