"""Tests of `banzuke site` on hosts without a batch system, and with one that does not answer."""

import os
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from banzuke.batch import commands
from banzuke.cli.site import site
from banzuke.errors import BanzukeError
from banzuke.machine.published import read

APP = typer.Typer()
APP.add_typer(site)


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of commands that is all of PATH."""
    folder = tmp_path / "commands"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def called(*words: str | Path) -> str:
    done = CliRunner().invoke(APP, ["site", *map(str, words)])
    if isinstance(done.exception, BanzukeError):
        raise done.exception
    return f"{done.exit_code} {done.stdout}"


def test_without_a_batch_system_a_site_is_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "laptop.example.org")
    assert called("init", tmp_path / "s.toml") == "0 nodes: 1 node laptop.example.org, without a batch system\n"
    described = read(tmp_path / "s.toml")
    assert (described.name, described.partitions["nodes"].hosts, described.partitions["nodes"].batch) == (
        "laptop",
        ["laptop.example.org"],
        None,
    )
    assert called("check", tmp_path / "s.toml") == f"0 {tmp_path}/s.toml describes laptop: nodes (1 node)\n"


def test_what_comes_next_is_said(tmp_path: Path) -> None:
    done = CliRunner().invoke(APP, ["site", "init", str(tmp_path / "s.toml")])
    file = tmp_path / "s.toml"
    assert done.stderr == f"Complete {file} (account, modules, areas), then run: banzuke site check {file}\n"


def test_hosts_that_ssh_reaches_are_one_partition(tmp_path: Path) -> None:
    called("init", tmp_path / "a.toml", "--hosts", "n[01-16],m1")
    assert read(tmp_path / "a.toml").partitions["nodes"].number == 17
    hosts = tmp_path / "hosts"
    hosts.write_text("# ours\nn1 slots=4\nn2:8\n\nn3  # the new one\n")
    called("init", tmp_path / "b.toml", "--host-file", hosts)
    assert read(tmp_path / "b.toml").partitions["nodes"].hosts == ["n[1-3]"]


@pytest.mark.parametrize("content", ["", "# none\n", "n1;rm\n", "$(reboot)\n", "@all\n"])
def test_a_host_file_with_anything_else_is_refused(content: str, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text(content)
    with pytest.raises(BanzukeError, match=r"names no host|is not a list of hosts"):
        called("init", tmp_path / "s.toml", "--host-file", hosts)
    assert not (tmp_path / "s.toml").exists()


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    file, link = tmp_path / "s.toml", tmp_path / "link.toml"
    file.write_text("mine")
    link.symlink_to(tmp_path / "nowhere")
    for there in (file, link, tmp_path):
        with pytest.raises(BanzukeError, match="exists"):
            called("init", there)
    assert file.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


def command(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_a_batch_system_that_hangs_fails_or_prints_rubbish_leaves_no_file(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "s.toml"
    for script, why in (
        ("exec /bin/sleep 600", "did not answer"),
        ("echo cannot reach controller >&2; exit 1", "cannot reach controller"),
        ("echo rubbish", "rubbish"),
        ("echo 'a|up|1:00|NO|1|1|1|1|1|1|(null)|(null)|n1;reboot'", "reports what no site file can hold"),
    ):
        command(bare, "sinfo", script)
        monkeypatch.setattr(commands, "SECONDS", 0.2 if "sleep" in script else 600.0)
        with pytest.raises(BanzukeError, match=why):
            called("init", file)
        assert not file.exists()
    assert called("init", file, "--batch-system", "none").startswith("0 nodes: 1 node")


def test_of_several_batch_systems_the_one_that_answers_is_taken(bare: Path, tmp_path: Path) -> None:
    command(bare, "sinfo", "echo 'a*|up|1:00|NO|2|1|1|1|4|1000|(null)|(null)|n[1-2]'")
    command(bare, "qconf", "exit 1")
    assert called("init", tmp_path / "s.toml") == "0 a: 2 nodes n[1-2], queue a\n"
    command(bare, "flux", 'case "$*" in resource*) echo "||4|32|0|f[1-4]";; *) echo "|y|inf";; esac')
    with pytest.raises(BanzukeError, match="several batch systems here: slurm and flux"):
        called("init", tmp_path / "t.toml")
    called("init", tmp_path / "t.toml", "--batch-system", "flux")
    assert read(tmp_path / "t.toml").partitions["flux"].number == 4
    with pytest.raises(BanzukeError, match="'lsf' is unknown"):
        called("init", tmp_path / "u.toml", "--batch-system", "lsf")


def test_modules_loaded_here_are_suggested(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command(bare, "sinfo", "echo 'a*|up|1:00|NO|2|1|1|1|4|1000|(null)|(null)|n[1-2]'")
    for name in ("MODULESHOME", "MODULEPATH", "LMOD_CMD"):
        monkeypatch.delenv(name, raising=False)
    called("init", tmp_path / "none.toml")
    assert "# modules" not in (tmp_path / "none.toml").read_text()
    monkeypatch.setenv("MODULEPATH", "/opt/modules")
    monkeypatch.setenv("LOADEDMODULES", "gcc/12:openmpi/5")
    called("init", tmp_path / "s.toml")
    assert '# modules = ["gcc/12", "openmpi/5"]' in (tmp_path / "s.toml").read_text()


def test_a_batch_system_whose_commands_are_not_here_is_not_compared(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        'name = "x"\n[partitions.a]\nbatch = { system = "pbs", queue = "work" }\n[areas.w]\nmount = "/none"\n'
    )
    done = CliRunner().invoke(APP, ["site", "check", str(file)])
    assert done.exit_code == 0
    said = " ".join(done.stderr.split())
    assert "a not compared: pbsnodes is not on PATH here" in said
    assert "areas.w: /none is not on this host" in said


def test_what_was_not_looked_at_is_said(bare: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('name = "x"\n[partitions.a]\nnodes = 2\nlauncher = "srunn --mpi=pmix"\n')

    def said() -> str:
        done = CliRunner().invoke(APP, ["site", "check", str(file)])
        assert done.exit_code == 0
        return " ".join(done.stderr.split())

    assert "a: launcher 'srunn --mpi=pmix' was not found here" in said()
    assert "nothing was compared with a batch system: none is here" in said()
    command(bare, "srunn", "")
    command(bare, "sinfo", "")
    assert said() == "nothing was compared with a batch system: the file names none (commands are here of: slurm)"
    file.write_text(file.read_text() + 'batch.system = "slurm"\n[partitions.b]\n')
    command(bare, "sinfo", "echo 'q*|up|1:00|NO|2|1|1|1|4|1000|(null)|(null)|n[1-2]'")
    assert "b not compared: the file names no batch system for it" in said()


def test_a_file_in_order_is_told_from_a_batch_system_that_does_not_answer(bare: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('name = "x"\n[partitions.a]\nbatch = { system = "slurm", queue = "work" }\n')
    command(bare, "sinfo", "echo 'sinfo: error: no DNS\nsinfo: error: no DNS\nsinfo: fatal: no source' >&2; exit 1")
    with pytest.raises(BanzukeError) as refusal:  # exit status 2
        called("check", file)
    assert refusal.value.lines == [
        f"{file} is in order; sinfo did not answer, so it could not be compared with the batch system:",
        "sinfo --noheader failed: sinfo: error: no DNS",
        "sinfo: error: no DNS",
        "sinfo: fatal: no source",
        "Try again where and when it answers",
    ]
    with pytest.raises(BanzukeError) as refusal:
        called("init", tmp_path / "t.toml")
    assert refusal.value.details == (
        "sinfo --noheader failed: sinfo: error: no DNS",
        "sinfo: error: no DNS",
        "sinfo: fatal: no source",
    )
    assert "--hosts n[01-16]" in refusal.value.remedy


def test_an_error_in_a_file_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('name = "x"\n[partitions.a]\nbatch.system = "lsf"\n')
    with pytest.raises(BanzukeError, match=r"line 3: partitions.a.batch.system: should be 'slurm'"):
        called("check", file)
    file.write_text('name = "x"\n')
    with pytest.raises(BanzukeError, match="partitions is missing"):
        called("check", file)


def test_where_nothing_can_be_written_it_is_said(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        blocked = Path("/proc/none/s.toml")
    else:
        tmp_path.chmod(0o500)
        blocked = tmp_path / "s.toml"
    with pytest.raises(BanzukeError, match="cannot write"):
        called("init", blocked)
