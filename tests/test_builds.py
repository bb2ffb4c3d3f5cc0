"""Tests of further builds, chosen by name and by MPI library; their programs are the installation's."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SMALL, Banzuke, Result

BUILDS = {"bare": "banzuke-pt2pt-*", "fast": "banzuke-stream-*"}
"""The programs of each build, by name."""


SAID = '{"date": "2026-01-02T03:04:05+00:00", "commit": "0123456789ab"}'


@pytest.fixture(scope="module")
def libexec(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a folder of the installation's programs, with builds that have some of them."""
    prefix = tmp_path_factory.mktemp("builds")
    for folder, pattern in {
        "bin": "banzuke-*",
        **{f"lib/banzuke/builds/{n}/bin": pattern for n, pattern in BUILDS.items()},
    }.items():
        (prefix / folder).mkdir(parents=True)
        for program in programs.glob(pattern):
            (prefix / folder / program.name).symlink_to(program)
    for name in BUILDS:
        (prefix / "lib/banzuke/builds" / name / "build.json").write_text(SAID)
    (prefix / "lib/banzuke/builds/.half.new").mkdir()
    return str(prefix / "bin")


def records(done: Result) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    return records


def test_each_case_runs_with_each_build_in_turn(banzuke: Banzuke, libexec: str, results: Path) -> None:
    words = ("run", "stream", *SMALL, "--build", "default,fast", "--repeat", "2", "--json")
    done = banzuke(*words, BANZUKE_LIBEXEC=libexec)
    assert done.returncode == 0, done.stderr
    assert [record["groups"][0]["build"] for record in records(done)] == ["default", "fast", "default", "fast"]
    (file,) = results.glob("*/records*.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    folders = [str(Path(line["provenance"]["command"][0]).parent) for line in lines]
    assert folders == [libexec, f"{Path(libexec).parent}/lib/banzuke/builds/fast/bin"] * 2
    assert len({line["provenance"]["case"] for line in lines}) == 2
    assert [line["provenance"]["commit"] == "0123456789ab" for line in lines] == [False, True] * 2


def test_a_build_without_the_program_costs_only_its_own_cases(banzuke: Banzuke, libexec: str) -> None:
    done = banzuke("run", "stream", *SMALL, "--build", "bare,fast", "--json", BANZUKE_LIBEXEC=libexec)
    assert done.returncode == 1
    assert [record["status"] for record in records(done)] == ["skipped", "ok"]
    assert "the build 'bare' has no program banzuke-stream-omp" in records(done)[0]["reason"]
    assert "default and fast have it" in records(done)[0]["reason"]
    dry = banzuke("run", "stream", *SMALL, "--build", "bare,fast", "--dry-run", BANZUKE_LIBEXEC=libexec)
    assert "would be skipped: the build 'bare' has no program" in dry.stderr
    assert "builds/fast/bin/banzuke-stream-omp" in dry.stdout


def test_builds_are_chosen_by_their_mpi(banzuke: Banzuke, libexec: str) -> None:
    said = json.loads(banzuke("list", "--json", BANZUKE_LIBEXEC=libexec).stdout)["builds"]
    assert [build["name"] for build in said] == ["default", "bare", "fast"]
    mpi = said[0]["mpi_name"]
    words = ("run", "stream", *SMALL, "--dry-run", "--mpi", mpi)
    assert banzuke(*words, BANZUKE_LIBEXEC=libexec).stdout.startswith(("OMP_NUM", libexec))
    named = banzuke(*words, "--build", "fast", BANZUKE_LIBEXEC=libexec)
    assert "builds/fast/bin/banzuke-stream-omp" in named.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--build", "fats"), r"there is no build 'fats'.*Did you mean 'fast'"),
        (("--build", "default,"), r"--build 'default,' is not understood"),
        (("--build", ".half.new"), r"there is no build '.half.new'"),
        (("--build", "../bin"), r"there is no build '../bin'"),
        (("--mpi", "openmp"), r"no build is for the MPI library 'openmp' .*`make build"),
        (("--mpi", ""), r"--mpi '' is not understood"),
    ],
)
def test_what_there_is_not_is_named(banzuke: Banzuke, libexec: str, words: tuple[str, ...], said: str) -> None:
    done = banzuke("run", "stream", *SMALL, *words, BANZUKE_LIBEXEC=libexec)
    assert done.returncode == 2
    assert re.search(said, " ".join(done.stderr.split())), done.stderr


def test_the_list_shows_how_each_was_built(banzuke: Banzuke, libexec: str) -> None:
    said = json.loads(banzuke("list", "--json", BANZUKE_LIBEXEC=libexec).stdout)["builds"]
    assert {build["compiler"] for build in said} == {said[0]["compiler"]}
    assert "-fopenmp" in said[0]["flags"]
    assert [build["date"] for build in said[1:]] == ["2026-01-02T03:04:05+00:00"] * 2
    assert "Builds" in banzuke("list", BANZUKE_LIBEXEC=libexec).stdout
